# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB is told of a frame that it prints: objects as its frame decorators have to be."""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, NamedTuple, Optional, Type, Union

import _ompdbg
import gdb
from gdb.FrameDecorator import FrameDecorator, FrameVars

from ompdbg.console import encoding
from ompdbg.variables import locations, source_variables
from ompdbg.variables.symbols import may_be_nowhere

# From GDB 14 on.
_DAP_DECORATOR = getattr(sys.modules["gdb.FrameDecorator"], "DAPFrameDecorator", None)


class Name(str):
    """Of a variable without a symbol. GDB's DAP server, from 18 on, wants a symbol's attribute."""

    @property
    def print_name(self) -> str:
        """Return the name, as a symbol does."""
        return self


class Variable:
    """A variable as GDB's commands want it."""

    __slots__ = ("_told",)

    def __init__(self, told: source_variables.Captured) -> None:
        self._told = told

    def symbol(self) -> Union[gdb.Symbol, str]:
        """Return the variable, or its name."""
        symbol = self._told.symbol
        return Name(encoding.line(self._told.name)) if symbol is None else symbol

    def value(self) -> Union[gdb.Value, str, None]:
        """Return its value, or why there is none; None: to be read from the frame."""
        problem = self._told.problem
        return self._told.value if problem is None else problem


class Spoken(FrameDecorator):  # type: ignore[misc]
    """A frame of which everything can be printed; GDB's own decorator fails on some names."""

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped.inferior_frame() if type(wrapped) is FrameDecorator else wrapped)

    def function(self) -> Any:
        """Return the function's name; without one, its address."""
        return encoding.printed_name(super().function)

    def filename(self) -> Any:
        """Return the source file, or the library."""
        return encoding.printed_name(super().filename)

    # GDB's own looks at the name of the source file first, to see whether there is one.

    def line(self) -> Optional[int]:
        """Return the number of the line."""
        try:
            found: Optional[int] = super().line()
        except UnicodeDecodeError:
            found = self.inferior_frame().find_sal().line
        return found

    def frame_args(self) -> Any:
        """Return the function's arguments."""
        try:
            return super().frame_args()
        except UnicodeDecodeError:
            return FrameVars(self.inferior_frame()).fetch_frame_args()

    def frame_locals(self) -> Any:
        """Return local variables."""
        try:
            return super().frame_locals()
        except UnicodeDecodeError:
            return FrameVars(self.inferior_frame()).fetch_frame_locals()


class Native(Spoken):
    """A frame as `bt -no-filters` shows it."""

    def function(self) -> Any:
        """Return the name; GDB's own decorator has another word where there is no symbol."""
        handle = self.inferior_frame()
        if handle.type() in (gdb.DUMMY_FRAME, gdb.SIGTRAMP_FRAME):
            return super().function()
        return encoding.line(encoding.of(handle, "name") or "??")


_Variables = Optional[List[source_variables.Captured]]


class Construct(Spoken):
    """The code of an OpenMP construct, of which another filter tells."""

    def __init__(self, wrapped: Any, name: str, variables: _Variables) -> None:
        super().__init__(wrapped)
        self._name = name
        self._variables = variables

    def function(self) -> str:
        return self._name

    def frame_args(self) -> None:
        """Return nothing: a construct has no arguments."""

    def frame_locals(self) -> List[Variable]:
        """Return the user's variables, with those of the function around the construct."""
        return _variables(self.inferior_frame(), self._variables)


def _variables(handle: gdb.Frame, known: _Variables) -> List[Variable]:
    found = source_variables.local_variables(handle, anywhere=False) if known is None else known
    return [Variable(one) for one in found]


class _Safe(Spoken):
    """A frame as GDB has it, of which it says what it can't read: its own decorator fails then."""

    def frame_args(self) -> List[Variable]:
        return [Variable(one) for one in source_variables.arguments(self.inferior_frame())]

    def frame_locals(self) -> List[Variable]:
        return _variables(self.inferior_frame(), None)


