# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with foreign names, core files of them, and locales: the tests run GDB and the command
line as a user does, and look at what these print."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, NamedTuple, Sequence

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "testsuite" / "gdb")]

import program_names as names  # noqa: E402
from harness import processes, setup  # noqa: E402

OMPDBG = ROOT / "build" / "ompdbg"
# What the program's environment tells the runtime.
SETTINGS = {b"OMP_AFFINITY_FORMAT": b"%n\n9  \x1b[31m\xff", b"OMP_DISPLAY_AFFINITY": b"\x1b[m\n"}
ARGUMENTS = [b"a\n9  \x1b[31m\xff"]
# One byte of its name is the letter in ISO-8859-1, and part of none in UTF-8.
FOLDER = b"pr\xc3\xbcfung \xfc"
LATIN = "en_US.ISO-8859-1"
LOCALES = ("C", "C.UTF-8", LATIN)


class Target(NamedTuple):
    """A program, a core file of it, and the names that it has."""

    program: bytes
    core: bytes
    names: Dict[str, bytes]


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: bytes
    err: bytes


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A folder whose name is not UTF-8, in one whose name is."""
    folder = os.path.join(os.fsencode(tmp_path_factory.mktemp("text")), FOLDER)
    os.mkdir(folder)
    return folder


@pytest.fixture(scope="session")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the locale that the system may lack; empty if it cannot be made."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef"):
        command = ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(folder / LATIN)]
        subprocess.run(command, capture_output=True, check=False)
    return folder


@pytest.fixture(params=LOCALES)
def locale(request: pytest.FixtureRequest, locales: Path) -> Dict[str, str]:
    """The environment of each locale."""
    name: str = request.param
    if name == LATIN and not (locales / LATIN).exists():
        pytest.skip("the package locales is not installed")
    return processes.environment({"LC_ALL": name, "LOCPATH": str(locales)})


def run(words: Sequence[object], environment: Dict[str, str], folder: bytes = b"/") -> Done:
    """Run a command to its end."""
    command = [one if isinstance(one, bytes) else os.fsencode(str(one)) for one in words]
    found = subprocess.run(
        command, capture_output=True, check=False, env=environment, timeout=120, cwd=folder
    )
    return Done(found.returncode, found.stdout, found.stderr)


def start(program: bytes, arguments: List[bytes]) -> "subprocess.Popen[bytes]":
    """Start the program, and wait until all of its threads are where they stay."""
    environment = {os.fsencode(k): os.fsencode(v) for k, v in processes.environment().items()}
    process = subprocess.Popen(
        [program, *arguments], env={**environment, **SETTINGS}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return process


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a program that was started here."""
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def target_of(plain: Path, scratch: bytes, kind: str, wanted: Mapping[str, bytes]) -> Target:
    """Make a program with these names, and a core file of it."""
    program = os.path.join(scratch, os.fsencode(kind))
    found = names.exchange(plain, Path(os.fsdecode(program)), wanted)
    process = start(program, ARGUMENTS)
    core = program + b".core"
    try:
        command = [setup.GDB, "-nx", "-q", "-batch", "-p", str(process.pid)]
        done = run([*command, "-ex", "generate-core-file core"], processes.environment(), scratch)
        assert done.status == 0, done
        os.rename(os.path.join(scratch, b"core"), core)
    finally:
        end(process)
    return Target(program, core, found)


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as it was built."""
    target = tmp_path_factory.mktemp("plain") / "plain"
    names.compile_to(target)
    return target


@pytest.fixture(scope="session")
def hostile(plain: Path, scratch: bytes) -> Target:
    """A program whose names are to deceive."""
    return target_of(plain, scratch, "hostile \x1b[31m", names.HOSTILE)


@pytest.fixture(scope="session")
def lettered(plain: Path, scratch: bytes) -> Target:
    """A program with letters that ASCII lacks."""
    return target_of(plain, scratch, "prüfung", names.LETTERS)


@pytest.fixture
def running(hostile: Target) -> Iterator["subprocess.Popen[bytes]"]:
    """The hostile program while it runs, under a name with a newline: core files that GDB writes
    have such names as the kernel tells them, with an escape."""
    program = hostile.program + b"\n9  forged"
    if not os.path.exists(program):
        os.link(hostile.program, program)
    process = start(program, ARGUMENTS)
    try:
        yield process
    finally:
        end(process)
