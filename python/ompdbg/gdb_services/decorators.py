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

from ompdbg import frames
from ompdbg.gdb_services import captured, front_ends, session, stacks
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.lacking import Unavailable, has_registers
from ompdbg.gdb_services.stack_frame import StackFrame
from ompdbg.gdb_services.told_frames import Construct, Eliding, Foreign, Place, place_of, safe
from ompdbg.model.walk import walk_of

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread
    from ompdbg.model.walk import Walk
    from ompdbg.services import Frame


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
    newest = _newest_of_all(wrapped)
    if newest is None:
        return _Decorated(thread, wrapped, False, hide, known.places).frames()
    key = thread.target.number, hide
    shown = known.stacks.get(key)
    if shown is not None and shown.is_same(newest):
        return iter(shown.frames)
    return _kept(known, key, _Decorated(thread, _from(newest), True, hide, known.places))


def _newest_of_all(wrapped: Iterator[Any]) -> Optional[gdb.Frame]:
    """Where GDB's frames begin; None if another filter was given them before."""
    if type(wrapped) is not map or not hasattr(gdb.Frame, "level"):  # from GDB 11 on
        return None
    try:
        decorator, frames_of_gdb = cast(Tuple[Any, Any], wrapped.__reduce__()[1])
    except (TypeError, ValueError):
        return None
    is_gdbs = decorator is FrameDecorator and type(frames_of_gdb) is FrameIterator
    return frames_of_gdb.frame if is_gdbs else None


def _from(frame: Optional[gdb.Frame]) -> Iterator[gdb.Frame]:
    """As FrameIterator."""
    while frame is not None:
        older = frame.older()
        yield frame
        frame = older


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
    settings = gdb.parameter("filename-display"), *stacks.settings()
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


# So many frames are looked at before the first is shown.
_AHEAD = 6


class _Kind(NamedTuple):
    """What a frame is."""

    is_shown: bool
    is_runtimes: bool
    frame: "Optional[Frame]"
    item: "Optional[LogicalFrame]" = None


_ANYBODYS = _Kind(False, False, None)


class _Story:
    """A thread's frames by level, worked out as far as they are asked for."""

    def __init__(self, thread: "Thread") -> None:
        self._thread = thread
        self._classifier = thread.runtime.classifier
        self._walk: "Iterator[Frame]" = iter(thread.runtime.services.stack(thread.target))
        self._known: "List[Frame]" = []
        self._whole: "Optional[Walk]" = None
        self.variables: Dict[int, List[captured.Captured]] = {}  # that were looked for already
        self.is_begun = False  # GDB has frames to print

    def look_ahead(self, level: int) -> None:
        """Does what has to be done before GDB prints the first frame."""
        for one in range(level, level + _AHEAD):
            self.kind(one)
        self.is_begun = True

    def kind(self, level: int) -> _Kind:
        if self._whole is None:
            frame = self._frame(level)
            if frame is None:
                return _ANYBODYS
            kind = self._classifier.kind(frame)
            if kind != frames.RUNTIME and not _may_be_ours(frame):
                return _Kind(kind == frames.USER, False, frame)
            self._whole = walk_of(self._thread)
            if not self.is_begun:
                self._prepare(self._whole)
        if level >= len(self._whole.stack):
            return _ANYBODYS
        item = self._whole.constructs.frame(level)
        if item.kind == frames.USER:
            return _Kind(True, False, item.frame, item)
        # What a compiler made around the user's code is no more his than the runtime.
        made = item.kind == frames.SYSTEM and self._classifier.kind(item.frame) == frames.USER
        return _Kind(False, made or item.kind == frames.RUNTIME, item.frame, item)

    def _prepare(self, whole: "Walk") -> None:
        """What other threads tell is asked for before: GDB, once it prints frame after frame,
        loses count of them when another thread is selected."""
        services = cast(GdbServices, self._thread.runtime.services)
        target, constructs = self._thread.target, []
        for item in whole.frames:
            handle = services.frame_handle(target, item.frame) if item.construct else None
            if handle is not None:
                constructs.append((item.frame.level, handle))
        if constructs:
            stack = services.extent(target)
            for level, handle in constructs:
                if captured.lies_elsewhere(handle, stack):
                    self.variables[level] = captured.local_variables(handle)

    def _frame(self, level: int) -> "Optional[Frame]":
        while len(self._known) <= level:
            frame = next(self._walk, None)
            if frame is None:
                return None
            self._known.append(frame)
        return self._known[level]


def _may_be_ours(frame: "Frame") -> bool:
    symbol = frame.symbol
    if symbol is None:
        return False
    if frames.is_outlined(symbol) or frames.is_runtime_stub(symbol):
        return True
    return symbol == "main" and frames.is_fortran(frame.file)


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
        self._story = _Story(thread)
        self._places = places
        self.handles: List[gdb.Frame] = []  # of GDB's frames
        self.is_all_ours = True  # none of another filter's, nor of a stack that can't be told
        self._newest: List[Any] = []  # elided, though no older frame was told yet
        self._counted: Tuple[Optional[gdb.Frame], int] = (None, 0)

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
                    if last is not None and not run and not self._newest:
                        yield last
                    else:
                        yield from self._told(last, run, foreign)
                    last, run, foreign = place.told(handle, place), [], False
                    continue
                wrapped = self._wrapped(one)
                level = self._level(handle)
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
                run.append(Foreign(wrapped))
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
            yield last if self._hide or not elided else Eliding(last, elided)
        elif foreign:
            self._newest = run
        if not foreign:
            yield from run

    def _level(self, handle: gdb.Frame) -> int:
        if hasattr(handle, "level"):
            return handle.level()
        # GDB 10
        at, level = self._counted
        if at is None:
            at = gdb.newest_frame()
        while at is not None and at != handle:
            at = at.older()
            level += 1
        self._counted = at, level
        return level

    def _decorate(self, wrapped: Any, handle: gdb.Frame, pc: int, kind: _Kind) -> Any:
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
            place = self._places[code] = place_of(wrapped, handle)
        if pc and kind.item is None:
            self._places[pc] = place
        return place.told(handle, place)
