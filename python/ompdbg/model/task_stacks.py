# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On which thread's stack tasks lie that have begun.

The runtime records the current task of a thread only. That task was executed by a call of the
runtime, in a taskwait of the task that generated it, say, and then that one lies below it on the
same stack, suspended. A thread's stack has the calls, and so this can be followed down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, NamedTuple, Optional

import _ompd

from ompdbg.model.constructs import TASK, TASKLOOP
from ompdbg.model.walk import logical_frames, task_frames
from ompdbg.model.task import EXPLICIT, RUNNING, STARTED, SUSPENDED

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Thread

# enum ompd_ext_wait_kind of the calls that execute tasks which their caller generated.
_TASKWAIT, _TASK = 9, 15
_ON_STACKS = (RUNNING, SUSPENDED, STARTED)


class Placement(NamedTuple):
    """What a stack tells of a task."""

    info: _ompd.TaskInfo
    thread_num: int  # in the task's team
    entry: int  # entry point of its code; 0: not told


def placements(runtime: "Runtime") -> Dict[int, Placement]:
    """By identity of the task."""
    found: Dict[int, Placement] = {}
    only_children = not _has_priorities(runtime)
    for thread in runtime.threads:
        if thread.handle is None or thread.task is None or thread.task.info.kind != EXPLICIT:
            continue
        try:
            _follow(thread, thread.handle.task(), only_children, found)
        except _ompd.Error:
            pass  # the rest of this thread's tasks is not told
    return found


def _has_priorities(runtime: "Runtime") -> bool:
    """In a taskwait of a program with priorities others' tasks are executed, too."""
    icv = runtime.icv_id("max-task-priority-var")
    try:
        return icv is None or runtime.space.icv(icv) != 0
    except _ompd.Error:
        return True


def _follow(
    thread: "Thread", task: _ompd.Task, only_children: bool, found: Dict[int, Placement]
) -> None:
    """Follows the stack of one thread down from its current task."""
    if thread.thread_num is None:
        return
    # A thread that waits may have left its task's code by a jump: then the first frame is that
    # of an older task, and frames do not tell what code a task has.
    certain = not thread.in_runtime
    info = task.info()
    for frame in task_frames(thread):
        entry = frame.entry or 0
        if info.function and info.function != entry:
            return
        is_called = frame.call == _TASK
        code = info.function or (entry if certain and is_called else 0)
        found[info.id] = Placement(info, thread.thread_num, code)
        if not is_called and (frame.call != _TASKWAIT or not only_children):
            return
        task = task.generating()
        parent = task.info()
        if (
            parent.kind != EXPLICIT
            or parent.status not in _ON_STACKS
            or parent.parallel_id != info.parallel_id
            or parent.id in found
        ):
            return
        info = parent


def executes_task_of(thread: "Thread", function: str) -> bool:
    """Is the current task of a thread an explicit one whose construct is in that function?"""
    task = thread.task
    if task is None or task.info.kind != EXPLICIT:
        return False
    if task.function is not None:
        name: Optional[str] = task.function.name
    else:
        tasks = (item for item in logical_frames(thread) if item.construct in (TASK, TASKLOOP))
        name = next((item.function for item in tasks), None)
    # Of C++ the arguments may be left out.
    return name is not None and function in (name, name.partition("(")[0])
