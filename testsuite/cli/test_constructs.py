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


@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_tasks_around_lambda_expressions(
    ompdbg: Any, family: str, level: str, tmp_path: Path
) -> None:
    """Code of the expression has lines of the construct's reduction, which is around it."""
    source = SOURCE.with_name("in_lambda.cpp")
    try:
        program = own_programs.compiled(
            str(source), tmp_path / "program", (level, "-g", "-fopenmp"), family
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    marks = {"outer": "main", "inner": r"\S*operator\(\)(?:\(\) const)?"}
    if level != "-O0":
        marks["inner"] += "|main"  # it may be inlined, and is in main, too
    lines = source.read_text(encoding="utf-8").splitlines()
    with rest.hanging([str(program)], 2, tmp_path) as process:
        text = ompdbg.run("tasks", process.pid).stdout
    for mark, name in marks.items():
        (line,) = [at for at, said in enumerate(lines, 1) if said.endswith(f"// LINE: {mark}")]
        found = re.findall(rf"task of (\S+(?: const)?) at in_lambda\.cpp:{line}\b", text)
        assert found and all(re.fullmatch(name, one) for one in found), text
    assert "task_red" not in text, text
