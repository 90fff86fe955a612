# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of what is within a variable, as its source language writes them: `locks[3]`,
`account.lock`, `heat::cells(2,4)`. They are told by the types of debug information."""

from __future__ import annotations

from typing import Callable, Iterator, Optional, Set, Tuple

import gdb

from ompdbg.frames import is_fortran, module_name

_LOCKS = ("omp_lock_t", "omp_nest_lock_t")
_STRUCTURES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
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
    fortran = symbol.symtab is not None and is_fortran(symbol.symtab.filename)
    is_end = _is_lock if lock else _is_any
    try:
        path = _Language(fortran).path(symbol.type, offset, is_end)
    except gdb.error:
        return None  # an array whose bounds are not constant
    return None if path is None else symbol.name + path


# ---- The variable ---------------------------------------------------------------------------


def _find(name: str, start: int, near: Optional[int]) -> Optional[gdb.Symbol]:
    for spelling in (name, module_name(name)):
        for look_up in (gdb.lookup_global_symbol, gdb.lookup_static_symbol):
            try:
                symbol = look_up(spelling)
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
        where = symbol.value().address
        return None if where is None else int(where)
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
        if symtab is not None and symtab.fullname() not in seen:
            seen.add(symtab.fullname())
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


# ---- What is within it ----------------------------------------------------------------------

_End = Callable[[gdb.Type], bool]


def _is_any(kind: gdb.Type) -> bool:
    return True


def _is_named_lock(kind: Optional[gdb.Type]) -> bool:
    return kind is not None and kind.name in _LOCKS


def _is_lock(kind: gdb.Type) -> bool:
    """A lock, or what has no parts. In Fortran locks are integers."""
    if _is_named_lock(kind):
        return True
    return kind.strip_typedefs().code not in (*_STRUCTURES, gdb.TYPE_CODE_ARRAY)


class _Language:
    """How a language writes members and elements."""

    def __init__(self, fortran: bool) -> None:
        self._fortran = fortran

    def path(self, kind: gdb.Type, offset: int, is_end: _End) -> Optional[str]:
        """The way to what begins `offset` bytes into a value of that type."""
        if offset == 0 and is_end(kind):
            return ""
        plain = kind.strip_typedefs()
        if _is_named_lock(kind):
            return None  # nothing has a name within a lock
        if plain.code == gdb.TYPE_CODE_ARRAY:
            return self._in_array(plain, offset, is_end)
        if plain.code in _STRUCTURES:
            return self._in_structure(plain, offset, is_end)
        return None

    def _in_array(self, kind: gdb.Type, offset: int, is_end: _End) -> Optional[str]:
        element = kind.target()
        low, high = kind.range()
        number = offset // element.sizeof if element.sizeof else 0
        if low <= high < low + number:
            return None  # an array of open length has no bound
        rest = self.path(element, offset - number * element.sizeof, is_end)
        if rest is None:
            return None
        if not self._fortran:
            return f"[{low + number}]{rest}"
        if element.code == gdb.TYPE_CODE_ARRAY and rest:
            return f"({rest[1:].replace(')', f',{low + number})', 1)}"
        return f"({low + number}){rest}"

    def _in_structure(self, kind: gdb.Type, offset: int, is_end: _End) -> Optional[str]:
        """Of several members of a union that fit, the first that is a lock, if one is."""
        for field in sorted(kind.fields(), key=lambda field: not _is_named_lock(field.type)):
            start = getattr(field, "bitpos", None)
            if field.type is None or field.bitsize or not isinstance(start, int):
                continue  # static members have a symbol of their own
            rest = self._in_member(field.type, offset - start // 8, is_end)
            if rest is not None:
                hidden = field.is_base_class or not field.name
                return rest if hidden else f"{'%' if self._fortran else '.'}{field.name}{rest}"
        return None

    def _in_member(self, kind: gdb.Type, offset: int, is_end: _End) -> Optional[str]:
        fits = 0 <= offset < max(kind.sizeof, 1)
        return self.path(kind, offset, is_end) if fits else None
