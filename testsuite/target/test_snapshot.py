# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process goes on as soon as its memory is copied, and what was copied is one moment of it."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

import comparing
import pytest

SOURCE = Path(__file__).resolve().parent / "programs" / "changing.c"
TOO_MUCH_MIB = 80
WAIT_SECONDS = 60


class Program(NamedTuple):
    """A running program, and where it counts."""

    pid: int
    counters: List[int]
    constant: int


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("snapshot") / "changing"
    subprocess.run(["gcc", "-O1", "-g", str(SOURCE), "-o", str(program)], check=True)
    return program


@contextmanager
def running(program: Path, mib: int) -> Iterator[Program]:
    with subprocess.Popen([str(program), str(mib)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            *counters, constant = [int(word, 16) for word in process.stdout.readline().split()]
            yield Program(process.pid, counters, constant)
        finally:
            process.kill()


class Attached:
    """A program that reads a process's memory, which it is told to stop or not."""

    def __init__(self, reader: "subprocess.Popen[str]") -> None:
        self.pid = reader.pid
        self._reader = reader
        assert reader.stdout is not None
        self.is_stopped = reader.stdout.readline() == "stopped\n"

    def read(self, address: int, size: int) -> bytes:
        """Memory."""
        assert self._reader.stdin is not None and self._reader.stdout is not None
        self._reader.stdin.write(f"{address} {size}\n")
        self._reader.stdin.flush()
        return bytes.fromhex(self._reader.stdout.readline())


@contextmanager
def attached(pid: int) -> Iterator[Attached]:
    with subprocess.Popen(
        [str(comparing.PRINTER), str(pid), "--memory"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        yield Attached(reader)


def state_of(pid: int) -> str:
    fields = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return fields["State"][0] + fields["TracerPid"]


def numbers(target: Attached, program: Program) -> List[int]:
    return [int.from_bytes(target.read(at, 8), "little") for at in program.counters]


def test_one_moment(built: Path) -> None:
    with running(built, 1) as program:
        seen: List[int] = []
        end = time.monotonic() + WAIT_SECONDS
        while len(set(seen)) < 5 and time.monotonic() < end:
            with attached(program.pid) as target:
                assert not target.is_stopped
                assert state_of(program.pid) == "R0"
                found = numbers(target, program)
                # It was stopped between two of the three steps, or between two rounds.
                assert max(found) - min(found) <= 1
                assert found[0] >= found[1] >= found[2]
                assert numbers(target, program) == found
                assert target.read(program.constant, 24) == bytes(
                    byte for number in (1, 2, 3) for byte in number.to_bytes(8, "little")
                )
                seen.append(found[0])
        assert len(set(seen)) == 5 and sorted(seen) == seen


def test_too_much_to_copy(built: Path) -> None:
    with running(built, TOO_MUCH_MIB) as program:
        with attached(program.pid) as target:
            assert target.is_stopped
            assert state_of(program.pid) == f"t{target.pid}"
            found = numbers(target, program)
            assert max(found) - min(found) <= 1
            assert numbers(target, program) == found
        assert state_of(program.pid) == "R0"


def mappings(pid: int) -> List[Tuple[int, int, str]]:
    found = []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split()
        low, high = (int(word, 16) for word in words[0].split("-"))
        if words[1][0] == "r" and not words[-1].startswith(("[vvar", "[vsyscall")):
            found.append((low, high, line))
    return found


def test_all_memory_is_as_it_was() -> None:
    """Of a program that waits, and so changes nothing. The kernel writes on which processor a
    thread runs into its memory (rseq): that is always the same."""
    processor = min(os.sched_getaffinity(0))
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        os.sched_setaffinity(process.pid, {processor})
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        while Path(f"/proc/{process.pid}/syscall").read_text().split()[0] != "0":
            pass
        compared = 0
        with attached(process.pid) as target, open(f"/proc/{process.pid}/mem", "rb") as memory:
            assert not target.is_stopped
            for low, high, line in mappings(process.pid):
                memory.seek(low)
                assert target.read(low, high - low) == memory.read(high - low), line
                compared += high - low
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.wait(60) == 0
    assert compared > 1 << 20
