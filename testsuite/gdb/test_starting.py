# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A worker of LLVM's runtime that runs before the thread that makes it knows its pthread_t is one of its
threads."""

import json
from pathlib import Path

import pytest

from harness import own_programs, processes

import build  # from fixtures/


def test_worker_that_starts(tmp_path: Path) -> None:
    try:
        program = own_programs.compiled("starting.c", tmp_path / "starting", family="clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task = {"stop": "fixture_ready", "commands": ["omp threads -json"]}
    said = processes.run_gdb("session.py", task, [str(program)], {}).result
    threads = {thread["gdb"]: thread for thread in json.loads(said[0]["text"])["threads"]}
    assert sorted(threads) == [1, 2]
    assert all(thread["openmp"] for thread in threads.values())
