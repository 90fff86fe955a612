# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in flight: those of which threads fetch their iterations from the runtime.

The iterations of a loop with a static schedule are divided by the program's own code, and nothing
in memory tells of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg import frames
from ompdbg.model.code_calls import Call, CodeCalls, is_at
from ompdbg.model.flow import Flow, Unclear

if TYPE_CHECKING:
    from ompdbg.model.region import Region
    from ompdbg.model.thread import Location, Thread
    from ompdbg.services import Frame

# enum ompd_ext_loop_flag
_ORDERED, _SECTIONS, _TOTAL, _REMAINING, _OWN, _LAST = 1, 2, 4, 8, 16, 32
# omp_sched_t
_SCHEDULES = {1: "static", 2: "dynamic", 3: "guided"}

# The calls by which libgomp's threads come into a loop and its sections, and out of them.
_BEGIN = "GOMP_loop_"
_SECTIONS_BEGIN = "GOMP_sections"
_ENDS = ("GOMP_loop_end", "GOMP_sections_end", "GOMP_single_copy_start")


class Loop(NamedTuple):
    """A loop, or the sections of a construct, in which threads of a region are."""

    is_sections: bool
    schedule: Optional[str]
    is_ordered: bool
    chunk: Optional[int]
    total: Optional[int]  # iterations; None: not known, as the next
    remaining: Optional[int]  # that no thread has fetched
    is_least: bool  # there may be more, for not all threads have come to the loop
    numbers: List[int]  # in the team, of the threads in the loop
    threads: "List[Thread]"
    location: "Optional[Location]"  # of one of them


class LoopReader:
    """Finds the loops of all regions of a process."""

    def __init__(self) -> None:
        self._calls = CodeCalls(_is_of_loops)
        self._flags: Dict[Tuple[int, int], Optional[int]] = {}
        self._flow: Optional[Flow] = None

    def loops(self, region: "Region") -> List[Loop]:
        """The loops in which members of a region are, by the lowest number."""
        found: "Dict[int, List[Tuple[int, Thread, _ompd.LoopInfo, Optional[Frame]]]]" = {}
        for number, thread in region.members.items():
            if thread.handle is None or thread.team is not region.team or thread.target.running:
                continue
            try:
                info = thread.handle.loop()
            except _ompd.Error:
                continue
            frame: "Optional[Frame]" = None
            if info.flags & _LAST:
                told = self._where(thread)
                if told is None:
                    continue
                frame = told[0]
                info = info._replace(flags=info.flags | told[1])
            found.setdefault(info.id, []).append((number, thread, info, frame))
        return [_loop(region, entries) for entries in found.values()]

    # ---- Whether a thread is in the loop that it began last ---------------------------------

    def _where(self, thread: "Thread") -> "Optional[Tuple[Frame, int]]":
        """The frame whose code is in a loop, and what that tells: _ORDERED, _SECTIONS."""
        seen = False
        for frame in thread.runtime.services.stack(thread.target):
            if thread.runtime.classifier.kind(frame) != frames.USER:
                if seen:
                    return None  # the region's begin, or a task's
                continue
            seen = True
            if frame.is_inlined or frame.is_signal:
                continue
            flags = self._known(thread, frame)
            if flags is not None:
                return frame, flags
        return None

    def _known(self, thread: "Thread", frame: "Frame") -> Optional[int]:
        key = (frame.start or 0, frame.pc)
        if key not in self._flags:
            try:
                self._flags[key] = self._look(thread, frame)
            except Unclear:
                self._flags[key] = None
        return self._flags[key]

    def _look(self, thread: "Thread", frame: "Frame") -> Optional[int]:
        """If all ways to where a frame is lead into a loop, and none out: of what kind it is."""
        calls = self._calls.of(thread, frame)
        begins = [call for call in calls if _is_begin(call)]
        ends = [call.returns for call in calls if call not in begins]
        if not begins or frame.start is None or frame.pc in ends:
            return None
        if self._flow is None:
            self._flow = Flow(thread.runtime.services)
        here = is_at(frame)
        ways = {call.returns for call in calls}

        def follows(start: int) -> bool:
            """Whether a way leads from there to the frame, past no call."""
            assert self._flow is not None
            others = ways - {start}
            return self._flow.reaches(
                start, here, lambda i: i.address + i.size in others and not here(i)
            )

        if follows(frame.start) or any(map(follows, ends)):
            return None
        kinds = {_flags(call) for call in begins if follows(call.returns)}
        return kinds.pop() if len(kinds) == 1 else None


def _is_of_loops(site: "_ompd.WaitSite") -> bool:
    return (site.function or "").startswith((_BEGIN, _SECTIONS_BEGIN, *_ENDS))


def _is_begin(call: Call) -> bool:
    return not (call.site.function or "").startswith(_ENDS)


def _flags(call: Call) -> int:
    name = call.site.function or ""
    if name.startswith(_SECTIONS_BEGIN):
        return _SECTIONS
    return _ORDERED if "_ordered_" in name or "_doacross_" in name else 0


# ---- What the threads of a loop tell together -----------------------------------------------


def _loop(
    region: "Region", entries: "List[Tuple[int, Thread, _ompd.LoopInfo, Optional[Frame]]]"
) -> Loop:
    number, thread, info, frame = entries[0]
    remaining: Optional[int] = info.remaining if info.flags & _REMAINING else None
    is_least = False
    if remaining is not None and info.flags & _OWN:
        remaining = sum(one.remaining for _, _, one, _ in entries)
        known = {*region.at_barrier, *(entry[0] for entry in entries)}
        is_least = len(known) < (region.team.size or 0)
    return Loop(
        bool(info.flags & _SECTIONS),
        _SCHEDULES.get(info.schedule),
        bool(info.flags & _ORDERED),
        info.chunk or None,
        info.total if info.flags & _TOTAL else None,
        remaining,
        is_least,
        [entry[0] for entry in entries],
        [entry[1] for entry in entries],
        thread.location if frame is None else thread.locate(frame),
    )
