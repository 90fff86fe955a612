#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus: programs that hang with locks or work, their truth, and what ompdbg says of them.

    testsuite/locks/corpus.py [PART]

Looks at all that have PART in their names, or at a sample of 200 that hang and 100 that work, at those that
hang on core files as well, and prints what is false or not named, and a table.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(ROOT / "testsuite" / "gdb")]

import tables  # noqa: E402
from harness import processes, setup  # noqa: E402

OMPDBG = setup.COMMAND_LINE
SECONDS = 300
POLL_SECONDS = 0.002
ASLEEP_POLLS = 3
AWAKE_TICKS = 2  # of processor time: it spins

# The compilers of each source file; tables.py writes those that do not exist.
COMPILERS = {
    "idioms.c": ("gcc", "clang"),
    "idioms.cpp": ("g++", "clang++"),
    "idioms.f90": ("gfortran",),
    "tables.c": ("gcc", "clang"),
    "tables.cpp": ("g++", "clang++"),
}
OPTIONS = ("-O0", "-O2")


# Functions in which a thread waits for what any other may do: no lock.
CALLS = ("sem_wait", "pthread_cond_wait", "std::condition_variable::wait")


class Wait(NamedTuple):
    """What a program tells of one thread; threads by their ids in the system. The kind is one of locks, or one
    of CALLS."""

    kind: str
    address: Optional[str]
    symbol: Optional[str]  # "?": may be any
    waiter: int
    owner: int


class Truth(NamedTuple):
    """What a program tells of itself."""

    waits: List[Wait]
    bystander: int  # it neither owns a lock nor waits for one; 0: there is none


class Program(NamedTuple):
    """One program, and how it is started."""

    compiler: str
    option: str
    file: Path
    idiom: str
    does: str = "hangs"  # or what the owner of the lock does
    environment: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        """As in "gcc-O2 simple_jump pair"."""
        return "{}{} {} {}".format(self.compiler, self.option, self.idiom, self.does)

    @property
    def is_deadlock(self) -> bool:
        """Threads wait for one another."""
        return self.idiom.replace("_", " ").rpartition(" ")[2] in tables.DEADLOCKS

    @property
    def has_readers(self) -> bool:
        """Those who hold the locks only read: nothing records who they are."""
        return "reader" in self.idiom


