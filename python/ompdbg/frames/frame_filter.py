# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frames of a stack as OpenMP's users want to see them, for GDB's frame filters."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union, cast

import _ompdbg
import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.FrameIterator import FrameIterator

from ompdbg.console import encoding
from ompdbg.frames import code_places
from ompdbg.frames.decorators import (
    Construct,
    Eliding,
    Foreign,
    Place,
    PlainConstruct,
    Unavailable,
    place_of,
    safe,
)
from ompdbg.front_ends import dap_events
from ompdbg.inferior import session
from ompdbg.variables import source_variables

# So many frames are looked at before the first is shown.
_AHEAD = 6
_NORMAL = gdb.NORMAL_FRAME


def decorated(wrapped: Iterator[Any], hide: bool) -> Iterator[Any]:
    """Return the frames of the selected thread. The runtime's are left out (`hide`), or elided."""
    dap_events.follow_references()
    try:
        thread = session.selected_thread()
    except (_ompdbg.Error, gdb.error):
        thread = None
    if not _has_registers():
        return map(Unavailable, wrapped)
    if thread is None:
        return map(safe, wrapped)
    given = _given_by_gdb(wrapped)
    return _Decorated(
        thread, wrapped if given is None else given, given is not None, hide
    ).frames()


def _has_registers() -> bool:
    """Check that GDB knows the registers of the selected thread: a core file may lack them."""
    try:
        gdb.newest_frame().pc()
    except gdb.error:
        return False
    return True


def _given_by_gdb(wrapped: Iterator[Any]) -> Optional[FrameIterator]:
    """Return GDB's own frames; None if another filter was given them before."""
    if type(wrapped) is not map:
        return None
    try:
        decorator, frames_of_gdb = cast(Tuple[Any, Any], wrapped.__reduce__()[1])
    except (TypeError, ValueError):
        return None
    is_gdbs = decorator is FrameDecorator and type(frames_of_gdb) is FrameIterator
    return frames_of_gdb if is_gdbs else None


_Key = Union[int, code_places.Place]


class _Known(NamedTuple):
    """What is remembered of a process, as long as GDB's settings are these."""

    settings: object
    places: Dict[_Key, Place]  # by address, or place in inlined code
    users: Dict[int, Place]  # of these, those that are the user's whatever is around them
    spread: Dict[int, bool]  # constructs whose variables may lie elsewhere, by entry


def _known() -> _Known:
    services = session.services()
    settings = gdb.parameter("filename-display"), *services.stack_settings
    known: Optional[_Known] = services.shown
    if known is None or known.settings != settings:
        known = services.shown = _Known(settings, {}, {}, {})
    return known


class _Decorated:
    """One stack."""

    def __init__(
        self, thread: _ompdbg.Thread, given: Iterator[Any], is_gdbs: bool, hide: bool
    ) -> None:
        """given: GDB's frames, or decorated ones."""
        self._thread = thread
        self._given = given
        self._is_gdbs = is_gdbs
        self._hide = hide
        self._known = _known()
        self._variables: Dict[
            int, List[source_variables.Captured]
        ] = {}  # that were looked for already
        self._newest: List[Any] = []  # elided, though no older frame was told yet

    def frames(self) -> Iterator[Any]:
        """Yield the user's frames, each with what it called of the runtime."""
        last: Any = None
        run: List[Any] = []  # what follows that is not the user's
        foreign = False  # the runtime is in it
        users, is_gdbs, is_begin = self._known.users, self._is_gdbs, True
        for one in self._given:
            try:
                handle: gdb.Frame = one if is_gdbs else one.inferior_frame()
                is_normal = handle.type() == _NORMAL
                pc = handle.pc() if is_normal else 0
                if is_begin:
                    pc = -pc  # it has called no other
                place = users.get(pc)
                if place is not None and (is_gdbs or type(one) is FrameDecorator):
                    shown = place.told(handle, place)
                else:
                    wrapped, level = self._wrapped(one), handle.level()
                    if last is None and not run:
                        self._look_ahead(level)
                    frame = self._thread.frame(level)
                    shown = self._decorate(wrapped, handle, pc, frame)
                is_begin = not is_normal
            except (_ompdbg.Error, gdb.error):
                # From here on as GDB has them.
                yield from self._told(last, run, False)
                yield safe(self._wrapped(one))
                yield from (safe(self._wrapped(older)) for older in self._given)
                return
            if shown is None:
                run.append(wrapped)
                is_runtimes = frame is not None and (frame.owner == "runtime" or frame.is_made)
                foreign = foreign or is_runtimes
                continue
            if last is not None and not run and not self._newest:
                yield last
            elif last is not None or run:
                yield from self._told(last, run, foreign)
                run, foreign = [], False
            last = shown
        yield from self._told(last, run, foreign and last is not None)

    def _wrapped(self, given: Any) -> Any:
        return FrameDecorator(given) if self._is_gdbs else given

    def _told(self, last: Any, run: List[Any], foreign: bool) -> Iterator[Any]:
        if last is not None:
            elided = self._newest + (run if foreign else [])
            self._newest = []
            yield last if self._hide or not elided else Eliding(last, list(map(Foreign, elided)))
        elif foreign:
            self._newest = run
        if not foreign:
            yield from map(Foreign, run)

    def _decorate(
        self, wrapped: Any, handle: gdb.Frame, pc: int, frame: Optional[_ompdbg.Frame]
    ) -> Any:
        """Return a frame as it is shown; None for one that is not the user's. pc: where other
        frames are like this one, negative of frames that have called no other; 0: nowhere."""
        if frame is None or frame.owner != "user":
            return None
        if type(wrapped) is not FrameDecorator:  # another filter's
            return (
                safe(wrapped)
                if frame.construct is None
                else Construct(wrapped, *self._name(frame))
            )
        is_inlined = not pc and handle.type() == gdb.INLINE_FRAME
        key: _Key = code_places.place_of(handle) if is_inlined else pc
        place = self._known.places.get(key) or place_of(handle)
        if key:
            self._known.places[key] = place
        if frame.construct is not None:
            return PlainConstruct(handle, place, *self._name(frame))
        if pc and frame.function is None and frame.symbol is not None:
            self._known.users[pc] = place  # no other frames had to be known
        return place.told(handle, place)

    def _name(self, frame: _ompdbg.Frame) -> Tuple[str, Optional[List[source_variables.Captured]]]:
        """Return the name of a construct's code, and its variables if they are known."""
        begin = None if frame.start is None else f"{frame.start:#x}"
        name = f"{frame.construct} of {frame.function or begin or '??'}"
        return encoding.line(name), self._variables.get(frame.level)

    # ---- Before the first frame -------------------------------------------------------------

    def _look_ahead(self, level: int) -> None:
        """Ask what other threads tell before GDB prints the first frame: after that it loses count
        of the frames when another thread is selected."""
        ahead = (self._thread.frame(one) for one in range(level, level + _AHEAD))
        if not any(frame is not None and frame.construct is not None for frame in ahead):
            return
        for frame in self._thread.constructs:
            if not self._known.spread.get(frame.start or 0, True):
                continue
            handle = session.services().frame_of(self._thread.number, frame.level)
            may_lie = handle is not None and source_variables.may_lie_elsewhere(handle)
            self._known.spread[frame.start or 0] = may_lie
            if handle is not None and may_lie:
                self._variables[frame.level] = source_variables.local_variables(handle)
