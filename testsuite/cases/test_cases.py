# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with a mistake each, in which users look for the cause: the answers of the command line
and of GDB say it."""

import re
from pathlib import Path
from typing import List, Sequence, Tuple

import build  # from fixtures/
import pytest
from cases import CASES, CHILD, FORKS, RECORDED, VARIANTS, Case
from conftest import OMPDBG, compiled, said, said_in_gdb

from harness import processes, rest, setup

PAIRS: List[Tuple[Case, str]] = [(case, variant) for case in CASES for variant in case.variants]


def check(case: Case, variant: str, command: str, text: str) -> None:
    """Check what a command printed."""
    flat = " ".join(text.split())
    for question in case.questions:
        if question.command == command and variant in question.variants:
            for wanted in question.wanted:
                assert re.search(wanted, flat), (command, wanted, text)


def commands(case: Case, variant: str, child: bool = False) -> List[str]:
    """Return what is asked about the program, or about its child."""
    asked = [one.command for one in case.questions if variant in one.variants]
    return [one for one in dict.fromkeys(asked) if one.endswith(CHILD) == child]


def ask(case: Case, variant: str, target: object) -> None:
    """Ask the command line all that is to be asked about a process or a core file."""
    for command in commands(case, variant):
        check(case, variant, command, said(command, target))


def ask_in_gdb(case: Case, variant: str, program: Path, start: Sequence[str]) -> None:
    """Ask GDB."""
    asked = commands(case, variant)
    for command, text in zip(asked, said_in_gdb(program, start, asked)):
        check(case, variant, command, text)


def in_gdb(case: Case) -> Tuple[str, str]:
    """Return the variant to which GDB attaches, or which it runs until the crash, and that of whose core
    file it is asked: each compiler and each option once."""
    if len(case.variants) == 2:
        return case.variants[1], case.variants[0]
    return (("g2", "c0"), ("c2", "g0"))[CASES.index(case) % 2]


def need_core_files() -> None:
    """Skip what is left of a test where the kernel writes no core files."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)


def check_crash(case: Case, variant: str, program: Path) -> None:
    """Let a program crash in GDB, and by itself."""
    running, dead = in_gdb(case)
    if setup.FULL or variant == running:
        ask_in_gdb(case, variant, program, ["run > /dev/null"])
    need_core_files()
    core = processes.kernel_core(program, (), program.parent, case.state)
    ask(case, variant, core)
    if setup.FULL or variant == dead:
        ask_in_gdb(case, variant, program, [f"core-file {core}"])


def check_hang(case: Case, variant: str, program: Path) -> None:
    """Let a program hang, attach to it, and have the kernel write its core file."""
    attached, dead = in_gdb(case)
    recorder = [str(OMPDBG), "record", "--"] if case.state == RECORDED else []
    with rest.hanging([*recorder, str(program)], case.threads, program.parent) as process:
        ask(case, variant, process.pid)
        if case.state == FORKS:
            child = rest.await_child(process.pid, 1)
            for command in commands(case, variant, child=True):
                check(case, variant, command, said(command[: -len(CHILD)], child))
        if setup.FULL or variant == attached:
            ask_in_gdb(case, variant, program, [f"attach {process.pid}"])
        if setup.FULL or variant == dead:
            need_core_files()
            core = process.core()
            ask(case, variant, core)
            ask_in_gdb(case, variant, program, [f"core-file {core}"])


@pytest.mark.parametrize(
    ("case", "variant"), PAIRS, ids=[f"{case.source}-{variant}" for case, variant in PAIRS]
)
def test_cause(case: Case, variant: str, tmp_path: Path) -> None:
    """Each program in each variant."""
    if setup.missing():
        pytest.skip(setup.missing())
    try:
        program = compiled(case.source, *VARIANTS[variant], tmp_path)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    (check_crash if case.state > 0 else check_hang)(case, variant, program)
