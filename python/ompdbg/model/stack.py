# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The logical stack of a thread: how it got where it is, in the terms of the source.

The stack of a worker thread ends in the runtime. Its story goes on in the thread that encountered
the parallel construct, from the call of the runtime that opened the region, and so on until main.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Optional, Set

from ompdbg import frames
from ompdbg.model.constructs import PARALLEL
from ompdbg.model.walk import walk_of
from ompdbg.services import Frame

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.team import Team
    from ompdbg.model.thread import Thread
    from ompdbg.model.walk import Walk

# More threads than this on the way to main are taken for damaged memory.
_MAX_PARTS = 1024


class Part(NamedTuple):
    """The frames that lie on one thread's stack."""

    thread: "Thread"
    team: Optional["Team"]  # in which the innermost of these frames works
    thread_num: Optional[int]  # in that team
    frames: "List[LogicalFrame]"

    @property
    def program(self) -> str:
        """Path of the program."""
        return self.thread.runtime.services.program


class LogicalStack(NamedTuple):
    """All parts, innermost first."""

    parts: List[Part]
    note: Optional[str]  # why it ends before main


def logical_stack(thread: "Thread") -> LogicalStack:
    """The stack of a thread, continued to main."""
    parts: List[Part] = []
    seen: Set[int] = set()
    current, team, opened = thread, thread.team, None
    while len(parts) < _MAX_PARTS:
        walk = walk_of(current)
        begin = 0
        if opened is not None:
            found = walk.opening_of(opened)
            if found is None:
                note = (
                    f"thread {current.target.label} encountered the region; its call was not found"
                )
                return LogicalStack(parts, note)
            begin = found
            parts[-1] = _named_by(parts[-1], walk.frames[begin : begin + 1])
            team = walk.team_around(opened, begin)
        number = None if team is None else walk.number_in(team)
        parts.append(Part(current, team, number, walk.frames[begin:]))
        seen.add(current.target.number)
        region = walk.worker_region
        if region is None:
            outside = _encountered_league(walk)
            if outside is not None and outside.thread.target.number not in seen:
                parts.append(outside)
            return LogicalStack(parts, None)
        primary = region.primary
        if primary is None:
            return LogicalStack(parts, "the thread that encountered the region is not known")
        if primary.target.number in seen:
            return LogicalStack(parts, f"thread {primary.target.label} was already met")
        if primary.target.running:
            return LogicalStack(parts, f"thread {primary.target.label} is running")
        current, opened = primary, region
    return LogicalStack(parts, None)


def _named_by(part: Part, encountering: "List[LogicalFrame]") -> Part:
    """The code of a region that has no symbol is called by the function that encountered it."""
    users = [index for index, one in enumerate(part.frames) if one.kind == frames.USER]
    told = part.frames[users[-1]] if users else None
    if told is None or told.construct != PARALLEL or told.function or not encountering:
        return part
    named = list(part.frames)
    named[users[-1]] = told._replace(function=encountering[0].function)
    return part._replace(frames=named)


def _encountered_league(walk: "Walk") -> Optional[Part]:
    """What lies under the teams region that an initial thread of a league executes: the frames of
    the thread that encountered the construct."""
    league = None if walk.teams_call is not None else walk.league
    outside = None if league is None else league.parent
    thread = None if outside is None else outside.primary
    if thread is None or thread.target.running:
        return None
    below = walk_of(thread)
    if below.teams_call is None:
        return None
    return Part(thread, outside, 0, below.frames[below.teams_call.caller :])


def opening(team: "Team") -> Optional[Frame]:
    """The frame whose code encountered the parallel construct; None where that left none."""
    primary = team.primary
    if primary is None or primary.target.running:
        return None
    return walk_of(primary).frame_of_call(team)