class Case(NamedTuple):
    """What was said of a program."""

    program: Program
    truth: Truth
    report: Dict[str, Any]
    status: int
    is_core: bool  # and not the process

    @property
    def name(self) -> str:
        """Of the program."""
        return self.program.name + (" (core)" if self.is_core else "")

    @property
    def numbers(self) -> Dict[int, int]:
        """Of threads, by their ids in the system."""
        return {thread["lwp"]: thread["gdb"] for thread in self.report["threads"]}

    @property
    def locks(self) -> List[Tuple[Wait, Dict[str, Any]]]:
        """Each wait with the lock for which the thread is said to wait; empty: it is not."""
        found = []
        for wait in self.truth.waits:
            if wait.kind in CALLS:
                continue
            number = self.numbers[wait.waiter]
            said = [lock for lock in self.report["locks"] if number in lock["waiters"]]
            found.append((wait, said[0] if len(said) == 1 else {}))
        return found

    def false_waits(self) -> List[str]:
        """What is said of waits and is not so."""
        found = []
        for wait, lock in self.locks:
            if not lock:
                continue
            # Of an address alone it may not be known whether it is a lock or a critical construct.
            kinds = (wait.kind, "mutex" if wait.symbol in (None, "?") else wait.kind)
            wrong = lock["kind"] not in kinds
            if lock["address"] is not None:
                wrong = wrong or (wait.address is not None and lock["address"] != wait.address)
                wrong = wrong or wait.symbol not in ("?", lock["symbol"])
            if wrong:
                found.append("{}: {}, not {}".format(self.name, lock, wait))
        waiting = {self.numbers[wait.waiter] for wait, _ in self.locks}
        for lock in self.report["locks"]:
            if not set(lock["waiters"]) <= waiting:
                found.append("{}: nobody waits for {}".format(self.name, lock))
        return found

    def unnamed_waits(self) -> List[str]:
        """Waits that are not named."""
        does = {thread["gdb"]: thread["does"] for thread in self.report["threads"]}
        unnamed = [
            wait
            for wait, lock in self.locks
            if not lock or (lock["address"] is None and wait.address)
        ]
        unnamed += [
            wait
            for wait in self.truth.waits
            if wait.kind in CALLS and does[self.numbers[wait.waiter]] != "sleeps in " + wait.kind
        ]
        return ["{}: {}".format(self.name, wait) for wait in unnamed]

    def false_owners(self) -> List[str]:
        """Owners that are said to be so, or the only ones that may be, and are not: nobody would look at
        another thread."""
        found = []
        for wait, lock in self.locks:
            threads = {one["thread"] for one in lock["candidates"]} if lock else set()
            if lock and lock["owner"] is not None:
                threads = {lock["owner"]}
            is_wrong = len(threads) == 1 and threads != {self.numbers[wait.owner]}
            is_wrong |= self.program.has_readers and bool(lock) and lock["owner"] is not None
            if is_wrong:
                found.append("{}: {}, not {}".format(self.name, lock, self.numbers[wait.owner]))
        return found

    def unnamed_owners(self) -> List[str]:
        """Waits for a lock whose owner is not named, surely or perhaps."""
        found = []
        for wait, lock in self.locks:
            threads = [one["thread"] for one in lock["candidates"]] if lock else []
            threads.append(lock["owner"] if lock else None)
            if self.numbers[wait.owner] not in threads:
                found.append("{}: {}".format(self.name, lock))
        return found

    def named_bystanders(self) -> List[str]:
        """Locks that a thread may hold that has never had them, or not any more."""
        number = self.numbers.get(self.truth.bystander)
        threads = [one["thread"] for lock in self.report["locks"] for one in lock["candidates"]]
        return [self.name] if number in threads else []

    def false_findings(self) -> List[str]:
        """Findings that are not so."""
        found = []
        waiting = {self.numbers[wait.waiter] for wait, _ in self.locks}
        for finding in self.report["findings"]:
            is_wrong = finding["rule"] == "deadlock" and not (
                self.program.is_deadlock
                and set(finding["waiters"]) <= waiting
                and not (self.program.has_readers and finding["certain"])
            )
            # A thread that may have it already may be awake when it is not.
            is_wrong |= "free at this moment" in str(finding)
            is_wrong |= finding["rule"] not in RULES
            if is_wrong:
                found.append("{}: {}".format(self.name, finding))
        return found

    def missed_deadlocks(self) -> List[str]:
        """Deadlocks that are not found, though each lock has one owner or suspect. A thread with the
        address of a lock may be about to take it: that is too little for a deadlock."""
        owners = [
            {lock.get("owner")} - {None}
            or {
                one["thread"] for one in lock.get("candidates", []) if one["known_by"] != "address"
            }
            for _, lock in self.locks
        ]
        rules = [finding["rule"] for finding in self.report["findings"]]
        is_clear = self.program.is_deadlock and all(len(one) == 1 for one in owners)
        return [self.name] if is_clear and "deadlock" not in rules else []

    def false_status(self) -> List[str]:
        """The exit status, if it is another one."""
        wanted = 1 if self.program.does == "hangs" else 0
        found = "{}: {}, not {}: {}".format(self.name, self.status, wanted, self.report["verdict"])
        return [found] if self.status != wanted else []

    @property
    def answers(self) -> List[Any]:
        """What is said of each wait, and found; threads by their ids in the system."""
        ids = {number: lwp for lwp, number in self.numbers.items()}
        found: List[Any] = []
        for _, lock in self.locks:
            about = [lock.get(key) for key in ("kind", "address", "symbol", "variable", "held")]
            suspects = sorted((ids[one["thread"]], one["known_by"]) for one in lock["candidates"])
            waiters = sorted(ids[one] for one in lock["waiters"])
            found.append((*about, lock["reason"], ids.get(lock["owner"]), suspects, waiters))
        findings = [
            (one["rule"], one["severity"], one["certain"], sorted(ids[i] for i in one["waiters"]))
            for one in self.report["findings"]
        ]
        return found + sorted(findings)


