# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variable at an address, and what of it begins there, by GDB's debug information."""

from __future__ import annotations

from typing import Iterator, Optional, Set, Tuple

import _ompdbg
import gdb

from ompdbg import members
from ompdbg.gdb_services import texts
from ompdbg.gdb_services.addresses import address_of
from ompdbg.gdb_services.types import GdbType

# Functions whose files are searched for variables local to a function.
_MAINS = ("main", "MAIN__")
# No more lines than these are searched.
_MAX_LINES = 50_000


def name_in(name: str, start: int, offset: int, lock: bool, near: Optional[int]) -> Optional[str]:
    """What is `offset` bytes into the variable that the linker knows as `name` at `start`.

    lock: it is a lock: the innermost member or element there; otherwise the outermost.
    near: an address of code that may see the variable, if it is local to a function.
    None: the type is not known, or nothing of it begins there.
    """
    symbol = _find(name, start, near)
    if symbol is None or symbol.type is None:
        return None
    fortran = symbol.symtab is not None and _ompdbg.is_fortran(texts.of(symbol.symtab, "filename"))
    try:
        path = members.path(GdbType(symbol.type), offset, lock, fortran)
    except gdb.error:
        return None  # an array whose bounds are not constant
    return None if path is None else texts.name(symbol) + path


# ---- The variable ---------------------------------------------------------------------------


def _find(name: str, start: int, near: Optional[int]) -> Optional[gdb.Symbol]:
    for spelling in (name, _ompdbg.module_name(name)):
        for look_up in (gdb.lookup_global_symbol, gdb.lookup_static_symbol):
            try:
                symbol = look_up(texts.given(spelling))
            except gdb.error:
                continue
            if symbol is not None and _is_at(symbol, start):
                return symbol
    return next((symbol for symbol in _locals(near) if _is_at(symbol, start)), None)


def _is_at(symbol: gdb.Symbol, start: int) -> bool:
    if not symbol.is_variable or symbol.needs_frame:
        return False
    return _address(symbol) == start


def _address(symbol: gdb.Symbol) -> Optional[int]:
    try:
        return address_of(symbol.value())
    except gdb.error:
        return None  # optimized out


def _locals(near: Optional[int]) -> Iterator[gdb.Symbol]:
    """Static variables of the functions in the files of `near` and of the main program."""
    places = [] if near is None else [near]
    for name in _MAINS:
        function = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        if function is not None and function.is_function:
            places.append(_address(function) or 0)
    seen: Set[str] = set()
    for place in places:
        symtab = gdb.find_pc_line(place).symtab
        if symtab is not None and texts.of(symtab, "fullname") not in seen:
            seen.add(texts.of(symtab, "fullname"))
            yield from _locals_in(symtab)


def _locals_in(symtab: gdb.Symtab) -> Iterator[gdb.Symbol]:
    seen: Set[Tuple[int, int]] = set()
    for _, entry in zip(range(_MAX_LINES), symtab.linetable()):
        block = gdb.block_for_pc(entry.pc)
        if block is None or (block.start, block.end) in seen:
            continue
        seen.add((block.start, block.end))
        while block is not None and not block.is_static:
            yield from block
            block = block.superblock
