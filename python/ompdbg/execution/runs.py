# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs to places at which the program is stopped for a moment. The breakpoints there are gone when
a run ends, whatever ended it."""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import _ompdbg
import gdb

from ompdbg.console.output import is_sent_with_text, printed
from ompdbg.front_ends import dap_events
from ompdbg.inferior.services import GdbServices


class Ended(NamedTuple):
    """How a step or a run ended."""

    shown: bool  # GDB has said what happened, as far as it is not in `text`
    text: str


class Place(NamedTuple):
    """A place at which to stop."""

    address: int
    then: Callable[[], Optional[Ended]]  # what to do there
    thread: Optional[int] = None  # global number of the only thread that stops there
    stack_pointer: Optional[int] = None  # in the frame that stops there
    wanted: Optional[Callable[[], bool]] = None  # asked last


class Stopped(NamedTuple):
    """How a run ended."""

    place: Optional[Place]  # None: for another reason
    stepped: bool  # the command did what it is for, and nothing else happened
    text: str  # what GDB said


class _Point(gdb.Breakpoint):
    def __init__(self, place: Place) -> None:
        dap_events.hide_internal_breakpoints()
        super().__init__(f"*{place.address:#x}", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True
        self.place = place
        self.was_hit = False
        if place.thread is not None:
            self.thread = place.thread

    def stop(self) -> bool:
        """Called by GDB."""
        place = self.place
        if place.stack_pointer not in (None, stack_pointer(gdb.newest_frame())):
            return False
        self.was_hit = place.wanted is None or place.wanted()
        if self.was_hit:
            dap_events.expect("step")
        return self.was_hit


def handovers(services: GdbServices, *kinds: str) -> Iterator[Tuple[int, str]]:
    """Yield address and name of the functions of the program's runtimes by which compiled code
    hands over the code of constructs."""
    for name, kind in _ompdbg.HANDOVERS.items():
        for address in services.files.in_runtimes(name) if kind in kinds else ():
            yield address, name


def stack_pointer(frame: gdb.Frame) -> int:
    """Return the stack pointer in a frame."""
    return int(frame.read_register("rsp")) & ((1 << 64) - 1)


def run(command: str, places: Sequence[Place]) -> Stopped:
    """Run a command of GDB that lets the program run, until one of the places at most."""
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
    event = events[-1] if events else None
    if not gdb.selected_inferior().pid:
        return Stopped(None, False, text)
    if not isinstance(event, gdb.BreakpointEvent):
        return Stopped(None, type(event) is gdb.StopEvent, text)
    if any(_has_stopped(one, counts) for one in event.breakpoints):
        return Stopped(None, False, text)
    return Stopped(hit, hit is None, text)


def _run(command: str) -> str:
    """Return what a command printed. Nothing if GDB does that itself: front ends have to be told
    of a stop."""
    if not is_sent_with_text():
        return printed(command)
    gdb.execute(command)
    return ""


def step_silently() -> None:
    """Do one step, of which GDB says nothing if it can do so (since GDB 14)."""
    try:
        gdb.parameter("suppress-cli-notifications")
        prefix = "with suppress-cli-notifications on -- "
    except RuntimeError:
        prefix = ""
    gdb.execute(prefix + "step", to_string=not is_sent_with_text())


def _has_stopped(breakpoint: gdb.Breakpoint, counts: Dict[int, int]) -> bool:
    """Check that another breakpoint wants the program to stop there, too. GDB names those as well
    whose condition does not hold, but does not count such hits. `counts`: what it had counted, and
    was to ignore; of a hit that it ignores, it does both."""
    if isinstance(breakpoint, _Point):
        return False
    if not breakpoint.is_valid():
        return True  # a temporary one
    return breakpoint.hit_count + breakpoint.ignore_count != counts.get(breakpoint.number, 0)
