# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames for GDB's own commands: those of the user's code, with constructs under their names.

GDB's `bt` asks for frames one by one, and so they are told one by one: a stack is walked over as a
whole only when the first frame that is the runtime's, or of a construct, is met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, cast

import _ompd
import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.FrameIterator import FrameIterator

from ompdbg.gdb_services import front_ends, session
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.lacking import Unavailable, has_registers
from ompdbg.gdb_services.stack_frame import StackFrame
from ompdbg.gdb_services.story import Kind, Story
from ompdbg.gdb_services.told_frames import Construct, Eliding, Foreign, Place, place_of, safe

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread


def decorated(wrapped: Iterator[Any], hide: bool) -> Iterator[Any]:
    """The frames of the selected thread. Those of the runtime are left out (`hide`), or elided."""
    front_ends.follow_references()
    try:
        thread = session.thread_at_stop()
    except (_ompd.Error, gdb.error):
        thread = None
    if not has_registers():
        return map(Unavailable, wrapped)
    if thread is None:
        return map(safe, wrapped)
    known = _known(cast(GdbServices, thread.runtime.services))
    given = _given_by_gdb(wrapped)
    if given is None or given.frame is None:
        return _Decorated(thread, wrapped, False, hide, known.places).frames()
    key = thread.target.number, hide
    shown = known.stacks.get(key)
    if shown is not None and shown.is_same(given.frame):
        return iter(shown.frames)
    return _kept(known, key, _Decorated(thread, given, True, hide, known.places))


def _given_by_gdb(wrapped: Iterator[Any]) -> Optional[FrameIterator]:
    """GDB's own frames; None if another filter was given them before."""
    if type(wrapped) is not map:
        return None
    try:
        decorator, frames_of_gdb = cast(Tuple[Any, Any], wrapped.__reduce__()[1])
    except (TypeError, ValueError):
        return None
    is_gdbs = decorator is FrameDecorator and type(frames_of_gdb) is FrameIterator
    return frames_of_gdb if is_gdbs else None


class _Stack(NamedTuple):
    """A whole stack as it was shown before."""

    handles: List[gdb.Frame]
    frames: List[Any]

    def is_same(self, newest: gdb.Frame) -> bool:
        """Whether GDB still unwinds just these frames: it does not tell of a new unwinder."""
        try:
            return (
                self.handles[0] == newest
                and all(map(gdb.Frame.is_valid, self.handles))
                and self.handles[-1].level() == len(self.handles) - 1
                and self.handles[-1].older() is None
            )
        except gdb.error:
            return False


class _Known:
    """What is remembered of a process, as long as GDB's settings are these."""

    def __init__(self, settings: Tuple[object, ...]) -> None:
        self.settings = settings
        self.places: Dict[object, Place] = {}  # by address, or by what is known of the code there
        self.stacks: Dict[Tuple[int, bool], _Stack] = {}  # at this stop, by thread
        self.moves = 0


def _known(services: GdbServices) -> _Known:
    settings = gdb.parameter("filename-display"), *services.stack_settings
    known: Optional[_Known] = services.shown
    if known is None or known.settings != settings:
        known = services.shown = _Known(settings)
    if known.moves != services.moves:
        known.moves = services.moves
        known.stacks.clear()
    return known


def _kept(known: _Known, key: Tuple[int, bool], decorated: "_Decorated") -> Iterator[Any]:
    """The same frames; who has asked for all of them gets these again."""
    moves, found = known.moves, []
    for one in decorated.frames():
        found.append(one)
        yield one
    if decorated.is_all_ours and known.moves == moves:
        known.stacks[key] = _Stack(decorated.handles, found)


class _Decorated:
    """One stack."""

    def __init__(
        self,
        thread: "Thread",
        given: Iterator[Any],
        is_gdbs: bool,
        hide: bool,
        places: Dict[object, Place],
    ) -> None:
        """given: GDB's frames, or decorated ones."""
        self._given = given
        self._is_gdbs = is_gdbs
        self._hide = hide
        self._story = Story(thread)
        self._places = places
        self.handles: List[gdb.Frame] = []  # of GDB's frames
        self.is_all_ours = True  # none of another filter's, nor of a stack that can't be told
        self._newest: List[Any] = []  # elided, though no older frame was told yet

    def frames(self) -> Iterator[Any]:
        """The user's frames, each with what it called of the runtime."""
        last: Any = None
        run: List[Any] = []  # what follows that is not the user's
        foreign = False  # the runtime is in it
        is_begin = True
        for one in self._given:
            try:
                handle: gdb.Frame = one if self._is_gdbs else one.inferior_frame()
                self.handles.append(handle)
                # A frame of a caller that was seen at its address before, and is no construct's.
                is_normal = handle.type() == gdb.NORMAL_FRAME
                pc = handle.pc() if is_normal and not is_begin else 0
                is_begin = not is_normal
                place = self._places.get(pc) if pc else None
                if place is not None and (self._is_gdbs or type(one) is FrameDecorator):
                    shown = place.told(handle, place)
                else:
                    wrapped, place = self._wrapped(one), None
                    level = handle.level()
                    if not self._story.is_begun:
                        self._story.look_ahead(level)
                    kind = self._story.kind(level)
                    shown = self._decorate(wrapped, handle, pc, kind) if kind.is_shown else None
            except (_ompd.Error, gdb.error):
                # From here on as GDB has them.
                self.is_all_ours = False
                yield from self._told(last, run, False)
                yield safe(self._wrapped(one))
                yield from (safe(self._wrapped(older)) for older in self._given)
                return
            if shown is None:
                run.append(wrapped)
                foreign = foreign or kind.is_runtimes
                continue
            yield from self._told(last, run, foreign)
            last, run, foreign = shown, [], False
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

    def _decorate(self, wrapped: Any, handle: gdb.Frame, pc: int, kind: Kind) -> Any:
        """pc: where other frames are like this one; 0: nowhere."""
        if kind.item is not None and kind.item.construct is not None:
            item = kind.item
            begin = None if item.frame.start is None else f"{item.frame.start:#x}"
            name = item.function or begin or "??"
            variables = self._story.variables.get(item.frame.level)
            return Construct(wrapped, f"{item.construct} of {name}", variables)
        if type(wrapped) is not FrameDecorator or kind.frame is None:
            self.is_all_ours = False
            return safe(wrapped)  # another filter's, or at an end of the stack
        code = cast(StackFrame, kind.frame).code
        place = self._places.get(code)
        if place is None:
            place = self._places[code] = place_of(handle)
        if pc and kind.item is None:
            self._places[pc] = place
        return place.told(handle, place)
