# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait for others which wait, too, but are about to go on: nothing is wrong."""

import json
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes

TASKWAIT = {"gcc": "GOMP_taskwait", "clang": "__kmpc_omp_taskwait"}
COMPILERS = sorted(TASKWAIT)


def findings_of(name: str, compiler: str, folder: Path, stop: str) -> List[Dict[str, Any]]:
    """What is found where only the thread that stopped first has gone on, up to another stop."""
    try:
        program = own_programs.compiled(
            name + ".c", folder / name, ("-O2", "-g", "-fopenmp"), compiler
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    said = processes.run_gdb(
        "session.py",
        {
            "commands": ["set scheduler-locking on", stop, "continue", "omp why -json"],
            "stop": "everything_ready",
        },
        [str(program)],
    ).result
    found: List[Dict[str, Any]] = json.loads(said[-1]["text"])["findings"]
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_task_is_ready(compiler: str, tmp_path: Path) -> None:
    (barrier,) = findings_of("ready", compiler, tmp_path, "break " + TASKWAIT[compiler])
    assert (len(barrier["waiters"]), len(barrier["waits_for"])) == (1, 2)
    assert (barrier["rule"], barrier["severity"]) == ("barrier", "waiting")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_barrier_has_released(compiler: str, tmp_path: Path) -> None:
    (barrier,) = findings_of("released", compiler, tmp_path, "catch syscall pause")
    assert (len(barrier["waiters"]), len(barrier["waits_for"])) == (1, 1)
    assert (barrier["rule"], barrier["severity"]) == ("barrier", "waiting")
