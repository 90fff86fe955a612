# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that hold locks in fifty ways: each hangs, and tells who holds which lock and who waits
for it; then the command line looks at it. All are looked at once, two at a time."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
sys.path[:0] = [str(HERE), str(ROOT / "testsuite" / "gdb")]

import stops  # noqa: E402
from harness import processes  # noqa: E402

OMPDBG = ROOT / "build" / "ompdbg"
SECONDS = 300
WORKERS = 2

# The compilers of each source file.
COMPILERS = {
    "idioms.c": ("gcc", "clang"),
    "idioms.cpp": ("g++", "clang++"),
    "idioms.f90": ("gfortran",),
}
OPTIONS = ("-O0", "-O2")


class Truth(NamedTuple):
    """What a program tells of itself: threads by their ids in the system."""

    kind: str
    address: Optional[str]
    symbol: Optional[str]
    bystander: int  # 0: none
    owner: int
    waiters: List[int]


class Case(NamedTuple):
    """One hung program, and what was said of it."""

    name: str
    truth: Truth
    report: Dict[str, Any]
    numbers: Dict[int, int]  # of threads, by their ids in the system

    @property
    def owner(self) -> int:
        """The number of the owner."""
        return self.numbers[self.truth.owner]

    @property
    def bystander(self) -> Optional[int]:
        """The number of the thread that neither owns the lock nor waits for it."""
        return self.numbers.get(self.truth.bystander)

    @property
    def waiters(self) -> List[int]:
        """The numbers of the waiters."""
        return sorted(self.numbers[one] for one in self.truth.waiters)

    @property
    def named(self) -> List[int]:
        """The threads that are named as the owner, surely or perhaps."""
        found = []
        for lock in self.report["locks"]:
            found += [one["thread"] for one in lock["candidates"]]
            found += [lock["owner"]] if lock["owner"] is not None else []
        return found


def _compile(source: str, compiler: str, option: str, folder: Path) -> Tuple[str, Path]:
    """One program; linked as the source's language wants it."""
    name = "{}{}".format(compiler, option)
    target = folder / name
    support = folder / (name + ".o")
    c_compiler = "clang" if "clang" in compiler else "gcc"
    flags = ["-fopenmp", "-g", option]
    subprocess.run(
        [c_compiler, *flags, "-c", str(PROGRAMS / "truth.c"), "-o", str(support)],
        check=True,
        timeout=SECONDS,
    )
    subprocess.run(
        [compiler, *flags, str(PROGRAMS / source), str(support), "-o", str(target)],
        check=True,
        timeout=SECONDS,
        cwd=folder if source.endswith(".f90") else None,
    )
    return name, target


def _ask(pid: int) -> Dict[str, Any]:
    done = subprocess.run(
        [str(OMPDBG), "report", "--json", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env=processes.environment(),
    )
    assert not done.stderr, (done.returncode, done.stderr)
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


def _truth(line: str) -> Truth:
    kind, address, symbol, *threads = line.split("\t")
    bystander, owner, *waiters = (int(one) for one in threads)
    return Truth(
        kind,
        address if int(address, 16) else None,
        symbol if symbol != "-" else None,
        bystander,
        owner,
        waiters,
    )


def _look(name: str, program: Path, idiom: str, is_recorded: bool) -> Case:
    """Start a program, wait until it hangs, and ask about it."""
    environment = dict(processes.environment())
    if is_recorded:
        environment["LD_PRELOAD"] = stops.preloaded()
    with subprocess.Popen(
        [str(program), idiom],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            truth = _truth(process.stdout.readline().rstrip("\n"))
            report = _ask(process.pid)
        finally:
            process.kill()
    numbers = {thread["lwp"]: thread["gdb"] for thread in report["threads"]}
    return Case("{} {}".format(name, idiom), truth, report, numbers)


def _idioms(program: Path) -> List[str]:
    done = subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, timeout=SECONDS
    )
    return done.stdout.split()


def _all_cases(folder: Path, options: Sequence[str], is_recorded: bool) -> List[Case]:
    if not OMPDBG.exists():
        pytest.skip("there is no {}: run ./dev build".format(OMPDBG))
    wanted = [
        (source, compiler, option)
        for source, compilers in COMPILERS.items()
        for compiler in compilers
        for option in options
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        programs = list(pool.map(lambda one: _compile(one[0], one[1], one[2], folder), wanted))
        runs = [(name, program, idiom) for name, program in programs for idiom in _idioms(program)]
        return list(pool.map(lambda one: _look(one[0], one[1], one[2], is_recorded), runs))


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> List[Case]:
    """Every idiom with every compiler that there is."""
    return _all_cases(tmp_path_factory.mktemp("locks"), OPTIONS, False)


@pytest.fixture(scope="session")
def recorded_cases(tmp_path_factory: pytest.TempPathFactory) -> List[Case]:
    """The same of programs that record, with optimization."""
    return _all_cases(tmp_path_factory.mktemp("recorded"), OPTIONS[-1:], True)
