# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames for GDB's own commands: those of the user's code, with constructs under their names.

GDB's `bt` asks for frames one by one, and so they are told one by one: a stack is walked over as a
whole only when the first frame that is the runtime's, or of a construct, is met.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    Union,
    cast,
)

import _ompd
import gdb
from gdb.FrameDecorator import FrameDecorator

from ompdbg import frames
from ompdbg.demangle import without_parameters
from ompdbg.gdb_services import captured, session
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.stack_frame import StackFrame
from ompdbg.model.walk import logical_frames

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame


def decorated(wrapped: Iterator[Any], hide: bool) -> Iterator[Any]:
    """The frames of the selected thread. Those of the runtime are left out (`hide`), or elided."""
    try:
        thread = session.thread_at_stop()
    except (_ompd.Error, gdb.error):
        thread = None
    return wrapped if thread is None else _Decorated(thread, wrapped, hide).frames()


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
        self._items: "Optional[List[LogicalFrame]]" = None
        self.variables: Dict[int, List[captured.Captured]] = {}  # that were looked for already
        self.is_begun = False  # GDB has frames to print

    def look_ahead(self, level: int) -> None:
        """Does what has to be done before GDB prints the first frame."""
        for one in range(level, level + _AHEAD):
            self.kind(one)
        self.is_begun = True

    def kind(self, level: int) -> _Kind:
        if self._items is None:
            frame = self._frame(level)
            if frame is None:
                return _ANYBODYS
            kind = self._classifier.kind(frame)
            if kind != frames.RUNTIME and not _may_be_ours(frame):
                return _Kind(kind == frames.USER, False, frame)
            self._items = logical_frames(self._thread)
            if not self.is_begun:
                self._prepare()
        if level >= len(self._items):
            return _ANYBODYS
        item = self._items[level]
        if item.kind == frames.USER:
            return _Kind(True, False, item.frame, item)
        # What a compiler made around the user's code is no more his than the runtime.
        made = item.kind == frames.SYSTEM and self._classifier.kind(item.frame) == frames.USER
        return _Kind(False, made or item.kind == frames.RUNTIME, item.frame, item)

    def _prepare(self) -> None:
        """What other threads tell is asked for before: GDB, once it prints frame after frame,
        loses count of them when another thread is selected."""
        services = cast(GdbServices, self._thread.runtime.services)
        target, constructs = self._thread.target, []
        for item in self._items or ():
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

    def __init__(self, thread: "Thread", wrapped: Iterator[Any], hide: bool) -> None:
        self._wrapped = wrapped
        self._hide = hide
        self._story = _Story(thread)
        self._places = cast(GdbServices, thread.runtime.services).places
        names = gdb.parameter("filename-display")
        if self._places.get(None) != names:
            self._places.clear()
            self._places[None] = names
        self._newest: List[Any] = []  # elided, though no older frame was told yet
        self._counted: Tuple[Optional[gdb.Frame], int] = (None, 0)

    def frames(self) -> Iterator[Any]:
        """The user's frames, each with what it called of the runtime."""
        last: Any = None
        run: List[Any] = []  # what follows that is not the user's
        foreign = False  # the runtime is in it
        is_begin = True
        for wrapped in self._wrapped:
            try:
                handle: gdb.Frame = wrapped.inferior_frame()
                # A frame of a caller that was seen at its address before, and is no construct's.
                is_normal = handle.type() == gdb.NORMAL_FRAME
                pc = handle.pc() if is_normal and not is_begin else 0
                is_begin = not is_normal
                place = self._places.get(pc) if pc else None
                if place is not None and type(wrapped) is FrameDecorator:
                    if last is not None and not run and not self._newest:
                        yield last
                    else:
                        yield from self._told(last, run, foreign)
                    last, run, foreign = _Plain(handle, place), [], False
                    continue
                level = self._level(handle)
                if not self._story.is_begun:
                    self._story.look_ahead(level)
                kind = self._story.kind(level)
                shown = self._decorate(wrapped, handle, kind) if kind.is_shown else None
            except (_ompd.Error, gdb.error):
                # From here on as GDB has them.
                yield from self._told(last, run, False)
                yield wrapped
                yield from self._wrapped
                return
            if shown is None:
                run.append(_Foreign(wrapped))
                foreign = foreign or kind.is_runtimes
                continue
            yield from self._told(last, run, foreign)
            last, run, foreign = shown, [], False
            if pc and kind.item is None and type(shown) is _Plain:
                self._places[pc] = shown.place
        yield from self._told(last, run, foreign and last is not None)

    def _told(self, last: Any, run: List[Any], foreign: bool) -> Iterator[Any]:
        if last is not None:
            elided = self._newest + (run if foreign else [])
            self._newest = []
            yield last if self._hide or not elided else _Eliding(last, elided)
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

    def _decorate(self, wrapped: Any, handle: gdb.Frame, kind: _Kind) -> Any:
        if kind.item is not None and kind.item.construct is not None:
            item = kind.item
            begin = None if item.frame.start is None else f"{item.frame.start:#x}"
            # Without parameters: GDB adds brackets.
            name = without_parameters(item.function) if item.function else begin
            variables = self._story.variables.get(item.frame.level)
            return _Construct(wrapped, f"{item.construct} of {name or '??'}", variables)
        if type(wrapped) is not FrameDecorator or kind.frame is None:
            return wrapped  # another filter's
        code = cast(StackFrame, kind.frame).code
        place = self._places.get(code)
        if place is None:
            place = self._places[code] = _Place(wrapped, handle)
        return _Plain(handle, place)


