# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks and dependences are named as the source names them."""

import re
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes

_WAIT = re.compile(r"(?://|!) ((?:nest )?lock \S.*)$", re.M)
_DEPEND = re.compile(r"depend out (\S+?)(?:;|$)", re.M)


@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
@pytest.mark.parametrize("name", ["names.c", "names.cpp", "names.f90"])
def test_names(name: str, optimized: str, tmp_path: Path) -> None:
    try:
        program = own_programs.compiled(
            name, tmp_path / "names", (optimized, "-g", "-fopenmp", "-Wall")
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    text = own_programs.source(name).read_text(encoding="utf-8")
    waits, depends = _WAIT.findall(text), _DEPEND.findall(text)
    assert len(waits) >= 4
    core = tmp_path / "core"
    found = processes.run_gdb("names.py", {"core": str(core)}, [str(program)]).result
    assert _waits(found["threads"]) == waits
    assert _depends(found["tasks"]) == sorted(depends)
    for lines in found["tables"]:
        assert [wait for wait in waits if wait not in lines] == []
    # As GDB sees it in the core file, in whatever language.
    again = processes.run_gdb("names.py", {}, [str(program), str(core)]).result
    assert _waits(again["threads"]) == waits
    assert _depends(again["tasks"]) == sorted(depends)


def _waits(document: Dict[str, Any]) -> List[str]:
    """What the threads wait for, by number in their team."""
    rows = sorted(document["threads"], key=lambda row: row["thread_num"])
    words = {"lock": "lock", "nest_lock": "nest lock"}
    return [
        "{} {}".format(words[row["wait"]["kind"]], row["wait"]["symbol"])
        for row in rows
        if row["wait"] is not None
    ]


def _depends(document: Dict[str, Any]) -> List[str]:
    return sorted(one["symbol"] for task in document["tasks"] for one in task["depends"])


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_regions_without_debug_information(family: str, tmp_path: Path) -> None:
    """Of an older Clang's outlined function the name does not tell in which function it was."""
    try:
        program = own_programs.compiled("tail.c", tmp_path / "tail", ("-O0", "-fopenmp"), family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["omp bt -all", "bt", "thread 2", "bt", "omp threads"]
    spec = {"stop": "fixture_ready", "commands": commands}
    said = processes.run_gdb("session.py", spec, [str(program)]).result
    whole, first, _, second, table = (one["text"] for one in said)
    assert len(re.findall(r"^#\d+ +parallel region of main$", whole, re.M)) == 2
    for text in (first, second):
        assert "in parallel region of main ()" in text
    for text in (whole, first, second, table):
        assert "outlined" not in text and "[]" not in text
