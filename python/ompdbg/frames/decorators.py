# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB is told of a frame that it prints: objects as its frame decorators have to be."""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, NamedTuple, Optional, Type, Union

import _ompdbg
import gdb
from gdb.FrameDecorator import FrameDecorator

from ompdbg.console import encoding
from ompdbg.variables import locations, source_variables
from ompdbg.variables.symbols import may_be_nowhere

# From GDB 14 on.
_DAP_DECORATOR = getattr(sys.modules["gdb.FrameDecorator"], "DAPFrameDecorator", None)


class Name(str):
    """Of a variable without a symbol. GDB's DAP server, from 18 on, wants a symbol's attribute."""

    @property
    def print_name(self) -> str:
        """As a symbol has it."""
        return self


class Variable:
    """A variable as GDB's commands want it."""

    __slots__ = ("_told",)

    def __init__(self, told: source_variables.Captured) -> None:
        self._told = told

    def symbol(self) -> Union[gdb.Symbol, str]:
        """The variable, or its name."""
        symbol = self._told.symbol
        return Name(encoding.line(self._told.name)) if symbol is None else symbol

    def value(self) -> Union[gdb.Value, str, None]:
        """Its value, or why there is none; None: to be read from the frame."""
        problem = self._told.problem
        return self._told.value if problem is None else problem


class _Spoken(FrameDecorator):  # type: ignore[misc]
    """A frame of which everything can be printed; GDB's own decorator fails on some names."""

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped.inferior_frame() if type(wrapped) is FrameDecorator else wrapped)

    def _is_limited_frame(self, frame: gdb.Frame) -> bool:
        """Tell whether GDB knows no more than the address, by the name of the file, too."""
        try:
            return bool(super()._is_limited_frame(frame))
        except UnicodeDecodeError:
            return False

    def function(self) -> Any:
        """Its function; where there is none, its address."""
        return encoding.printed_name(super().function)

    def filename(self) -> Any:
        """Its source file, or its library."""
        return encoding.printed_name(super().filename)


_Variables = Optional[List[source_variables.Captured]]


class Construct(_Spoken):
    """The code of an OpenMP construct, of which another filter tells."""

    def __init__(self, wrapped: Any, name: str, variables: _Variables) -> None:
        super().__init__(wrapped)
        self._name = name
        self._variables = variables

    def function(self) -> str:
        """`parallel region of solve`."""
        return self._name

    def frame_args(self) -> None:
        """A construct has none."""

    def frame_locals(self) -> List[Variable]:
        """The user's variables, those of the function around the construct among them."""
        return _variables(self.inferior_frame(), self._variables)


def _variables(handle: gdb.Frame, known: _Variables) -> List[Variable]:
    found = source_variables.local_variables(handle, anywhere=False) if known is None else known
    return [Variable(one) for one in found]


class _Safe(_Spoken):
    """A frame as GDB has it, of which it says what it can't read: its own decorator fails then."""

    def frame_args(self) -> List[Variable]:
        """The user's."""
        return [Variable(one) for one in source_variables.arguments(self.inferior_frame())]

    def frame_locals(self) -> List[Variable]:
        """The user's variables."""
        return _variables(self.inferior_frame(), None)


class _OfServer(_Spoken):
    """A frame as GDB's DAP server has it, which chooses the variables."""

    def frame_args(self) -> List[Any]:
        """As it has them, or why they can't be read."""
        return self._readable(super().frame_args())

    def frame_locals(self) -> List[Any]:
        """As it has them, or why they can't be read."""
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
    """Unless it is another filter's."""
    if type(wrapped) is FrameDecorator:
        return _Safe(wrapped)
    return _OfServer(wrapped) if type(wrapped) is _DAP_DECORATOR else wrapped


class Foreign(_Safe):
    """A frame of the runtime or of the system."""

    def function(self) -> Any:
        """As `bt -no-filters` has it where there is no symbol."""
        handle = self.inferior_frame()
        if handle.type() in (gdb.DUMMY_FRAME, gdb.SIGTRAMP_FRAME):
            return super().function()
        return encoding.line(encoding.of(handle, "name") or "??")


