# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was asked before the runtime was initialized does not last: it is asked again afterwards."""

import json
from typing import Any, Dict, List

import pytest

from harness import processes, setup

import build  # from fixtures/

QUESTIONS = ["omp status -json", "omp tasks -json", "omp icvs -json"]
# At main(), where nothing is initialized, and where the program has come to its state.
STOPS: Dict[str, List[str]] = {"early": ["break main", "run", *QUESTIONS], "late": []}


def said(variant: str, commands: List[str]) -> Dict[str, Any]:
    """What the questions are answered with at the program's state."""
    try:
        program = str(setup.program("nested", variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    go_on = "continue" if commands else "run"
    task = {
        "arguments": ["2", "2", "2"],
        "commands": [*commands, "tbreak fixture_ready", go_on, *QUESTIONS],
    }
    answers = processes.run_gdb("session.py", task, [program]).result[-len(QUESTIONS) :]
    texts = [answer["text"] for answer in answers]
    return dict(zip(QUESTIONS, map(json.loads, texts)))


@pytest.mark.parametrize("variant", ["O2", "clang", "ompd23"])
def test_early_questions_change_no_later_answer(variant: str) -> None:
    early, late = (said(variant, commands) for commands in STOPS.values())
    layout = early["omp status -json"]["runtimes"][0]["layout"]
    assert layout == late["omp status -json"]["runtimes"][0]["layout"]
    tasks = [len(answers["omp tasks -json"]["tasks"]) for answers in (early, late)]
    assert tasks == [15, 15]
    assert early["omp icvs -json"] == late["omp icvs -json"]


def test_values_of_no_openmp_thread() -> None:
    """Nobody asked for some threads only."""
    try:
        program = str(setup.program("nested", "clang"))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["break main", "run", "omp print argc", "omp print -state works argc"]
    commands += ["tbreak fixture_ready", "continue", "omp print -all -state lock argc"]
    task = {"arguments": ["2", "2", "2"], "commands": commands}
    said = processes.run_gdb("session.py", task, [program]).result
    assert said[2]["error"] == said[3]["error"] == "omp print: no thread is an OpenMP thread."
    assert said[6]["error"] == "omp print: no such OpenMP thread."
