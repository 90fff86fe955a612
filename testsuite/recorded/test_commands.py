# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands show of recorded targets, against the headers of the programs as they were when
recorded."""

import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import _ompdbg
import pytest
import recording
from conftest import BUILD, RELEASES, TARGETS, name_of
from recorded_bridge import RecordedBridge

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gdb"))

from harness import expect, expect_tasks  # noqa: E402

Recorded = Tuple[recording.Release, recording.Target]
WITH_TASKS = [one for one in TARGETS if one[1].expected["tasks"]]


class RecordedCase:
    """A recorded target, as harness.cases.Case has it."""

    mode = "recorded"

    def __init__(self, target: recording.Target) -> None:
        self.program = target.program
        self.arguments = target.arguments
        self.variant = target.variant
        self.state = target.state
        self.name = " ".join((self.program,) + self.arguments)


def snapshot_of(target: recording.Target) -> Dict[str, Any]:
    """What the commands print as JSON."""
    bridge: Any = RecordedBridge(target)
    process = _ompdbg.Process(bridge)
    opened, problems, _ = process.open(str(BUILD / "libompd" / "libompd.so"))
    assert opened == 1 and not problems, problems

    def shown(view: str) -> Any:
        found: List[str] = []
        process.print(view, found.append, json=True)
        return json.loads("".join(found))

    return {view: shown(view) for view in ("threads", "stacks", "tasks")}


def is_unknown(release: recording.Release, target: recording.Target) -> bool:
    """Whether nothing tells that a static libgomp is none of a later release."""
    newest = max(one.major for one in RELEASES if not one.is_llvm)
    return target.variant == "static" and not release.is_llvm and release.major == newest


@pytest.mark.parametrize("recorded", TARGETS, ids=name_of)
def test_threads_are_as_the_header_says(recorded: Recorded) -> None:
    release, target = recorded
    if target.variant == "static" and release.libc == "glibc 2.31":
        pytest.skip("its static C library has source lines, like code of the program")
    if is_unknown(release, target):
        return
    case: Any = RecordedCase(target)
    problems = expect.thread_problems(case, snapshot_of(target))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("recorded", WITH_TASKS, ids=name_of)
def test_tasks_are_as_the_header_says(recorded: Recorded) -> None:
    release, target = recorded
    if is_unknown(release, target):
        return
    case: Any = RecordedCase(target)
    told = expect_tasks.expected(case, True)
    assert expect_tasks.found(case, snapshot_of(target), True) == told
