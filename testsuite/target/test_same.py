# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without a debugger and in GDB every document is the same at the same stop."""

from pathlib import Path
from typing import Iterator, List, Tuple

import comparing
import pytest
from harness import processes, setup

import build  # from fixtures/
import states

FAMILIES = ("O2", "clang")


def cases() -> Iterator[Tuple[str, Tuple[str, ...], str]]:
    """A state of each program, in both families of runtimes; with OMPDBG_TEST_FULL, all."""
    for variant in FAMILIES:
        for program in build.programs():
            if program in build.WITHOUT_OPENMP:
                continue
            found = states.states(program, build.VARIANTS[variant].traits)
            for state in found if setup.FULL else found[:1]:
                yield program, state.arguments, variant


@pytest.mark.parametrize("program, arguments, variant", cases())
def test_documents_are_the_same(
    program: str, arguments: Tuple[str, ...], variant: str, tmp_path: Path
) -> None:
    try:
        path = setup.program(program, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    core = str(tmp_path / "core")
    with processes.ready_program(path, arguments) as pid:
        comparing.await_pause(pid)
        ours = comparing.without_debugger(str(pid))
        gdbs = comparing.in_gdb([str(path), "-p", str(pid)], gcore=core, kill=True)
    found: List[str] = []
    for where in ("live", "core"):
        if where == "core":
            ours = comparing.without_debugger(core)
            gdbs = comparing.in_gdb([str(path), core])
        for name in comparing.COMMANDS:
            assert "schema" in gdbs[name]
            found += comparing.differences(ours[name], gdbs[name], f"{where} {name}")
    assert not found
