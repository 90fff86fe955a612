# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The initial threads of a league keep the task team of another team than they are in (LLVM's
runtime): that is no damage."""

import json
from pathlib import Path

import pytest

from harness import own_programs, processes

import build  # from fixtures/

STOPS = 6  # each thread comes by thrice, two of them at most at once


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_leagues_are_told(compiler: str, tmp_path: Path) -> None:
    try:
        program = own_programs.compiled("two_teams.c", tmp_path / "two_teams", family=compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["omp threads -json", "continue"] * STOPS
    # LLVM's runtime makes as many teams as there are processors, unless it is told otherwise.
    variables = {"KMP_TEAMS_THREAD_LIMIT": "15"}
    task = {"stop": "place", "commands": commands}
    said = processes.run_gdb("session.py", task, [str(program)], variables).result
    told = [json.loads(one["text"]) for one in said[::2] if "text" in one]
    assert len(told) == STOPS
    for one in told:
        (selected,) = (thread for thread in one["threads"] if thread["selected"])
        assert selected["state"] in ("work_serial", "work_parallel")
        assert selected["level"] == (1 if selected["state"] == "work_parallel" else 0)
