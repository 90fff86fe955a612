# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are recorded, hang, and tell what they did; the command line looks at them, and at
their core files."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
sys.path[:0] = [str(HERE), str(ROOT / "testsuite" / "gdb"), str(ROOT / "python")]

from harness import processes, setup  # noqa: E402

BUILD = ROOT / "build"
OMPDBG = BUILD / "ompdbg"
PRELOADED = (BUILD / "ompt/gomp/libompt-gomp.so", BUILD / "ompt/recorder/libompdbg-recorder.so")
SECONDS = 300
WAITERS = 4  # of takings.c: at locks, and at the barrier
_PAUSE = 0.05
SLACK = 1_000_000  # ns, between the recorder's clock and the system's


class Told(NamedTuple):
    """What a program tells of one thing that a thread did."""

    lwp: int
    before: int  # ns of the calendar
    after: int
    address: int


class Recorded(NamedTuple):
    """A hung program, and its core file."""

    pid: int
    program: Path
    core: Path
    told: Dict[str, List[Told]]
    source: Path

    def line(self, comment: str) -> int:
        """The line with a comment."""
        lines = self.source.read_text(encoding="utf-8").splitlines()
        found = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {comment}")]
        assert len(found) == 1
        return found[0]


def run(*words: object) -> "subprocess.CompletedProcess[str]":
    """The command line with these arguments."""
    return subprocess.run(
        [str(OMPDBG), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=processes.environment(),
    )


def ask(*words: object) -> Dict[str, Any]:
    """What a command prints as JSON."""
    done = run(*words, "--json")
    assert not done.stderr, done.stderr
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


def gdb(*commands: str, arguments: Optional[List[str]] = None) -> str:
    """What GDB prints."""
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [setup.GDB, "-nx", "-q", "-batch", "-iex", "set auto-load off"]
        + ["-ex", f"source {setup.LOADER}", *words, *(arguments or [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
        env=processes.environment(),
    )
    processes.assert_clean(done.stdout)
    return done.stdout


def preload(*libraries: Path) -> Dict[str, str]:
    """The environment that records."""
    missing = [str(one) for one in libraries if not one.exists()]
    assert not missing, f"not built: {missing}"
    return {"LD_PRELOAD": ":".join(map(str, libraries))}


def compiled(compiler: str, name: str, folder: Path, *options: str) -> Path:
    """A program or library of programs/."""
    target = folder / f"{Path(name).stem}-{compiler}"
    if "-shared" in options:
        target = folder / "libompdbg-recorder.so"
    subprocess.run(
        [compiler, "-g", "-fopenmp", *options, str(PROGRAMS / name), "-o", str(target)],
        check=True,
        timeout=SECONDS,
    )
    return target


def _is_settled(pid: int) -> bool:
    """All threads that said that they would wait do."""
    waits = [one["wait"] for one in ask("threads", pid)["threads"]]
    return sum(one is not None for one in waits) == WAITERS


def _told(lines: List[str]) -> Dict[str, List[Told]]:
    found: Dict[str, List[Told]] = {}
    for line in lines:
        what, lwp, before, after, address = line.split("\t")
        found.setdefault(what, []).append(
            Told(int(lwp), int(before), int(after), int(address, 16))
        )
    return found


@pytest.fixture(
    scope="session",
    params=[("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")],
    ids="".join,
)
def recorded(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """takings.c of one compiler, hung."""
    compiler, option = request.param
    folder = tmp_path_factory.mktemp("history")
    program = compiled(compiler, "takings.c", folder, option)
    with subprocess.Popen(
        [str(program)],
        env=processes.environment(preload(*PRELOADED)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                if line == "READY\n":
                    break
                lines.append(line)
            end = time.monotonic() + SECONDS
            while not _is_settled(process.pid) and time.monotonic() < end:
                time.sleep(_PAUSE)
            core = folder / "core"
            gdb(f"generate-core-file {core}", arguments=["-p", str(process.pid)])
            yield Recorded(process.pid, program, core, _told(lines), PROGRAMS / "takings.c")
            core.unlink()
        finally:
            process.kill()


class Look:
    """What is said of a process or core file: everything is asked once."""

    def __init__(self, name: object) -> None:
        self.name = str(name)
        self.report = ask("report", name)
        self.events = ask("history", name, "--all")["events"]
        self.started: int = self.report["status"]["recording"]["started"]
        self.numbers = {one["lwp"]: one["gdb"] for one in self.report["threads"]}

    def is_between(self, moment: Dict[str, Any], told: Told) -> bool:
        """It happened when the program says so."""
        when = self.started + int(moment["time"])
        return told.before - SLACK <= when and (not told.after or when <= told.after + SLACK)


@pytest.fixture(scope="session", params=["process", "core"])
def look(request: Any, recorded: Recorded) -> Look:
    """What is said of the hung program."""
    return Look(recorded.pid if request.param == "process" else recorded.core)


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Starts a program with a recording that is damaged in some way: its process id."""
    folder = tmp_path_factory.mktemp("double")
    options = ("-shared", "-fPIC", f"-I{ROOT / 'include'}")
    library = compiled("gcc", "double.c", folder, *options)
    program = compiled("gcc", "plain.c", folder)

    def start(how: str) -> Any:
        return processes.ready_program(program, (), dict(preload(library), DOUBLE=how))

    return start
