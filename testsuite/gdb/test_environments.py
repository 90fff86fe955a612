# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands where GDB runs programs in other ways: over gdbserver, in non-stop mode, several of
them, those that fork, and those whose past is replayed."""

import re
import shutil
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

FAMILIES = ("gcc", "clang")
FLAGS = ("-O0", "-g", "-fopenmp")
SECTION = "echo \\n@@\\n"


def own(name: str, family: str, folder: Path) -> str:
    try:
        return str(own_programs.compiled(name, folder / family, FLAGS, family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def fixture(name: str, variant: str) -> str:
    try:
        return str(setup.program(name, variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def say(commands: List[str], *arguments: str) -> "tuple[List[str], str]":
    """What each command printed, and whatever was printed."""
    marked: List[str] = []
    for command in commands:
        marked += [SECTION, command]
    done = processes.run_gdb("session.py", {"commands": marked}, arguments)
    said: List[Dict[str, Any]] = done.result[1::2]
    return [one.get("text", "error: " + one.get("error", "")) for one in said], done.output


def line(mark: str) -> int:
    text = own_programs.source("constructs.c").read_text(encoding="utf-8").splitlines()
    return next(number for number, one in enumerate(text, 1) if one.endswith("AT: " + mark))


BEFORE = "constructs.c:{}".format(line("plain-before"))
FIRST = "parallel region of plain at constructs.c:{}, line {}".format(
    line("plain-before") + 1, line("plain-first")
)


def test_over_gdbserver(tmp_path: Path) -> None:
    """As in the process itself: states and waits come from memory and registers alone."""
    if shutil.which("gdbserver") is None:
        pytest.skip("no gdbserver")
    first = fixture("hung", "O2")
    programs = [own("constructs.c", family, tmp_path) for family in FAMILIES]
    # Without GDB the server would go on for ever.
    target = ["set sysroot /", "target extended-remote | timeout 120 gdbserver --multi -"]
    on_server = "set remote exec-file "
    at_ready = ["break fixture_ready", "run", "omp threads", "omp why", "omp icvs", "kill"]
    step = ["tbreak " + BEFORE, "run", "next", "omp step", "omp status", "omp finish", "kill"]
    commands = [*target, on_server + first, *at_ready]
    for program in programs:
        commands += ["file " + program, on_server + program, *step]
    said, _ = say(commands, first)
    assert "9 threads: 5 barrier, 3 lock, 1 no OpenMP thread" in said[5]
    assert "2 threads wait for one another" in said[6]
    # The thread that is at the breakpoint is of the C library.
    assert "stacksize-var" in said[7] and "thread-num-var" not in said[7]
    last = said[7].splitlines()[-1]
    assert re.fullmatch(r"Only those of the process: thread \d+ is no OpenMP thread\.", last)
    for runtime, told in (("libgomp", said[9:18]), ("libomp", said[18:27])):
        assert FIRST in told[5]
        assert runtime in told[6]
        assert "outside of parallel regions" in told[7]


@pytest.mark.parametrize("family", FAMILIES)
def test_non_stop(family: str, tmp_path: Path) -> None:
    """The thread that is stepped stops, and the others run on."""
    program = own("constructs.c", family, tmp_path)
    said, _ = say(
        [
            "set non-stop on",
            "tbreak " + BEFORE,
            "run",
            "next",
            "omp step",
            "omp threads",
            "omp finish",
            "omp break parallel-begin in loop",
            "continue",
            "omp threads",
            "omp why",
            "omp bt -all",
            "omp regions",
            "thread 2",
            "omp icvs",
            "omp icvs -thread",
        ],
        program,
    )
    assert FIRST in said[4]
    assert "4 threads: 3 running, 1 works" in said[5]
    assert "outside of parallel regions" in said[6]
    assert "OpenMP breakpoint 1, parallel-begin: parallel region of loop" in said[8]
    assert "running" in said[9] and "parallel region of loop" in said[11]
    # What runs is not said to be anywhere, nor to be anything.
    assert "Region 1: 4 threads" in said[12] and "outside of regions" not in said[12]
    assert re.search(r"^[123] running threads? (was|were) not examined\.$", said[12], re.M)
    assert said[14].endswith("Only those of the process: thread 2 is running.\n")
    assert said.pop() == "error: omp icvs: thread 2 is running."
    assert not [one for one in said if one.startswith("error")]


def test_two_programs_at_once(tmp_path: Path) -> None:
    """One on libgomp and one on LLVM's runtime; commands are about the selected one."""
    first, second = (own("constructs.c", family, tmp_path) for family in FAMILIES)
    said, output = say(
        [
            "omp break parallel-begin in loop",
            "run",
            "omp status",
            "add-inferior -exec " + second,
            "inferior 2",
            "run",
            "omp status",
            "omp break task-begin in task",
            "continue",
            "omp threads",
            "continue",
            "omp frame 1.1:0",
            "omp threads",
            "omp step",
            "continue",
            "continue",
        ],
        first,
    )
    at_loop = "OpenMP breakpoint 1, parallel-begin: parallel region of loop"
    assert at_loop in said[1] and at_loop in said[5]
    assert "libgomp" in said[2] and "libomp" in said[6]
    assert "OpenMP breakpoint 2, task-begin: task of task" in said[8]
    assert re.search(r"^ *\* 2\.\d+ .* task at constructs", said[9], re.M)
    assert said[11].startswith("-- thread 1.1 (0/4), ")  # of the other program
    assert re.search(r"^ *\* 1\.1 +0/4 .* loop at constructs", said[12], re.M)
    assert "OpenMP breakpoint 2, task-begin: task of task" in said[14]
    assert output.count("sum 1079\n") == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_programs_that_fork(family: str, tmp_path: Path) -> None:
    program = own("forks.c", family, tmp_path)
    begin = (
        "OpenMP breakpoint 1, parallel-begin: parallel region of work at forks.c:12, {} threads"
    )
    to_end = ["omp break parallel-begin", "run", "omp threads", "omp finish", "omp delete"]
    for follow, size in (("child", 3), ("parent", 4)):
        said, output = say(["set follow-fork-mode " + follow, *to_end, "continue"], program)
        assert begin.format(size) in said[2]
        assert "{0} threads: ".format(size) in said[3]
        assert "outside of parallel regions" in said[4]
        assert "child 3\n" in output and "parent 6 3\n" in output
    said, output = say(["set detach-on-fork off", "set schedule-multiple on", *to_end], program)
    assert begin.format(3) in said[3] and "3 threads: " in said[4]
    assert "outside of parallel regions" in said[5]


def test_replay(tmp_path: Path) -> None:
    """GDB records programs with one thread: with several it hangs, with ompdbg or without."""
    program = own("constructs.c", "gcc", tmp_path)
    said, _ = say(
        [
            "set args 1",
            "tbreak plain",
            "run",
            "record",
            "next",
            "next",
            "reverse-next",
            "omp threads",
            "omp bt",
            "omp step",
            "omp why",
            "reverse-continue",
            "omp threads",
            "record goto end",
            "omp threads",
            "record goto begin",
            "record stop",
            "omp threads",
        ],
        program,
    )
    assert "plain at constructs.c:{}".format(line("plain-before") + 1) in said[7]
    assert "plain (n=3) at constructs.c:{}".format(line("plain-before") + 1) in said[8]
    # Of "record goto" GDB tells nobody.
    at_end = re.search(r"constructs\.c:\d+$", said[13], re.M)
    assert at_end is not None and at_end[0] in said[14] and at_end[0] not in said[12]
    for told in (said[12], said[17]):
        assert "plain at constructs.c:{}".format(line("plain-before")) in told
        assert "1 thread: 1 works" in told
