# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the program goes on for whoever followed a task to its end: in the task that generated it,
on whichever thread's stack that lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Optional

import _ompd

from ompdbg import frames
from ompdbg.model.constructs import TASK, TASKLOOP
from ompdbg.model.walk import logical_frames
from ompdbg.model.task import EXPLICIT, IMPLICIT, INITIAL
from ompdbg.model.task_stacks import placements

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread

_TASKS = (TASK, TASKLOOP)


class Parent(NamedTuple):
    """The generating task on a stack."""

    thread: "Thread"
    frame: "LogicalFrame"  # of the function with the construct, else the innermost of the user's
    is_executing: bool  # that frame is what the thread executes


def parent(thread: "Thread") -> Optional[Parent]:
    """The task that generated the one which a thread executes; None if that is gone."""
    task = thread.task
    if task is None or task.info.kind != EXPLICIT or thread.handle is None:
        return None
    try:
        info = thread.handle.task().generating().info()
    except _ompd.Error:
        return None
    owner = _owner(thread, info)
    if owner is None or owner.target.running:
        return None
    users = [one for one in _segment(logical_frames(owner), info) if one.kind == frames.USER]
    name = task.function.name if task.function is not None else None
    found = next((one for one in users if one.function == name), users[0] if users else None)
    return None if found is None else Parent(owner, found, found.frame.level == 0)


def _owner(thread: "Thread", info: _ompd.TaskInfo) -> "Optional[Thread]":
    """The thread on whose stack a task lies."""
    if info.kind in (IMPLICIT, INITIAL):
        if thread.team is None or info.parallel_id != thread.team.handle.id:
            return None
        return thread.team.member(info.thread_num)
    for one in thread.runtime.threads:
        if one.task is not None and one.task.id == info.id:
            return one
    placed = placements(thread.runtime).get(info.id)
    return thread.team.member(placed.thread_num) if placed and thread.team is not None else None


def _segment(items: "List[LogicalFrame]", info: _ompd.TaskInfo) -> "List[LogicalFrame]":
    """The frames of one task on a stack: those above the code of the next task."""
    begin = 0
    for index, item in enumerate(items):
        if item.construct not in _TASKS:
            continue
        if info.kind == EXPLICIT and item.frame.start == info.function:
            return items[begin : index + 1]
        begin = index + 1
    return [] if info.kind == EXPLICIT else items[begin:]
