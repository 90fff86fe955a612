# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of constructs has the name of its construct, and of the function of the source around it."""

import re
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, rest

SOURCE = Path(__file__).resolve().parent / "programs" / "jumped.c"
NAMES = {
    "league": r"parallel region of in_league",
    "task": r"parallel region of region",
    "taskloop": r"task(?:loop task)? of in_taskloop",
}
THREADS = {"league": 2, "task": 3, "taskloop": 2}


@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_names_of_constructs(ompdbg: Any, family: str, way: str, tmp_path: Path) -> None:
    """A region that was opened by a jump is no teams region or task; Clang's functions of a reduction
    are not around a task."""
    flags = ("-O2", "-g", "-fopenmp")
    try:
        program = own_programs.compiled(str(SOURCE), tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    lines = SOURCE.read_text().splitlines()
    (line,) = [at for at, text in enumerate(lines, 1) if text.endswith(f"// LINE: {way}")]
    with rest.hanging([str(program), way], THREADS[way], tmp_path) as process:
        text = ompdbg.run("bt", "--no-tree", process.pid).stdout
    assert re.search(rf"^#\d+ +{NAMES[way]} at jumped\.c:{line}, line \d+$", text, re.M), text
    wrong = rf"(teams region|task) of \w+ at jumped\.c:{line}\b"
    assert way == "taskloop" or not re.search(wrong, text), text
