# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On which thread's stack tasks lie that have begun.

The runtime records the current task of a thread only. That task was executed by a call of the
runtime, in a taskwait of the task that generated it, say, and then that one lies below it on the
same stack, suspended. A thread's stack has the calls, and so this can be followed down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, NamedTuple, Optional

from ompdbg.model.stack import task_frames
from ompdbg.model.task import EXPLICIT, QUEUED, RUNNING, STARTED, SUSPENDED

if TYPE_CHECKING:
    import _ompd

    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Thread

# enum ompd_ext_wait_kind of the calls that execute tasks which their caller generated.
_TASKWAIT, _TASK = 9, 15
_ON_STACKS = (RUNNING, SUSPENDED, STARTED)


class Placement(NamedTuple):
    """What a stack tells of a task."""

    thread_num: int  # in the task's team
    entry: int  # entry point of its code; 0: not told


def placements(runtime: "Runtime") -> Dict[int, Placement]:
    """By identity of the task. Empty if the runtime records all there is to know."""
    begun: Dict[int, "_ompd.TaskInfo"] = {}
    prioritized = False
    unknown = False
    for info in runtime.space.tasks():
        if info.kind == EXPLICIT and info.status in _ON_STACKS:
            begun[info.id] = info
            unknown = unknown or info.status == STARTED or not info.function
        elif info.status == QUEUED and info.priority:
            prioritized = True
    found: Dict[int, Placement] = {}
    if unknown:
        for thread in runtime.threads:
            if thread.handle is not None:
                _follow(thread, begun, prioritized, found)
    return found


def _follow(
    thread: "Thread",
    begun: Dict[int, "_ompd.TaskInfo"],
    prioritized: bool,
    found: Dict[int, Placement],
) -> None:
    """Follows the stack of one thread down from its current task."""
    current = thread.task
    info = None if current is None else begun.get(current.id)
    if info is None or thread.thread_num is None:
        return
    # A thread that waits may have left its task's code by a jump: then the first frame is that
    # of an older task, and frames do not tell what code a task has.
    certain = not thread.in_runtime
    for frame in task_frames(thread):
        entry = frame.entry or 0
        if info.function and info.function != entry:
            return
        is_called = frame.call == _TASK
        found[info.id] = Placement(thread.thread_num, entry if certain and is_called else 0)
        # In a taskwait of a program with priorities others' tasks are executed, too.
        if not is_called and (frame.call != _TASKWAIT or prioritized):
            return
        parent: Optional["_ompd.TaskInfo"] = begun.get(info.parent_id)
        if parent is None or parent.id in found or parent.parallel_id != info.parallel_id:
            return
        info = parent