RULES = ("deadlock", "lock", "ordered", "barrier", "spin", "asleep")


# ---- Making --------------------------------------------------------------------------------------


def _compile(source: str, compiler: str, option: str, folder: Path) -> Path:
    """One program; linked as the source's language wants it."""
    target = folder / "{}{}-{}".format(compiler, option, source.replace(".", "-"))
    support = folder / (target.name + ".o")
    c_compiler = "clang" if "clang" in compiler else "gcc"
    flags = ["-fopenmp", "-g", option, "-I" + str(PROGRAMS)]
    # Its handler of signals would stand on the stack of a thread that waits.
    no_handler = ["-fno-backtrace"] if compiler == "gfortran" else []
    release = ["-std=gnu++17"] if source.endswith(".cpp") else []
    path = PROGRAMS / source
    if not path.exists():
        path = folder / source
    subprocess.run(
        [c_compiler, *flags, "-c", str(PROGRAMS / "truth.c"), "-o", str(support)],
        check=True,
        timeout=SECONDS,
    )
    subprocess.run(
        [compiler, *flags, *no_handler, *release, str(path), str(support), "-o", str(target)],
        check=True,
        timeout=SECONDS,
        cwd=folder if source.endswith(".f90") else None,
    )
    return target


def _idioms(source: str, program: Path) -> List[str]:
    if source.startswith("tables."):
        return tables.names(source.partition(".")[2])
    done = subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, timeout=SECONDS
    )
    return done.stdout.splitlines()


def compiled(folder: Path, workers: int) -> List[Program]:
    """Every program that hangs, by every compiler that there is."""
    wanted = [
        (source, compiler, option)
        for source, compilers in COMPILERS.items()
        for compiler in compilers
        for option in OPTIONS
    ]
    for language in ("c", "cpp"):
        (folder / ("tables." + language)).write_text(tables.source(language), encoding="ascii")
    with ThreadPoolExecutor(workers) as pool:
        files = list(pool.map(lambda one: _compile(one[0], one[1], one[2], folder), wanted))
    return [
        Program(compiler, option, file, idiom.strip())
        for (source, compiler, option), file in zip(wanted, files)
        for idiom in _idioms(source, file)
    ]


def healthy(programs: List[Program]) -> List[Program]:
    """Those in which a thread holds a lock, and goes on instead."""
    return [
        one._replace(does=does, environment={"LOCKS_OWNER": does})
        for one in programs
        if not one.is_deadlock
        for does in ("works", "naps")
    ]


def recorded(programs: List[Program], preloaded: str) -> List[Program]:
    """Those with optimization in which threads wait in the runtime, which the recorder sees."""
    foreign = tuple(
        kind.name + "_" for kind in tables.KINDS if "pthread" in kind.said or "_test_" in kind.take
    )
    foreign += ("reader", "writer", "shared_mutex", "tried", "semaphore", "condition")
    return [
        one._replace(environment={"LD_PRELOAD": preloaded})
        for one in programs
        if one.option == OPTIONS[-1] and not one.idiom.startswith(foreign)
    ]


# ---- Looking -------------------------------------------------------------------------------------


def _truth(process: "subprocess.Popen[str]") -> Truth:
    assert process.stdout is not None
    count, bystander = (int(one) for one in process.stdout.readline().split())
    waits = []
    for _ in range(count):
        kind, address, symbol, waiter, owner = process.stdout.readline().rstrip("\n").split("\t")
        waits.append(
            Wait(
                kind,
                address if int(address, 16) else None,
                symbol if symbol != "-" else None,
                int(waiter),
                int(owner),
            )
        )
    return Truth(waits, bystander)


