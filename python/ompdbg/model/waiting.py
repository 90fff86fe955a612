# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For whom and for what each thread waits: the graph that a diagnosis is drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Sequence

import _ompd

from ompdbg.lazy import cached_property
from ompdbg.model import task as tasks
from ompdbg.model.arrived import is_counted
from ompdbg.model.asleep import system_call
from ompdbg.model.detached import unlisted, unlisted_of_region
from ompdbg.model.locks import BY_CODE, Lock, locks
from ompdbg.model.mutexes import mutexes
from ompdbg.model.pool import AllTasks
from ompdbg.model.region import BARRIERS, Region, regions

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.task import Task
    from ompdbg.model.thread import Thread

# More tasks than this are not looked at one by one.
MAX_TASKS = 10000

# What an edge is.
BARRIER, LOCK, TURN, TASK = "barrier", "lock", "turn", "task"
# And what is no thread: a task.
EVENT, QUEUED, BLOCKED = "event", "queued", "blocked"


class Edge(NamedTuple):
    """One of the things that a thread waits for; all of them must happen."""

    kind: str
    waiter: "Thread"
    thread: "Optional[Thread]"  # that must do something
    certain: bool
    lock: Optional[Lock] = None
    task: "Optional[Task]" = None  # for which it waits, in the end
    through: "Optional[Task]" = None  # that is blocked by it


