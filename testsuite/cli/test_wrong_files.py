# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files without a build id that are not those that the program had: none is believed without a
word."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import processes

SOURCE = Path(__file__).resolve().parent / "programs" / "rebuilt.c"
FINE, FOUND, UNREADABLE = 0, 1, 3
HOUR = 3600
OTHER = "is not the file that the program had, and is not used"
NEWER = "is newer than the {}: lines may be wrong (no build id)"


def build(target: Path, *flags: str) -> Path:
    """Builds it without a build id."""
    command = ["gcc", "-g", "-O1", "-fopenmp", "-Wl,--build-id=none", *flags, str(SOURCE)]
    subprocess.run([*command, "-o", str(target)], check=True)
    return target


def age(path: Path, seconds: float) -> None:
    """Sets its time, from now."""
    then = path.stat().st_mtime + seconds
    os.utime(path, (then, then))


class Case:
    """A program and its core file."""

    def __init__(self, folder: Path) -> None:
        self.program = build(folder / "rebuilt")
        age(self.program, -HOUR)
        self.core = processes.kernel_core(self.program, ["abort"], folder)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """A new one, for it is rebuilt."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    return Case(tmp_path)


def check_line(said: str, line: str) -> None:
    """The only thing that is said of the program's file."""
    assert said == f"ompdbg: warning: {line}\n"


def test_unchanged(ompdbg: Any, case: Case) -> None:
    done = ompdbg.run("why", case.core)
    assert (done.returncode, done.stderr) == (FOUND, "")
    assert "work at rebuilt.c:" in done.stdout


def test_stripped_since(ompdbg: Any, case: Case) -> None:
    """The code is the same; and the file with symbols is good for the core file of this one."""
    whole = case.program.with_name("whole")
    case.program.rename(whole)
    subprocess.run(["strip", "-p", str(whole), "-o", str(case.program)], check=True)
    done = ompdbg.run("threads", case.core)
    assert (done.returncode, done.stderr) == (FINE, "")
    done = ompdbg.run("why", case.core, "--exe", whole)
    assert (done.returncode, done.stderr) == (FOUND, "")
    assert "work at rebuilt.c:" in done.stdout


@pytest.mark.parametrize("is_named", [False, True])
def test_another_program(ompdbg: Any, case: Case, tmp_path: Path, is_named: bool) -> None:
    """However old it is."""
    other = build(tmp_path / "other" if is_named else case.program, "-DMORE")
    age(other, -HOUR)
    words = ["--exe", other] if is_named else []
    done = ompdbg.run("threads", case.core, *words)
    check_line(done.stderr, f"{other} {OTHER}")
    assert done.returncode == FINE and "rebuilt.c" not in done.stdout
    # Nothing tells the way on from the frames in which the program called libraries.
    stacks = ompdbg.run("bt", case.core, *words).stdout
    assert "no frame of the program" not in stacks
    for stack in stacks.rstrip().split("\n\n"):
        own = stack.partition("\n-- thread ")[0]
        assert re.findall(r"^#\d+ +(.*)$", own, re.M) == re.findall(r"0x[0-9a-f]+ in rebuilt", own)
        assert own.count("in rebuilt") == 1, stacks


@pytest.mark.parametrize("is_named", [False, True])
def test_the_same_code_in_other_lines(
    ompdbg: Any, case: Case, tmp_path: Path, is_named: bool
) -> None:
    """Only the time tells."""
    other = build(tmp_path / "other" if is_named else case.program, "-DSHIFTED")
    age(other, HOUR)
    words = ["--exe", other] if is_named else []
    done = ompdbg.run("why", case.core, *words)
    check_line(done.stderr, f"{other} {NEWER.format('core file')}")
    assert done.returncode == FOUND and "rebuilt.c:5" in done.stdout


def test_process(ompdbg: Any, tmp_path: Path) -> None:
    program = build(tmp_path / "rebuilt")
    age(program, HOUR)  # of its own files a process is sure
    other, shifted = build(tmp_path / "other", "-DMORE"), build(tmp_path / "shifted", "-DSHIFTED")
    age(shifted, HOUR)
    with processes.ready_program(program, ["wait"]) as pid:
        assert ompdbg.run("threads", pid).stderr == ""
        check_line(ompdbg.run("threads", pid, "--exe", other).stderr, f"{other} {OTHER}")
        done = ompdbg.run("threads", pid, "--exe", shifted)
        check_line(done.stderr, f"{shifted} {NEWER.format('process')}")


def test_no_program(ompdbg: Any, case: Case, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for path in ("/etc/passwd", empty, case.core):
        done = ompdbg.run("why", case.core, "--exe", path)
        assert (done.returncode, done.stdout) == (UNREADABLE, "")
        assert done.stderr == f"ompdbg why: {path}: not a program for x86-64.\n"
    done = ompdbg.run("why", case.core, "--exe", tmp_path / "none")
    assert (done.returncode, done.stdout) == (UNREADABLE, "")
    done = ompdbg.run("threads", case.core, "--exe", "/bin/true")
    assert done.returncode == FINE and "/bin/true " in done.stderr
    assert "rebuilt.c" not in done.stdout