class Eliding(_Spoken):
    """A frame with others that belong to it."""

    def __init__(self, wrapped: Any, frames_elided: List[Any]) -> None:
        super().__init__(wrapped)
        self._elided = frames_elided

    def elided(self) -> Iterator[Any]:
        """Frames of the runtime that its code called."""
        return iter(self._elided)


class Argument:
    """An argument whose value GDB reads from the frame."""

    __slots__ = ("_symbol",)

    def __init__(self, symbol: gdb.Symbol) -> None:
        self._symbol = symbol

    def symbol(self) -> gdb.Symbol:
        """GDB's symbol."""
        return self._symbol

    def value(self) -> None:
        """To be read from the frame."""


class Place(NamedTuple):
    """What is told of every frame at the same place."""

    function: str
    address: Optional[int]
    filename: Optional[str]
    line: Optional[int]
    arguments: Optional[List[Argument]]
    told: "Type[Plain]"


def place_of(handle: gdb.Frame) -> Place:
    """As GDB has it."""
    spoken = _Spoken(handle)
    # As `bt -no-filters` has it: not `main()` of C++, to which GDB adds the arguments, nor the
    # address of code without a symbol, which it prints as "".
    function = _ompdbg.shown_name(encoding.of(handle, "name")) or "??"
    found = spoken.frame_args()
    symbols: List[gdb.Symbol] = [one.symbol() for one in found or ()]
    is_dynamic = any(may_be_nowhere(one) or not locations.is_right(one, handle) for one in symbols)
    users = [Argument(symbol) for symbol in symbols if source_variables.is_users(symbol)]
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
        """GDB's frame."""
        return self._handle

    def function(self) -> str:
        """Its function's name."""
        return self._place.function

    def address(self) -> Optional[int]:
        """Where its code is."""
        return self._place.address

    def filename(self) -> Optional[str]:
        """Its source file."""
        return self._place.filename

    def line(self) -> Optional[int]:
        """Its source line."""
        return self._place.line

    def frame_args(self) -> Any:
        """The user's arguments."""
        return self._place.arguments

    def elided(self) -> None:
        """No other frames belong to it."""

    def frame_locals(self) -> List[Variable]:
        """The user's variables."""
        return _variables(self.inferior_frame(), None)


class PlainOfDynamic(Plain):
    """One with arguments that are to be looked at in each frame."""

    __slots__ = ()

    def frame_args(self) -> List[Variable]:
        """The user's."""
        return [Variable(one) for one in source_variables.arguments(self.inferior_frame())]


class PlainConstruct(Plain):
    """The code of an OpenMP construct."""

    __slots__ = ("_name", "_variables")

    def __init__(self, handle: gdb.Frame, place: Place, name: str, variables: _Variables) -> None:
        super().__init__(handle, place)
        self._name = name
        self._variables = variables

    def function(self) -> str:
        """`parallel region of solve`."""
        return self._name

    def frame_args(self) -> None:
        """A construct has none."""

    def frame_locals(self) -> List[Variable]:
        """The user's variables, those of the function around the construct among them."""
        return _variables(self._handle, self._variables)


class Unavailable:
    """The frame of a thread without registers, as `bt -no-filters` has it: GDB's own decorator
    fails there."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def inferior_frame(self) -> gdb.Frame:
        """GDB's frame."""
        handle: gdb.Frame = self._wrapped.inferior_frame()
        return handle

    def function(self) -> str:
        """What GDB prints in the place of an address, too."""
        return "<unavailable> in ??"

    def address(self) -> None:
        """As FrameDecorator."""

    def filename(self) -> None:
        """As FrameDecorator."""

    def line(self) -> None:
        """As FrameDecorator."""

    def frame_args(self) -> None:
        """As FrameDecorator."""

    def frame_locals(self) -> None:
        """As FrameDecorator."""
