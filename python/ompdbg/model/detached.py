# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detached tasks of a runtime that keeps no list of them: LLVM's.

It counts the children of a task that are not done, and notes that a region has such tasks.
If fewer than it counts are queued, blocked or begun, the rest wait for their events, but for one
that a thread is just about to begin or to end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ompdbg.model import task as tasks

if TYPE_CHECKING:
    from ompdbg.model.region import Region
    from ompdbg.model.task import Task
    from ompdbg.model.thread import Thread


def unlisted(thread: "Thread", listed: "Sequence[Task]", group: bool) -> int:
    """How many tasks a member waits for besides those that are listed, in a taskwait or for a
    taskgroup."""
    current = thread.task
    if current is None:
        return 0
    children, members, are_detached = current.counts
    if not are_detached:
        return 0
    return max((members if group else children) - len(listed), 0)


def unlisted_of_region(region: "Region", listed: "Sequence[Task]") -> int:
    """The same of the implicit tasks of a region, whose threads wait at a barrier."""
    found = 0
    for thread in region.members.values():
        current = thread.task
        if current is not None and current.info.kind == tasks.IMPLICIT:
            own = [task for task in listed if task.info.parent_id == current.info.id]
            found += unlisted(thread, own, False)
    return found
