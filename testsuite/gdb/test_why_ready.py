# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait for others which wait, too, but are about to go on: nothing is wrong."""

import json
from pathlib import Path

import build  # from fixtures/
import pytest

from harness import own_programs, processes

TASKWAIT = {"gcc": "GOMP_taskwait", "clang": "__kmpc_omp_taskwait"}


@pytest.mark.parametrize("compiler", sorted(TASKWAIT))
def test_task_is_ready(compiler: str, tmp_path: Path) -> None:
    flags = ("-O2", "-g", "-fopenmp")
    try:
        program = own_programs.compiled("ready.c", tmp_path / "ready", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["set scheduler-locking on", f"break {TASKWAIT[compiler]}", "continue"]
    why = processes.run_gdb(
        "session.py",
        {"commands": [*commands, "omp why -json"], "stop": "everything_ready"},
        [str(program)],
    ).result[-1]["text"]
    findings = json.loads(why)["findings"]
    (barrier,) = [one for one in findings if one["rule"] == "barrier"]
    assert (len(barrier["waiters"]), len(barrier["waits_for"])) == (1, 2)
    assert {one["severity"] for one in findings} == {"waiting"}, findings
