# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parallel regions: where they were opened, what their threads do, and how far they have come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional

import _ompd

from ompdbg.lazy import cached_property
from ompdbg.model.loops import LoopReader
from ompdbg.model.walk import task_frames

if TYPE_CHECKING:
    from ompdbg.model.loops import Loop
    from ompdbg.model.process import Process
    from ompdbg.model.team import Team
    from ompdbg.model.thread import Location, Thread
    from ompdbg.waits import Wait

BARRIERS = ("barrier", "barrier_workshare", "barrier_parallel", "reduction", "single")
# The same as enum ompd_ext_wait_kind.
_BARRIER_CALLS = (1, 2, 3, 12, 24)
END_OF_REGION = "barrier_parallel"

# enum ompd_ext_barrier_flag
_TASKS_LEFT, _CANCELLED = 1, 2


class Group(NamedTuple):
    """Threads of a region that do the same at the same place."""

    state: Optional[str]  # None: not known, or of a thread that runs
    wait: "Optional[Wait]"
    location: "Optional[Location]"
    inner: "Optional[Team]"  # the region within this one in which the thread is
    numbers: List[int]  # in the team
    threads: "List[Thread]"


class Progress(NamedTuple):
    """How many threads of a region are at its barriers."""

    total: int
    arrived: int  # at barriers within the region, or at its end if that is not told apart
    arrived_end: int  # at its end
    counted: bool  # by the runtime; else these are the threads that were seen there
    tasks_left: bool  # all have arrived, and wait for the region's tasks
    cancelled: bool


class Region:
    """One parallel region."""

    def __init__(self, process: "Process", team: "Team", loops: LoopReader) -> None:
        self.team = team
        self._process = process
        self._loops = loops

    @property
    def opened(self) -> "Optional[Location]":
        """Where its thread 0 encountered the construct."""
        return self.team.opened

    @cached_property
    def members(self) -> "Dict[int, Thread]":
        """Its threads by number, as far as they exist."""
        found = {number: self.team.member(number) for number in range(self.team.size or 0)}
        return {number: thread for number, thread in found.items() if thread is not None}

    @property
    def unseen(self) -> int:
        """How many of its threads nothing is known of: they run, or do not exist."""
        return max((self.team.size or 0) - len(self.members), 0)

    def inner_of(self, thread: "Thread") -> "Optional[Team]":
        """The region within this one in which a member is; None if it works in this one."""
        team = thread.team
        seen = 0
        while team is not None and team is not self.team and seen <= (thread.level or 0):
            if team.parent is self.team:
                return team
            team = team.parent
            seen += 1
        return None

    @cached_property
    def groups(self) -> List[Group]:
        """What its threads do, by their lowest numbers."""
        found: Dict[object, Group] = {}
        for number, thread in self.members.items():
            inner = self.inner_of(thread)
            wait = None if inner is not None else thread.wait
            state = None if inner is not None else thread.state
            place = None if inner is not None else thread.location
            line: object = place and (place.function, place.file, place.line)
            if place is not None and place.line is None:
                line = (place.function or place.address, place.object_file, None)
            key = (state, wait and (wait.title, wait.address), line, inner, thread.target.running)
            group = found.setdefault(key, Group(state, wait, place, inner, [], []))
            group.numbers.append(number)
            group.threads.append(thread)
        return list(found.values())

    @cached_property
    def at_barrier(self) -> "Dict[int, Thread]":
        """The members that wait at a barrier of this region, by number."""
        return {
            number: thread
            for number, thread in self.members.items()
            if thread.team is self.team
            and thread.wait is not None
            and thread.wait.kind in BARRIERS
        }

    def runs_task_at_barrier(self, thread: "Thread") -> Optional[bool]:
        """A member has come to a barrier, and executes a task there; None: it executes a task,
        and where that was begun its stack does not tell."""
        if thread.team is not self.team or thread.task is None or thread.task.kind == "implicit":
            return False
        # The outermost of its tasks lies on the call in which the implicit task waits.
        found = task_frames(thread)
        call = found[-1].call if found else None
        return None if call is None else call in _BARRIER_CALLS

    @cached_property
    def loops(self) -> "List[Loop]":
        """The loops in flight whose iterations the runtime hands out."""
        return self._loops.loops(self)

    @cached_property
    def progress(self) -> Optional[Progress]:
        """How many threads have come to a barrier; None if none has."""
        try:
            total, arrived, at_end, flags = self.team.handle.barrier()
        except _ompd.Error:
            return self._seen()
        if flags & _TASKS_LEFT:
            arrived = total
        if not arrived and not at_end and not flags & _CANCELLED:
            return None
        left, cancelled = bool(flags & _TASKS_LEFT), bool(flags & _CANCELLED)
        return Progress(total, arrived, at_end, True, left, cancelled)

    def _seen(self) -> Optional[Progress]:
        at_end = sum(
            1 for t in self.at_barrier.values() if t.wait and t.wait.kind == END_OF_REGION
        )
        if not self.at_barrier:
            return None
        within = len(self.at_barrier) - at_end
        return Progress(self.team.size or 0, within, at_end, False, False, False)


def regions(process: "Process") -> List[Region]:
    """All regions, each before those that it encloses."""
    loops = LoopReader()
    return [Region(process, team, loops) for team in process.teams]
