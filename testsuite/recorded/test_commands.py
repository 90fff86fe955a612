# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model over recorded targets: what the commands would show, against the headers of the
programs as they were when recorded."""

import sys
from pathlib import Path
from typing import Any, Dict

import pytest
from conftest import Opened

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gdb"))

from harness import expect, expect_tasks  # noqa: E402
from ompdbg.model.runtime import Runtime  # noqa: E402
from ompdbg.model.stack import logical_stack  # noqa: E402
from ompdbg.model.task import Task  # noqa: E402
from ompdbg.render import json as render  # noqa: E402


class RecordedCase:
    """A recorded target, as harness.cases.Case has it."""

    mode = "recorded"

    def __init__(self, opened: Opened) -> None:
        self.program = opened.target.program
        self.arguments = opened.target.arguments
        self.variant = opened.target.variant
        self.state = opened.target.state
        self.name = " ".join((self.program,) + self.arguments)


def snapshot_of(opened: Opened) -> Dict[str, Any]:
    """What the commands would print as JSON."""
    services: Any = opened.services
    runtime = Runtime(opened.space, services)
    teams = [render.team(team) for team in runtime.teams]
    stacks = [logical_stack(thread) for thread in runtime.threads]
    tasks = [render.task(Task(runtime, info)) for info in opened.space.tasks()]
    return {
        "threads": {"teams": teams, "threads": [render.thread(t) for t in runtime.threads]},
        "stacks": {"stacks": [render.stack(stack, stack.parts) for stack in stacks]},
        "tasks": {"teams": teams, "tasks": tasks},
    }


def test_threads_are_as_the_header_says(opened: Opened) -> None:
    if opened.target.variant == "static" and opened.release.libc == "glibc 2.31":
        pytest.skip("its static C library has source lines, like code of the program")
    case: Any = RecordedCase(opened)
    problems = expect.thread_problems(case, snapshot_of(opened))
    assert not problems, "\n".join(problems)


def test_tasks_are_as_the_header_says(opened_with_tasks: Opened) -> None:
    case: Any = RecordedCase(opened_with_tasks)
    told = expect_tasks.expected(case, True, has_stacks=False)
    assert expect_tasks.found(case, snapshot_of(opened_with_tasks), True) == told