# ---- Decorators -----------------------------------------------------------------------------


class _Variable:
    """A variable as GDB's commands want it."""

    __slots__ = ("_told",)

    def __init__(self, told: captured.Captured) -> None:
        self._told = told

    def symbol(self) -> Union[gdb.Symbol, str]:
        """The variable, or its name."""
        symbol = self._told.symbol
        return self._told.name if symbol is None else symbol

    def value(self) -> Union[gdb.Value, str, None]:
        """Its value, or why there is none; None: to be read from the frame."""
        problem = self._told.problem
        return self._told.value if problem is None else f"<error: {problem}>"


class _Argument:
    """One whose value GDB reads from the frame."""

    __slots__ = ("_symbol",)

    def __init__(self, symbol: gdb.Symbol) -> None:
        self._symbol = symbol

    def symbol(self) -> gdb.Symbol:
        """The argument."""
        return self._symbol


class _Construct(FrameDecorator):  # type: ignore[misc]
    """The code of an OpenMP construct."""

    def __init__(
        self, wrapped: Any, name: str, variables: Optional[List[captured.Captured]]
    ) -> None:
        super().__init__(wrapped)
        self._name = name
        self._variables = variables

    def function(self) -> str:
        """`parallel region of solve`."""
        return self._name

    def frame_args(self) -> None:
        """A construct has none."""

    def frame_locals(self) -> List[_Variable]:
        """The user's variables, those of the function around the construct among them."""
        found = self._variables
        if found is None:
            found = captured.local_variables(self.inferior_frame(), anywhere=False)
        return [_Variable(one) for one in found]


class _Foreign(FrameDecorator):  # type: ignore[misc]
    """A frame of the runtime or of the system."""

    def function(self) -> Any:
        """As `bt -no-filters` has it where there is no symbol."""
        found = super().function()
        return found if isinstance(found, str) else self.inferior_frame().name() or "??"


class _Eliding(FrameDecorator):  # type: ignore[misc]
    """A frame with others that belong to it."""

    def __init__(self, wrapped: Any, frames_elided: List[Any]) -> None:
        super().__init__(wrapped)
        self._elided = frames_elided

    def elided(self) -> Iterator[Any]:
        """Frames of the runtime that its code called."""
        return iter(self._elided)


class _Place:
    """What GDB tells of every frame that is at the same place."""

    __slots__ = ("function", "address", "filename", "line", "has_arguments", "arguments")

    def __init__(self, wrapped: Any, handle: gdb.Frame) -> None:
        # As `bt -no-filters` has it: not `main()` of C++, to which GDB adds the arguments, nor the
        # address of code without a symbol, which it prints as "".
        self.function = frames.shown_name(handle.name()) or "??"
        self.address = wrapped.address()
        self.filename = wrapped.filename()
        self.line = wrapped.line()
        found = wrapped.frame_args()
        self.has_arguments = bool(found)
        self.arguments = None if found is None else _arguments([one.symbol() for one in found])


def _arguments(symbols: List[gdb.Symbol]) -> "Optional[List[_Argument]]":
    """None: they are to be looked at in each frame."""
    if any(symbol.type is not None and symbol.type.dynamic for symbol in symbols):
        return None
    return [_Argument(symbol) for symbol in symbols if captured.is_users(symbol)]


class _Plain:
    """A frame as GDB has it, told faster. It has no others that belong to it, and no elided()."""

    __slots__ = ("_handle", "place")

    def __init__(self, handle: gdb.Frame, place: _Place) -> None:
        self._handle = handle
        self.place = place

    def inferior_frame(self) -> gdb.Frame:
        """GDB's frame."""
        return self._handle

    def function(self) -> Any:
        """As FrameDecorator."""
        return self.place.function

    def address(self) -> Any:
        """As FrameDecorator."""
        return self.place.address

    def filename(self) -> Any:
        """As FrameDecorator."""
        return self.place.filename

    def line(self) -> Any:
        """As FrameDecorator."""
        return self.place.line

    def frame_args(self) -> "Union[None, List[_Argument], List[_Variable]]":
        """The user's."""
        if self.place.arguments is None and self.place.has_arguments:
            return [_Variable(one) for one in captured.arguments(self._handle)]
        return self.place.arguments

    def frame_locals(self) -> List[_Variable]:
        """The user's variables."""
        return [_Variable(one) for one in captured.local_variables(self._handle, anywhere=False)]