class _OfServer(Spoken):
    """A frame as GDB's DAP server has it, which chooses the variables."""

    def frame_args(self) -> List[Any]:
        """Return GDB's arguments, or why they cannot be read."""
        return self._readable(super().frame_args())

    def frame_locals(self) -> List[Any]:
        """Return GDB's variables, or why they cannot be read."""
        return self._readable(super().frame_locals())

    def _readable(self, found: Optional[List[Any]]) -> List[Any]:
        handle, told = self.inferior_frame(), []
        for one in found or ():
            symbol = one.symbol()
            if isinstance(symbol, gdb.Symbol) and one.value() is None:
                known = source_variables.readable(
                    source_variables.Captured(encoding.name(symbol), symbol, None), handle
                )
                told.append(one if known.problem is None else Variable(known))
            else:
                told.append(one)
        return told


def safe(wrapped: Any) -> Any:
    """Return a frame that says what cannot be read; another filter's frame stays as it is."""
    if type(wrapped) is FrameDecorator:
        return _Safe(wrapped)
    return _OfServer(wrapped) if type(wrapped) is _DAP_DECORATOR else wrapped


class Foreign(Native, _Safe):
    """A frame of the runtime or of the system."""


class Eliding(Spoken):
    """A frame with others that belong to it."""

    def __init__(self, wrapped: Any, frames_elided: List[Any]) -> None:
        super().__init__(wrapped)
        self._elided = frames_elided

    def elided(self) -> Iterator[Any]:
        """Return frames of the runtime that its code called."""
        return iter(self._elided)


class Place(NamedTuple):
    """What is told of every frame at the same place."""

    function: str
    address: Optional[int]
    filename: Optional[str]
    line: Optional[int]
    arguments: Optional[List[Variable]]
    told: Type[Plain]


def place_of(handle: gdb.Frame) -> Place:
    """Return what GDB knows of a frame's place."""
    spoken = Spoken(handle)
    # As `bt -no-filters` has it: not `main()` of C++, to which GDB adds the arguments, nor the
    # address of code without a symbol, which it prints as "".
    function = _ompdbg.shown_name(encoding.of(handle, "name")) or "??"
    found = spoken.frame_args()
    symbols: List[gdb.Symbol] = [one.symbol() for one in found or ()]
    is_dynamic = any(may_be_nowhere(one) or not locations.is_right(one, handle) for one in symbols)
    users = [
        Variable(source_variables.Captured(encoding.name(symbol), symbol, None))
        for symbol in symbols
        if source_variables.is_users(symbol)
    ]
    return Place(
        encoding.line(function),
        spoken.address(),
        spoken.filename(),
        spoken.line(),
        None if found is None else users,
        PlainOfDynamic if is_dynamic else Plain,
    )


class Plain:
    """A frame as GDB has it: most of what is told of it was found out with its place."""

    __slots__ = ("_handle", "_place")

    def __init__(self, handle: gdb.Frame, place: Place) -> None:
        self._handle = handle
        self._place = place

    def inferior_frame(self) -> gdb.Frame:
        return self._handle

    def function(self) -> str:
        return self._place.function

    def address(self) -> Optional[int]:
        return self._place.address

    def filename(self) -> Optional[str]:
        return self._place.filename

    def line(self) -> Optional[int]:
        return self._place.line

    def frame_args(self) -> Any:
        return self._place.arguments

    def elided(self) -> None:
        """Return nothing: no other frames belong to it."""

    def frame_locals(self) -> Optional[List[Variable]]:
        """Return the user's variables."""
        return _variables(self.inferior_frame(), None)


class PlainOfDynamic(Plain):
    """One with arguments that are to be looked at in each frame."""

    __slots__ = ()

    def frame_args(self) -> List[Variable]:
        return [Variable(one) for one in source_variables.arguments(self.inferior_frame())]


class PlainConstruct(Plain):
    """The code of an OpenMP construct."""

    __slots__ = ("_name", "_variables")

    def __init__(self, handle: gdb.Frame, place: Place, name: str, variables: _Variables) -> None:
        super().__init__(handle, place)
        self._name = name
        self._variables = variables

    def function(self) -> str:
        return self._name

    def frame_args(self) -> None:
        """Return nothing: a construct has no arguments."""

    def frame_locals(self) -> List[Variable]:
        """Return the user's variables, with those of the function around the construct."""
        return _variables(self._handle, self._variables)


_UNAVAILABLE = Place("<unavailable> in ??", None, None, None, None, Plain)


class Unavailable(Plain):
    """The frame of a thread without registers, as `bt -no-filters` shows it: GDB's own decorator
    fails there."""

    __slots__ = ()

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped.inferior_frame(), _UNAVAILABLE)

    def frame_locals(self) -> None:
        """Return nothing."""
