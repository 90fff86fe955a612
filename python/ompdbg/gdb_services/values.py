# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that GDB is asked for."""

from __future__ import annotations

from typing import NamedTuple, Optional


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
