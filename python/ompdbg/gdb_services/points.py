# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places where the program is stopped for a moment, and runs to one of them.

All of them are gone when a run ends, whatever ended it.
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

import gdb

from ompdbg.gdb_services import front_ends
from ompdbg.gdb_services.printed import is_sent_with_text, printed

_STACK_POINTER = "rsp"


class Place(NamedTuple):
    """Where to stop."""

    address: int
    label: str  # tells it from others
    thread: Optional[int] = None  # global number of the only thread that stops there
    stack_pointer: Optional[int] = None  # in the frame that stops there
    wanted: Optional[Callable[[], bool]] = None  # asked last


class Stopped(NamedTuple):
    """How a run ended."""

    place: Optional[Place]  # None: for another reason
    stepped: bool  # the command did what it is for, and nothing else happened
    alive: bool
    text: str  # what GDB said of it


class _Point(gdb.Breakpoint):
    def __init__(self, place: Place) -> None:
        front_ends.hide_internal_breakpoints()
        super().__init__(f"*{place.address:#x}", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True
        self.place = place
        self.was_hit = False
        if place.thread is not None:
            self.thread = place.thread

    def stop(self) -> bool:
        """Called by GDB."""
        place = self.place
        if place.stack_pointer is not None:
            found = stack_pointer(gdb.newest_frame())
            if found != place.stack_pointer:
                return False
        self.was_hit = place.wanted is None or place.wanted()
        if self.was_hit:
            front_ends.expect("step")
        return self.was_hit


def stack_pointer(frame: gdb.Frame) -> int:
    """The stack pointer in a frame."""
    return int(frame.read_register(_STACK_POINTER)) & ((1 << 64) - 1)


def run(command: str, places: Sequence[Place]) -> Stopped:
    """Runs a command of GDB that lets the program run, until one of the places at most."""
    points: List[_Point] = []
    events: List[object] = []
    others = [one for one in gdb.breakpoints() if one.is_valid()]
    counts = {one.number: one.hit_count + one.ignore_count for one in others}
    gdb.events.stop.connect(events.append)
    try:
        for place in places:
            points.append(_Point(place))
        text = _run(command)
        hit = next((point.place for point in points if point.was_hit), None)
    finally:
        gdb.events.stop.disconnect(events.append)
        for point in points:
            if point.is_valid():
                point.delete()
    alive = bool(gdb.selected_inferior().pid)
    event = events[-1] if events else None
    at = event.breakpoints if isinstance(event, gdb.BreakpointEvent) else []
    by_another = any(_has_stopped(one, counts) for one in at)
    if not at or by_another:
        hit = None
    is_step = type(event) is gdb.StopEvent or (bool(at) and not by_another)
    stepped = alive and hit is None and is_step
    return Stopped(hit if alive else None, stepped, alive, text)


def _run(command: str) -> str:
    """What it printed. Nothing if GDB does that itself: front ends have to be told of a stop."""
    if not is_sent_with_text():
        return printed(command)
    gdb.execute(command)
    return ""


def step_silently() -> None:
    """One step, of which GDB says nothing if it can do so (since GDB 14)."""
    try:
        gdb.parameter("suppress-cli-notifications")
        prefix = "with suppress-cli-notifications on -- "
    except RuntimeError:
        prefix = ""
    gdb.execute(prefix + "step", to_string=not is_sent_with_text())


def _has_stopped(breakpoint: gdb.Breakpoint, counts: Dict[int, int]) -> bool:
    """Another breakpoint wants the program to stop there, too. GDB names those as well whose
    condition does not hold; but such hits it does not count. `counts`: what it had counted, and
    was to ignore; of a hit that it ignores, it does both."""
    if isinstance(breakpoint, _Point):
        return False
    if not breakpoint.is_valid():
        return True  # a temporary one
    return breakpoint.hit_count + breakpoint.ignore_count != counts.get(breakpoint.number, 0)
