# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions and tasks whose condition is false. Code by Clang runs them itself: the runtime, which it
only tells of them, is nowhere on the stack."""

import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes

_SOURCE = own_programs.source("conditions.c")
LINES = {
    text.partition("LINE: ")[2]: number
    for number, text in enumerate(_SOURCE.read_text(encoding="utf-8").splitlines(), 1)
    if "LINE: " in text
}
RUNS = [("gcc", "-O0"), ("clang", "-O0"), ("clang", "-O2")]
_AT = "@python gdb.newest_frame().find_sal().line"
_LEVEL = "@python int(gdb.parse_and_eval('$_omp_level()'))"


@pytest.fixture(scope="module", params=RUNS, ids="".join)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Tuple[Path, str]:
    compiler, optimized = request.param
    target = tmp_path_factory.mktemp("conditions") / "conditions"
    try:
        flags = (optimized, "-g", "-fopenmp")
        return own_programs.compiled("conditions.c", target, flags, compiler), optimized
    except build.Skipped as reason:
        pytest.skip(str(reason))


def said(program: Path, commands: List[str]) -> List[Dict[str, Any]]:
    answers: List[Dict[str, Any]] = processes.run_gdb(
        "session.py", {"commands": commands}, [str(program)]
    ).result
    return answers


def test_steps_into_both_regions(built: Tuple[Path, str]) -> None:
    """And out of them: straight to the first line of the code, whoever runs it."""
    commands = ["tbreak conditions.c:{}".format(LINES["before"]), "run", "skip function add"]
    answers = said(built[0], commands + ["omp step", _AT, _LEVEL] * 12)[3:]
    places = [(one["value"], level["value"]) for one, level in zip(answers[1::3], answers[2::3])]
    for mark, level in (("outer-first", 1), ("inner-first", 2), ("inner-after", 1), ("after", 0)):
        assert (LINES[mark], level) in places, places
    first = [line for line, _ in places if line > LINES["before"] + 1][0]
    assert first == LINES["outer-first"], places


def test_region_on_the_stack(built: Tuple[Path, str]) -> None:
    commands = ["tbreak conditions.c:{}".format(LINES["inner-first"]), "run", "omp bt"]
    commands += ["omp regions", "omp finish", _LEVEL, "omp finish", _LEVEL]
    answers = said(built[0], commands)[2:]
    names = re.findall(r"^#\d+ +(.*?) at ", answers[0]["text"], re.M)
    assert names[:2] == ["parallel region of regions"] * 2, answers[0]
    assert names[2].startswith("regions ("), names
    opened = re.findall(r"Region \S+: (\d thread).*opened in regions at", answers[1]["text"])
    assert opened == ["1 thread", "2 thread"], answers[1]
    assert [answers[3]["value"], answers[5]["value"]] == [1, 0], answers


def test_a_task_has_its_variables(built: Tuple[Path, str]) -> None:
    """Where a step arrives, they have their values."""
    if built[1] != "-O0":
        pytest.skip("optimized code has its own")
    commands = ["tbreak conditions.c:{}".format(LINES["task-first"]), "run", "omp finish", _AT]
    commands += ["tbreak tasks", "run", "skip function add"]
    answers = said(built[0], commands + ["omp step", _AT, "print a"] * 4)
    assert answers[3]["value"] in (LINES["task"], LINES["task-after"]), answers
    lines = [one["value"] for one in answers[8::3]]
    arrived = lines.index(LINES["task-first"])
    assert "= 10" in answers[9 + 3 * arrived]["text"], answers


def test_every_region_begins_and_ends_once(built: Tuple[Path, str]) -> None:
    commands = ["omp break parallel-begin in regions", "omp break parallel-end in regions"]
    commands.append("omp break parallel-end in down")
    answers = said(built[0], [*commands, "run", *["continue"] * 14])
    text = "\n".join(one.get("text", "") for one in answers)
    told = re.findall(r"^OpenMP breakpoint \d, (parallel-\w+): .*c:\d+, (\d thread)", text, re.M)
    # Each has its own size, whatever another has that the same thread encountered in it.
    assert [one[1] for one in told[-2:]] == ["1 thread", "2 thread"], told
    told = told[:-2]
    counts = {one: told.count(one) for one in told}
    # With one thread: the outer one of the first call, and both inner ones of the second.
    assert counts == {
        ("parallel-begin", "1 thread"): 3,
        ("parallel-end", "1 thread"): 3,
        ("parallel-begin", "2 thread"): 2,
        ("parallel-end", "2 thread"): 2,
    }, told