def _await_rest(thread: Path) -> None:
    """Wait until a thread sleeps on a futex, or has spent the time for more than the way there."""

    def ticks() -> int:
        fields = (thread / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    begin, asleep = ticks(), 0
    while asleep < ASLEEP_POLLS and ticks() < begin + AWAKE_TICKS:
        place = (thread / "syscall").read_text(encoding="ascii")
        asleep = asleep + 1 if place.startswith("202 ") else 0
        time.sleep(POLL_SECONDS)


def _ask(target: Union[int, Path]) -> Tuple[Dict[str, Any], int]:
    done = subprocess.run(
        [str(OMPDBG), "report", "--json", str(target)],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env=processes.environment(),
    )
    assert not done.stderr, (done.returncode, done.stderr)
    found: Dict[str, Any] = json.loads(done.stdout)
    return found, done.returncode


def _arguments(idiom: str) -> List[str]:
    name, _, shape = idiom.partition(" ")
    return [name] + ([str(tables.DEADLOCKS[shape])] if shape in tables.DEADLOCKS else [])


def _core(process: "subprocess.Popen[str]", folder: Path) -> Path:
    """End a process by a signal from outside; the core file that the kernel wrote."""
    process.send_signal(signal.SIGABRT)
    process.wait(SECONDS)
    (core,) = folder.glob("*core*")
    return core


def look(program: Program, with_core: bool = False) -> List[Case]:
    """Start a program, wait for its state, and ask about it, and about a core file of it."""
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch, subprocess.Popen(
        [str(program.file), *_arguments(program.idiom)],
        cwd=scratch,
        env={**processes.environment(), **program.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=processes.allow_core if with_core else None,
    ) as process:
        try:
            truth = _truth(process)
            for wait in truth.waits:
                _await_rest(Path("/proc/{}/task/{}".format(process.pid, wait.waiter)))
            found = [Case(program, truth, *_ask(process.pid), False)]
            if with_core:
                found.append(Case(program, truth, *_ask(_core(process, Path(scratch))), True))
            return found
        finally:
            process.kill()


# ---- Counting ------------------------------------------------------------------------------------


def _row(title: str, cases: List[Case]) -> str:
    waits = sum(len(case.truth.waits) for case in cases)
    owners = sum(len(case.locks) for case in cases)
    false = sum(
        len(case.false_waits()) + len(case.false_owners()) + len(case.false_findings())
        for case in cases
    )
    return "| {} | {} | {} of {} | {} of {} | {} | {} |".format(
        title,
        len(cases),
        waits - sum(len(case.unnamed_waits()) for case in cases),
        waits,
        owners - sum(len(case.unnamed_owners()) for case in cases),
        owners,
        sum(len(case.false_status()) for case in cases),
        false,
    )


def table(cases: List[Case]) -> List[str]:
    """The counts, as docs/cases.md has them."""
    rows = [
        "| programs | stops | waits named | owners named | wrong exit status | false statements |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    groups: Dict[str, List[Case]] = {}
    for case in cases:
        title = "{} {}, {}".format(
            case.program.compiler,
            case.program.option,
            "hang" if case.program.does == "hangs" else "work",
        )
        if case.is_core:
            title = "all of these that hang, core files"
        groups.setdefault(title, []).append(case)
    rows += [
        _row(title, groups[title])
        for title in sorted(groups, key=lambda one: (" -O" not in one, one))
    ]
    return rows


def sample(programs: List[Program], count: int) -> List[Program]:
    """So many, always the same ones."""
    return random.Random(1).sample(programs, min(count, len(programs)))


HANGS, HEALTHY = 200, 100  # in a sample of this command


def _chosen(programs: List[Program]) -> List[Program]:
    """Those for which the command line asks."""
    if len(sys.argv) > 1:
        return [one for one in programs + healthy(programs) if sys.argv[1] in one.name]
    return sample(programs, HANGS) + sample(healthy(programs), HEALTHY)


def main() -> int:
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        wanted = _chosen(compiled(Path(scratch), workers))
        with ThreadPoolExecutor(workers) as pool:
            found = pool.map(lambda one: look(one, one.does == "hangs"), wanted)
            cases = [case for some in found for case in some]
    failed = False
    for what in ("false_waits", "false_owners", "false_findings", "false_status"):
        said = [line for case in cases for line in getattr(case, what)()]
        failed = failed or bool(said)
        print("\n{}: {}".format(what.replace("_", " "), len(said)), *said, sep="\n")
    for what in ("missed_deadlocks", "unnamed_waits", "unnamed_owners", "named_bystanders"):
        said = [line for case in cases for line in getattr(case, what)()]
        print("\n{}: {}".format(what.replace("_", " "), len(said)), *said, sep="\n")
    print("", *table(cases), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
