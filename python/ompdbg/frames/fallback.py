# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's own frames in place of ours, where ours fail: an error of ours must not cost the user the
stack. One line for each stack says so."""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterator, List, Optional

import gdb
from gdb.FrameIterator import FrameIterator

from ompdbg.console import failures
from ompdbg.frames.decorators import Native

# GDB's server for front ends.
_SERVER = "gdb.dap.server"


def guarded(decorate: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield the frames that a function decorates. After a failure, GDB's own follow."""
    stack = _Stack()
    try:
        for one in _frames(decorate, stack):
            stack.tell()
            yield _Guarded(one, stack)
    finally:
        stack.tell()


def _frames(decorate: Callable[[], Iterator[Any]], stack: _Stack) -> Iterator[Any]:
    shown: Any = None
    try:
        for shown in decorate():
            yield shown
    except Exception as error:  # pylint: disable=broad-except
        stack.has_failed(error)
        older = gdb.newest_frame() if shown is None else shown.inferior_frame().older()
        yield from map(Native, FrameIterator(older))


class _Stack:
    """A stack that GDB prints, and the first failure in it. GDB asks in the middle of a row: the
    line that tells of the failure comes after that."""

    __slots__ = ("_failure", "_is_told")

    def __init__(self) -> None:
        self._failure: Optional[Exception] = None
        self._is_told = False

    def has_failed(self, error: Exception) -> None:
        """Note a failure."""
        if self._failure is None:
            self._failure = error
            if _SERVER in sys.modules:
                self.tell()  # it prints no rows, and asks later

    def tell(self) -> None:
        """Tell of it, once."""
        if self._failure is not None and not self._is_told:
            self._is_told = True
            failures.tell("the frame filter", self._failure)


def _asked(name: str) -> Callable[[_Guarded], Any]:
    """Make a method of a frame's decorator that falls back to GDB's own."""

    def ask(self: _Guarded) -> Any:
        try:
            method = getattr(self.shown, name, None)
            return None if method is None else method()
        except Exception as error:  # pylint: disable=broad-except
            self.stack.has_failed(error)
        try:
            return getattr(Native(self.inferior_frame()), name)()
        except Exception:  # pylint: disable=broad-except
            # For an address GDB finds the name itself.
            return self.inferior_frame().pc() if name == "function" else None

    return ask


class _Guarded:
    """A decorated frame, none of whose methods fails."""

    __slots__ = ("shown", "stack")

    def __init__(self, shown: Any, stack: _Stack) -> None:
        self.shown = shown
        self.stack = stack

    def inferior_frame(self) -> gdb.Frame:
        """Return GDB's frame."""
        handle: gdb.Frame = self.shown.inferior_frame()
        return handle

    def elided(self) -> Optional[List[Any]]:
        """Return the frames that belong to it, which may fail like itself."""
        found = _elided(self)
        try:
            return None if found is None else [_Guarded(one, self.stack) for one in found]
        except Exception as error:  # pylint: disable=broad-except
            self.stack.has_failed(error)
            return None

    function = _asked("function")
    address = _asked("address")
    filename = _asked("filename")
    line = _asked("line")
    frame_args = _asked("frame_args")
    frame_locals = _asked("frame_locals")


_elided = _asked("elided")