class Waiting:
    """All waits of a process at one stop."""

    def __init__(self, process: "Process") -> None:
        self.process = process
        self.regions: List[Region] = regions(process)
        self._region_of = {region.team.id: region for region in self.regions}
        self._asleep: Dict[int, bool] = {}

    @cached_property
    def locks(self) -> List[Lock]:
        """What threads wait for one another's turn at."""
        return locks(self.process)

    @cached_property
    def mutexes(self) -> "Sequence[Lock]":
        """And of what is not OpenMP's."""
        return mutexes(self)

    @cached_property
    def _lock_of(self) -> Dict[int, Lock]:
        both = (*self.locks, *self.mutexes)
        return {t.target.number: lock for lock in both for t in lock.waiters}

    def is_asleep(self, thread: "Thread") -> bool:
        """It sleeps, and nobody has woken it."""
        number = thread.target.number
        if number not in self._asleep:
            call = system_call(thread)
            self._asleep[number] = call is not None and call.waits
        return self._asleep[number]

    def region_of(self, thread: "Thread") -> Optional[Region]:
        """The region in which a thread works."""
        return None if thread.team is None else self._region_of.get(thread.team.id)

    @cached_property
    def edges(self) -> "Dict[int, List[Edge]]":
        """What each waiting thread waits for, by its number."""
        return {
            thread.target.number: self._edges(thread)
            for thread in self.process.threads
            if (thread.wait is not None and thread.wait.kind != "idle")
            or (thread.wait is None and thread.target.number in self._lock_of)
        }

    def _edges(self, thread: "Thread") -> List[Edge]:
        kind = "" if thread.wait is None else thread.wait.kind
        if kind in BARRIERS:
            return self._barrier_edges(thread)
        if thread.target.number in self._lock_of:
            return self._lock_edges(thread, self._lock_of[thread.target.number])
        if kind in ("taskwait", "taskgroup", "dependences"):
            return self._task_edges(thread, kind)
        return []

    # ---- Barriers ---------------------------------------------------------------------------

    def is_held_up(self, region: Region) -> bool:
        """The threads that are seen at the region's barriers have come, and none was let go."""
        if not region.at_barrier:
            return False
        return all(self._is_kept(region, thread) for thread in region.at_barrier.values())

    def _is_kept(self, region: Region, thread: "Thread") -> bool:
        """A thread that is seen at a barrier was not let go: the runtime counts all that may be
        there, or this one, or it sleeps. Tasks that are left prove nothing: threads that were let
        go may have made them. Nor do counts, where cancellation lets threads go."""
        progress = region.progress
        if progress is None:
            return False
        if progress.counted and not progress.cancelled:
            if progress.arrived + progress.arrived_end >= _may_be_there(region):
                return True
        return self.is_asleep(thread) or is_counted(thread)

    def _barrier_edges(self, thread: "Thread") -> List[Edge]:
        region = self.region_of(thread)
        if region is None:
            return []
        if len(region.at_barrier) == len(region.members) + region.unseen:
            return self._left_tasks(thread)
        certain = self._is_kept(region, thread)
        return [
            Edge(BARRIER, thread, member, certain)
            for number, member in region.members.items()
            if number not in region.at_barrier
        ]

    def _left_tasks(self, thread: "Thread") -> List[Edge]:
        """All have come to the barrier: tasks are left to be done."""
        team = thread.team
        left = [
            task
            for task in self.tasks_of(thread.runtime)
            if task.info.kind in (tasks.EXPLICIT, tasks.TARGET)
            and team is not None
            and task.info.parallel_id == team.id
            and task.info.status != tasks.COMPLETED
        ]
        found = self._for_tasks(thread, left)
        region = self.region_of(thread)
        if region is not None and unlisted_of_region(region, left):
            found.append(Edge(EVENT, thread, None, False))
        return found

    # ---- Locks ------------------------------------------------------------------------------

    def _lock_edges(self, thread: "Thread", lock: Lock) -> List[Edge]:
        if lock.kind in ("ordered", "doacross"):
            if lock.owner is None or lock.owner is thread:
                return []
            return [Edge(TURN, thread, lock.owner, True, lock)]
        if lock.is_held is False:
            return []
        certain = lock.how != BY_CODE
        if lock.owner is thread and not self.is_asleep(thread):
            certain = False  # it may just have got it
            if lock.how != BY_CODE and lock.taken is None:
                return []
        return [Edge(LOCK, thread, lock.owner, certain and lock.owner is not None, lock)]

    # ---- Tasks ------------------------------------------------------------------------------

    @cached_property
    def _tasks(self) -> "Dict[int, List[Task]]":
        found: "Dict[int, List[Task]]" = {}
        for number, runtime in enumerate(self.process.runtimes):
            try:
                listed: "List[Task]" = []
                for task in AllTasks(runtime):
                    listed.append(task)
                    if len(listed) >= MAX_TASKS:
                        break
                found[number] = listed
            except _ompd.Error:
                found[number] = []
        return found

    def tasks_of(self, runtime: "Runtime") -> "List[Task]":
        """The tasks of a runtime, the first MAX_TASKS of them."""
        return self._tasks[self.process.runtimes.index(runtime)]

    def _task_edges(self, thread: "Thread", kind: str) -> List[Edge]:
        current = thread.task
        if current is None:
            return []
        own = current.info
        wanted: "List[Task]" = []
        for task in self.tasks_of(thread.runtime):
            info = task.info
            if info.id == own.id or info.kind not in (tasks.EXPLICIT, tasks.TARGET):
                continue
            if info.status == tasks.COMPLETED:
                continue
            if kind == "taskgroup":
                if own.taskgroup and info.taskgroup == own.taskgroup:
                    wanted.append(task)
            elif info.parent_id == own.id:
                wanted.append(task)
        if kind == "dependences":
            # Some of the children; which, is not recorded for all of them.
            wanted = [task for task in wanted if task.info.status != tasks.BLOCKED]
            return [
                edge._replace(certain=edge.certain and len(wanted) == 1)
                for edge in self._for_tasks(thread, wanted)
            ]
        found = self._for_tasks(thread, wanted)
        if unlisted(thread, wanted, kind == "taskgroup"):
            found.append(Edge(EVENT, thread, None, False))
        return found

    def _for_tasks(self, thread: "Thread", wanted: "List[Task]") -> List[Edge]:
        found: List[Edge] = []
        for task in wanted:
            found.extend(self._for_task(thread, task))
        return found

    def _for_task(self, thread: "Thread", task: "Task") -> List[Edge]:
        status = task.info.status
        if status == tasks.DETACHED:
            return [Edge(EVENT, thread, None, True, task=task)]
        if status == tasks.QUEUED:
            return [Edge(QUEUED, thread, None, True, task=task)]
        if status == tasks.BLOCKED:
            before = self._predecessors(thread.runtime, task)
            if not before:
                return [Edge(BLOCKED, thread, None, True, task=task)]
            found = [
                edge._replace(through=task)
                for one in before
                if one.info.status != tasks.BLOCKED  # its own are listed, too
                for edge in self._for_task(thread, one)
            ]
            return found or [Edge(BLOCKED, thread, None, True, task=task)]
        runner = self.runner(task)
        if runner is None or runner is thread:
            return []
        return [Edge(TASK, thread, runner, True, task=task)]

    def runner(self, task: "Task") -> "Optional[Thread]":
        """The thread that executes a task."""
        if task.thread_num is None or task.team is None:
            return None
        return task.team.member(task.thread_num)

    @cached_property
    def _before(self) -> "Dict[int, List[Task]]":
        """The unfinished tasks that a blocked task waits for directly."""
        found: "Dict[int, List[Task]]" = {}
        for runtime in self.process.runtimes:
            listed = self.tasks_of(runtime)
            if not any(task.info.status == tasks.BLOCKED for task in listed):
                continue
            for task in listed:
                for ident in task.dependers:
                    found.setdefault(ident, []).append(task)
        return found

    def _predecessors(self, runtime: "Runtime", task: "Task") -> "List[Task]":
        """The tasks that must end before, those before them among them."""
        found: "Dict[int, Task]" = {}
        pending = [task]
        while pending:
            for before in self._before.get(pending.pop().id, []):
                if before.id not in found:
                    found[before.id] = before
                    pending.append(before)
        return list(found.values())


def _may_be_there(region: Region) -> int:
    """How many threads are at a region's barriers, or run tasks there, or may do so."""
    return region.unseen + sum(
        1
        for number, thread in region.members.items()
        if number in region.at_barrier
        or thread.team is not region.team
        or thread.task is None
        or thread.task.info.kind != tasks.IMPLICIT
    )
