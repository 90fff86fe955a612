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
