# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in the code, and what is remembered of all frames that are at the same place."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import gdb

from ompdbg.console import encoding

_INLINE = gdb.INLINE_FRAME
_Known = Dict[Any, Any]
Place = Tuple[int, Optional[str], bool, int]


class Listing:
    """A frame whose variables are listed, and what is known of them."""

    __slots__ = ("handle", "called", "known", "values")

    def __init__(self, handle: gdb.Frame) -> None:
        self.handle = handle
        self.called = called(handle)
        self.known = known_of_code(handle)
        # Read already, by id; a symbol that is kept here keeps its id.
        self.values: Dict[int, Tuple[gdb.Symbol, Union[gdb.Value, Exception]]] = {}


_listed: Optional[Listing] = None
_last: Optional[Listing] = None  # GDB asks for arguments, and then for variables of the same frame


class listing:
    """Remember what is found out about a frame while its variables are listed: much is asked of
    each of them again."""

    __slots__ = ("_before",)

    def __init__(self, handle: gdb.Frame) -> None:
        global _last
        self._before = _listed
        if _last is None or _last.handle is not handle:
            _last = Listing(handle)

    def __enter__(self) -> None:
        global _listed
        _listed = _last

    def __exit__(self, *raised: object) -> None:
        global _listed
        _listed = self._before


def listed(handle: gdb.Frame) -> Optional[Listing]:
    """Return what is remembered of the frame if its variables are being listed."""
    return _listed if _listed is not None and _listed.handle is handle else None


def forget() -> None:
    """The program has moved, or its memory has changed."""
    global _last
    _last = None


def known_of_code(handle: gdb.Frame) -> _Known:
    """Return what is remembered of all frames at the same place."""
    if _listed is not None and _listed.handle is handle:
        return _listed.known
    from ompdbg.inferior import session

    known: _Known = session.services().places.setdefault(place_of(handle), {})
    return known


def place_of(handle: gdb.Frame) -> Place:
    """Return what all frames at the same place share."""
    return handle.pc(), encoding.told(handle.name), is_call(handle), _depth(handle)


def _depth(handle: gdb.Frame) -> int:
    """Return how many calls of inlined functions lead from the function that was compiled to that
    of the frame. The functions at one address differ in it."""
    number = 0
    older: Optional[gdb.Frame] = handle
    while older is not None and older.type() == _INLINE:
        older = older.older()
        number += 1
    return number


def called(handle: gdb.Frame) -> gdb.Frame:
    """Return the frame of the function into which that of the frame was inlined."""
    older: Optional[gdb.Frame] = handle
    while older is not None and older.type() == _INLINE:
        older = older.older()
    return older or handle


def is_call(handle: gdb.Frame) -> bool:
    """Check that a frame goes on at a return address."""
    newer = handle.newer()
    while newer is not None and newer.type() == _INLINE:
        newer = newer.newer()
    return newer is not None and newer.type() != gdb.SIGTRAMP_FRAME
