# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All tasks of a process, of which there may be very many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg.model.task import (
    EXPLICIT,
    IMPLICIT,
    INITIAL,
    KINDS,
    NOT_BEGUN,
    RUNNING,
    STARTED,
    STATUSES,
    SUSPENDED,
    Task,
    TaskFunction,
    task_function,
)
from ompdbg.model.task_stacks import placements

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime


class AllTasks:
    """Every task, one after another, none kept. Hidden helper threads have no implicit tasks in
    the program's sense."""

    def __init__(self, runtime: "Runtime") -> None:
        self._runtime = runtime
        self._placed = placements(runtime)
        self._helpers = runtime.helper_teams
        self._iterator: _ompd.TaskIterator = runtime.space.tasks()

    def __iter__(self) -> Iterator[Task]:
        for info in self._iterator:
            if (
                info.kind in (IMPLICIT, INITIAL)
                and self._helpers
                and info.parallel_id in self._helpers
            ):
                continue
            yield Task(self._runtime, info, None, self._placed.get(info.id))

    @property
    def damaged(self) -> bool:
        """A list of the runtime was found damaged so far."""
        return self._iterator.damaged

    @property
    def unreached(self) -> Optional[int]:
        """At the end: how many more the runtime counts that it keeps in no list; None if their
        number is not known."""
        try:
            return self._iterator.unreached()
        except _ompd.Error:
            return None


class TaskGroup(NamedTuple):
    """Tasks that are alike: they were not begun, and differ in nothing that a table shows."""

    first: Task
    number: int


class TaskPool:
    """All tasks of the process. Of many tasks alike only the first few are kept."""

    def __init__(self, runtime: "Runtime", keep: int) -> None:
        """Keeps `keep` of the tasks alike."""
        self._runtime = runtime
        self.total = 0
        self.tasks: List[Task] = []
        self.more: List[TaskGroup] = []
        self._read(keep)

    def _read(self, keep: int) -> None:
        found = AllTasks(self._runtime)
        met: Dict[Tuple[int, ...], int] = {}
        first_left_out: Dict[Tuple[int, ...], Task] = {}
        for task in found:
            info = task.info
            self.total += 1
            if info.status in NOT_BEGUN:
                key = (info.parallel_id, info.parent_id, info.function, info.status, info.kind)
                count = met[key] = met.get(key, 0) + 1
                if count > keep:
                    if count == keep + 1:
                        first_left_out[key] = task
                    continue
            self.tasks.append(task)
        self.more = [TaskGroup(task, met[key] - keep) for key, task in first_left_out.items()]
        self.damaged = found.damaged
        self.unreached = found.unreached or 0


class TaskCount(NamedTuple):
    """How many tasks of one function there are."""

    function: Optional[TaskFunction]
    kind: str
    status: str
    number: int


def count_by_function(runtime: "Runtime") -> List[TaskCount]:
    """Numbers of tasks by function, kind and status, the largest first. No object is made for
    a task."""
    counts = runtime.space.tasks().by_function()
    if any(
        kind == EXPLICIT
        and (status == STARTED or (not function and status in (RUNNING, SUSPENDED)))
        for function, _, kind, status in counts
    ):
        _move_placed(counts, runtime)
    rows = [
        TaskCount(
            task_function(runtime, function, source),
            KINDS.get(kind, str(kind)),
            STATUSES.get(status, str(status)),
            number,
        )
        for (function, source, kind, status), number in counts.items()
        if number
    ]
    return sorted(rows, key=lambda row: (-row.number, row.kind, row.status))


def _move_placed(counts: Dict[Tuple[int, int, int, int], int], runtime: "Runtime") -> None:
    """Counts the tasks that stacks tell more of as what they are."""
    for placement in placements(runtime).values():
        info = placement.info
        recorded = (info.function, info.source, info.kind, info.status)
        if not counts.get(recorded):
            continue
        counts[recorded] -= 1
        status = SUSPENDED if info.status == STARTED else info.status
        known = (placement.entry, info.source, info.kind, status)
        counts[known] = counts.get(known, 0) + 1
