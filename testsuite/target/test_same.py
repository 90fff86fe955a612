# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without a debugger and in GDB every document is the same at the same stop."""

import os
import re
import subprocess
from pathlib import Path
from typing import Iterator, List, Sequence, Tuple

import comparing
import pytest
from harness import processes, setup

import build  # from fixtures/
import states

FAMILIES = ("O2", "clang")
MODES = ("live", "core")

Case = Tuple[str, Tuple[str, ...], str, str]


def cases() -> Iterator[Case]:
    """A state of each program, live on a runtime of one family and in a core file on one of the
    other; with OMPDBG_TEST_FULL, all."""
    for family, variant in enumerate(FAMILIES):
        for number, program in enumerate(build.programs()):
            if program in build.WITHOUT_OPENMP:
                continue
            found = states.states(program, build.VARIANTS[variant].traits)
            for state in found if setup.FULL else found[:1]:
                for mode in MODES if setup.FULL else (MODES[(family + number) % 2],):
                    yield program, state.arguments, variant, mode


@pytest.mark.parametrize("program, arguments, variant, mode", cases())
def test_documents_are_the_same(
    program: str, arguments: Tuple[str, ...], variant: str, mode: str, tmp_path: Path
) -> None:
    try:
        path = setup.program(program, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    if mode == "live":
        with processes.ready_program(path, arguments) as pid:
            ours = comparing.without_debugger(str(pid))
            gdbs = comparing.in_gdb([str(path), "-p", str(pid)], kill=True)
    else:
        if processes.kernel_core_problem():
            pytest.skip(processes.kernel_core_problem())
        core = str(processes.kernel_core(path, arguments, tmp_path))
        ours = comparing.without_debugger(core)
        gdbs = comparing.in_gdb([str(path), core])
    assert all("schema" in gdbs[name] for name in comparing.COMMANDS)
    assert not list(comparing.differences(ours, gdbs))


@pytest.mark.parametrize(
    "program, words, command, mode",
    [
        ("cxx", ["bt"], "omp bt -all", "core"),
        ("hung", ["bt", "--full"], "omp bt -all -full", "core"),
        ("hung", ["bt", "--tree"], "omp bt -all -tree", "core"),
        ("cxx", ["bt", "--tree", "--raw"], "omp bt -all -tree -raw", "live"),
        ("cxx", ["bt", "--raw"], "omp bt -all -raw", "live"),
    ],
)
def test_stacks_are_the_same(
    program: str, words: List[str], command: str, mode: str, tmp_path: Path
) -> None:
    """What only the text has: arguments, local variables, frames of the system's libraries."""
    path = setup.program(program, "O0")
    if mode == "live":
        with processes.ready_program(path, ()) as pid:
            ours = comparing.ask(*words, pid)
            gdbs = said_by_gdb([str(path), "-p", str(pid)], command)
    else:
        if processes.kernel_core_problem():
            pytest.skip(processes.kernel_core_problem())
        core = processes.kernel_core(path, (), tmp_path)
        ours = comparing.ask(*words, core)
        gdbs = said_by_gdb([str(path), str(core)], command)
    frame = "state_reached at " if "--tree" in words else "state_reached (others="
    assert ours[0] == 0 and frame in ours[1]
    assert without_numbers(ours[1]) == without_numbers(gdbs)


def said_by_gdb(target: Sequence[str], command: str) -> str:
    """What the command says there."""
    words = [setup.GDB, "-q", "-nx", "-batch", *target, "-ex", "set width 0"]
    words += ["-ex", f"source {setup.LOADER}", "-ex", "echo BEGIN\\n", "-ex", command]
    done = subprocess.run(
        [*words, "-ex", "echo END\\n"],
        env={**os.environ, "DEBUGINFOD_URLS": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        universal_newlines=True,
        check=True,
    )
    return done.stdout.partition("BEGIN\n")[2].partition("END\n")[0]


def without_numbers(text: str) -> List[str]:
    """Of each stack: numbers of frames, and of threads of a process, are each debugger's own."""
    text = re.sub(r"^#\d+ +", "# ", text.rstrip(), flags=re.MULTILINE)
    return sorted(re.sub(r"^-- threads? [\d, -]*\d", "--", text, flags=re.MULTILINE).split("\n\n"))
