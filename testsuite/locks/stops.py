#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stops a recorded program at random moments and compares the owners that ompdbg names with what
the program notes of its own takings.

    testsuite/locks/stops.py [STOPS [COMPILER]]

Prints how many locks were compared, and each that was different.
"""

import contextlib
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OMPDBG = ROOT / "build" / "ompdbg"
SECONDS = 100
THREADS, LOCKS = 4, 3
KINDS = ("lock", "nest lock", "critical")
TAKES, HOLDS, RELEASES = 1, 2, 3


class Notes(NamedTuple):
    """Where a program keeps its notes, and its locks."""

    address: int
    size: int
    simple: int
    nestable: int

    def read(self, pid: int) -> Dict[Tuple[str, int], Dict[int, int]]:
        """Of each lock the phases of threads, by their ids in the system."""
        with open("/proc/{}/mem".format(pid), "rb") as memory:
            memory.seek(self.address)
            data = memory.read(self.size * THREADS)
        found: Dict[Tuple[str, int], Dict[int, int]] = {}
        for at in range(0, len(data), self.size):
            lwp, *phases = struct.unpack_from("Q9I", data, at)
            for index, phase in enumerate(phases):
                kind, number = divmod(index, LOCKS)
                found.setdefault((KINDS[kind], number), {})[lwp] = phase
        return found


def preloaded() -> str:
    """The two libraries."""
    folder = ROOT / "build" / "ompt"
    names = ("gomp/libompt-gomp.so", "recorder/libompdbg-recorder.so")
    return ":".join(str(folder / name) for name in names)


def compiled(compiler: str, folder: Path) -> Path:
    """The program."""
    program = folder / ("takings-" + compiler)
    source = HERE / "programs" / "takings.c"
    command = [compiler, "-fopenmp", "-g", "-O2", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


@contextlib.contextmanager
def running(program: Path) -> Iterator[Tuple[int, Notes]]:
    """A process of it, until the end of the block."""
    environment = dict(os.environ, LD_PRELOAD=preloaded())
    with subprocess.Popen(
        [str(program)], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline().split()
            yield process.pid, Notes(
                int(first[0], 16), int(first[1]), int(first[2], 16), int(first[3], 16)
            )
        finally:
            process.kill()


def _has_stopped(pid: int) -> bool:
    states = []
    for path in Path("/proc/{}/task".format(pid)).glob("*/stat"):
        states.append(path.read_text(encoding="ascii").rpartition(")")[2].split()[0])
    return all(state in "tT" for state in states)


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process stands still within the block."""
    os.kill(pid, signal.SIGSTOP)
    while not _has_stopped(pid):
        time.sleep(0.001)
    yield
    os.kill(pid, signal.SIGCONT)


def locks_of(pid: int) -> Tuple[List[Dict[str, Any]], Dict[int, int]]:
    """What ompdbg says of locks; and the system's ids of its threads."""
    done = subprocess.run(
        [str(OMPDBG), "report", "--json", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert not done.stderr, done.stderr
    report = json.loads(done.stdout)
    return report["locks"], {thread["gdb"]: thread["lwp"] for thread in report["threads"]}


def _name(lock: Dict[str, Any], notes: Notes, locks: Dict[str, int]) -> Tuple[str, int]:
    """Which of the program's locks it is; by its address, or its name."""
    if lock["kind"] == "critical":
        return "critical", 0
    address = int(lock["address"], 16)
    for kind, start in (("lock", notes.simple), ("nest lock", notes.nestable)):
        index, rest = divmod(address - start, locks[kind])
        if 0 <= index < LOCKS and rest == 0:
            return kind, index
    return lock["kind"], -1


# Sizes of locks: omp_lock_t and omp_nest_lock_t of the two runtimes.
SIZES = {"libgomp": {"lock": 4, "nest lock": 16}, "libomp": {"lock": 8, "nest lock": 8}}


def compare(pid: int, notes: Notes) -> Tuple[int, int, List[str]]:
    """Compare at one stop: locks, locks whose holder is certain by the notes, and what differs."""
    with stopped(pid):
        phases = notes.read(pid)
        locks, lwps = locks_of(pid)
    different, certain = [], 0
    for lock in locks:
        name = _name(lock, notes, SIZES[lock["runtime"]])
        threads = phases.get(name)
        if threads is None:
            different.append("{}: unknown to the program".format(lock))
            continue
        holders = [lwp for lwp, phase in threads.items() if phase == HOLDS]
        owner = lwps.get(lock["owner"]) if lock["owner"] is not None else None
        certain += bool(holders)
        # Where nobody surely holds it, only one that takes it or gives it back may.
        if holders and owner != holders[0]:
            different.append("{}: {} holds it: {}".format(name, holders, lock))
        elif not holders and owner is not None and threads.get(owner) not in (TAKES, RELEASES):
            different.append("{}: nobody holds it: {} {}".format(name, threads, lock))
    return len(locks), certain, different


def stop_often(program: Path, stops: int, seed: int) -> Tuple[int, int, List[str]]:
    """Stop the program so often, and add it all up."""
    choice = random.Random(seed)
    locks, certain = 0, 0
    different: List[str] = []
    with running(program) as (pid, notes):
        time.sleep(0.3)  # until all threads have begun
        for _ in range(stops):
            time.sleep(choice.uniform(0.001, 0.03))
            more, sure, wrong = compare(pid, notes)
            locks, certain, different = locks + more, certain + sure, different + wrong
    return locks, certain, different


def main() -> int:
    stops = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    compilers = sys.argv[2:] or ["gcc", "clang"]
    failed = False
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        for compiler in compilers:
            program = compiled(compiler, Path(scratch))
            locks, certain, different = stop_often(program, stops, 1)
            print(*different, sep="\n")
            print(
                "{}: {} stops, {} locks, {} of them certainly held, {} different".format(
                    compiler, stops, locks, certain, len(different)
                )
            )
            failed = failed or bool(different)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
