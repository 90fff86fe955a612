# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A team whose primary thread is at the end of an inner region, which LLVM's runtime has taken apart, is
still a team: its other threads are at work in their region, not idle."""

import json
from pathlib import Path

import pytest

from harness import own_programs, processes

import build  # from fixtures/

AT_WORK = [2, 3]  # GDB's numbers of the workers of the outer region


@pytest.mark.parametrize("release", build.OMPD_RELEASES)
def test_others_are_at_work(release: int, tmp_path: Path) -> None:
    try:
        program = own_programs.compiled("leaving.c", tmp_path / "leaving", family="clang")
        runtime = build.runtime_folder(build.VARIANTS["ompd{}".format(release)])
    except build.Skipped as reason:
        pytest.skip(str(reason))
    variables = {"LD_LIBRARY_PATH": str(runtime), "OMP_MAX_ACTIVE_LEVELS": "2"}
    # It lets go of the inner team's workers, one by one, when it has taken the team out of the outer.
    task = {"stop": "__kmp_free_thread", "commands": ["omp threads -json"]}
    said = processes.run_gdb("session.py", task, [str(program)], variables).result
    threads = {thread["gdb"]: thread for thread in json.loads(said[0]["text"])["threads"]}
    assert sorted(threads) == [1, 2, 3, 4]
    places = [(threads[n].get("thread_num"), threads[n].get("level")) for n in AT_WORK]
    assert places == [(1, 1), (2, 1)], threads
