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
