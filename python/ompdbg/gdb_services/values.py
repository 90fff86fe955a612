# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that GDB is asked for."""

from __future__ import annotations

from typing import NamedTuple, Optional


class TargetThread(NamedTuple):
    """A thread as the debugger sees it."""

    number: int  # the debugger's number in its inferior
    label: str  # as the debugger prints it: "3", or "2.3" with several inferiors
    lwp: int
    running: bool
    selected: bool


class SymbolAt(NamedTuple):
    """The symbol that covers an address."""

    name: str
    offset: int
    object_file: Optional[str]  # None: the program itself


class Function(NamedTuple):
    """A function of the program, found by an address in it or by its linkage name."""

    name: str  # as the debugger prints it
    symbol: str  # as the linker knows it, where that is known; else `name`
    start: int  # entry point
    file: Optional[str]
    line: Optional[int]  # of its definition; of an outlined function, of the construct


class Variable(NamedTuple):
    """A variable of a frame, as the debugger prints its value."""

    name: str
    value: str
