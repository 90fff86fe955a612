# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are not there, as optional ones of Fortran: GDB's own decorators fail on them."""

import re
from pathlib import Path
from typing import List

import build  # from fixtures/
import pytest

from harness import own_programs, processes

SHOWN = re.compile(r"serve \((.*)\) at .*optional\.f90:\d+$", re.M)
NOTHING = "<error reading variable: Cannot access memory at address 0x0>"
TOO_LARGE = "<error reading variable: value requires 80000 bytes, .*>"
COUNT_CALLS = (
    "python gdb.calls = []; "
    "gdb.events.inferior_call.connect(lambda event: gdb.calls.append(str(event)))"
)
CALLS = "@python gdb.calls"
LIST = 'interpreter-exec mi "-stack-list-arguments 1 1 1"'


def test_optional_arguments(tmp_path: Path) -> None:
    try:
        program = own_programs.compiled(
            "optional.f90", tmp_path / "optional", ("-O0", "-g", "-fopenmp")
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    look = ["bt", "bt -no-filters", "bt -full", "set omp frame-filter indented", "bt"]
    look += ["set omp frame-filter on", "interpreter-exec mi -enable-frame-filters", LIST]
    said = processes.run_gdb(
        "session.py", {"commands": [*look, "continue", *look], "stop": "inspect"}, [str(program)]
    ).result
    texts: List[str] = [one["text"] for one in said]
    for count, first in enumerate((0, len(look) + 1), 1):
        shown, plain, full, _, indented, _, _, listed = texts[first : first + len(look)]
        values = f"count={count}, extra={NOTHING}, list="
        for text in (shown, plain, full, indented):
            found = SHOWN.search(text)
            assert found is not None and found[1].startswith(values), text
        assert f"        sum = {count}\n" in full
        assert "        room = <not allocated>\n" in full
        # The frames after that one are there.
        assert len(re.findall(r"^#\d", shown, re.M)) == count + 2
        assert f'{{name="extra",value="{NOTHING}"}}' in listed


def test_arrays(tmp_path: Path) -> None:
    """A lost array is shown without a call in the program, and one too large without an error."""
    # Without entry values, what a register held is lost.
    flags = ("-O2", "-g", "-gdwarf-4", "-gstrict-dwarf", "-fopenmp", "-fno-inline")
    try:
        program = own_programs.compiled("passed.f90", tmp_path / "passed", flags)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    every = "set print frame-arguments all"
    commands = [COUNT_CALLS, "bt", every, "bt", "bt -full", "omp bt", CALLS]
    _, scalars, _, shown, full, omp, calls = (
        one["value"] if "value" in one else one["text"]
        for one in processes.run_gdb(
            "session.py", {"commands": commands, "stop": "inspect"}, [str(program)]
        ).result
    )
    assert re.search(r" passing::drop \(list=\.\.\.\) at \S+$", scalars, re.M), scalars
    assert re.search(r" passing::keep \(.*field=\.\.\.\) at \S+$", scalars, re.M), scalars
    lost = ", ".join(["<optimized out>"] * 4)
    for text in (shown, full):
        assert f" passing::drop (list=({lost})) at " in text
        assert re.search(f" passing::keep \\(.*field={TOO_LARGE}\\) at ", text), text
    assert len(re.findall(f"^        all = {TOO_LARGE}$", full, re.M)) == 1, full
    assert "#3  parallel region of passed at " in omp
    assert calls == []
