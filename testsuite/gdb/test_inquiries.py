# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp thread-info, task-info and parallel-info: on LLVM's runtime with a tool (OMPT) and without
one, and on libgomp, live and in a core file."""

import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest

from harness import own_programs, processes, setup

import build  # from fixtures/

LEVELS = 4  # three nested regions, and the one around all


def check(said: Dict[str, Any], with_tool: bool) -> None:
    """Eight threads in three nested teams of two."""
    numbers = {t["gdb"]: t["thread_num"] for t in said["threads"]["threads"] if t["openmp"]}
    tasks = said["task_info"]["inquiries"]
    assert len(numbers) == 8 and len(tasks) == 8 * LEVELS
    for task in tasks:
        assert task["type"][0] == ("initial" if task["level"] == LEVELS - 1 else "implicit")
        if task["level"] == 0:
            assert task["thread_num"] == numbers[task["thread"]]
        assert (task["exit_frame"] is not None) == with_tool
        assert ("data" in task["reasons"]) != with_tool
    outer = said["outer"]["inquiries"]
    assert [region["team_size"] for region in outer] == [2] * 8
    states = [thread["state"] for thread in said["thread_info"]["inquiries"]]
    assert states.count("wait_lock") == (3 if with_tool else 0)
    assert (None in states) != with_tool
    assert said["text"]["text"].splitlines()[0].split()[:3] == ["Thread", "Level", "Type"]
    assert 'invalid level "one"' in said["wrong"]["error"]


@pytest.mark.parametrize("variant, with_tool", [("O2", False), ("clang", False), ("clang", True)])
def test_inquiries(variant: str, with_tool: bool, tmp_path: Path) -> None:
    try:
        program = str(setup.program("nested", variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    variables = {}
    if with_tool:
        tool, source = tmp_path / "libtool.so", str(own_programs.source("tool.c"))
        subprocess.run([setup.CC, "-shared", "-fPIC", source, "-o", str(tool)], check=True)
        variables = {"OMP_TOOL_LIBRARIES": str(tool)}
    core = tmp_path / "core"
    live = processes.run_gdb("inquiries.py", {"gcore": str(core)}, [program], variables).result
    check(live, with_tool)
    check(processes.run_gdb("inquiries.py", {}, [program, str(core)]).result, with_tool)
