# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without a debugger and in GDB every document is the same at the same stop."""

from pathlib import Path
from typing import Iterator, Tuple

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
            comparing.await_pause(pid)
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
