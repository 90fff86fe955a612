# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that a team of LLVM's runtime keeps, though its region has no use for them, are idle."""

import json
from pathlib import Path

import pytest

from harness import own_programs, processes

import build  # from fixtures/


def test_threads_in_reserve_are_idle(tmp_path: Path) -> None:
    try:
        program = own_programs.compiled("reserve.c", tmp_path / "reserve", family="clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task = {"stop": "fixture_ready", "commands": ["omp threads -json"]}
    variables = {"KMP_HOT_TEAMS_MODE": "1"}
    said = processes.run_gdb("session.py", task, [str(program)], variables).result
    threads = {thread["gdb"]: thread for thread in json.loads(said[0]["text"])["threads"]}
    assert [threads[number]["team_size"] for number in (1, 2)] == [2, 2]
    assert [threads[number]["state"] for number in (3, 4)] == ["idle", "idle"]
