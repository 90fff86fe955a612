# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB's symbols tell of the variables of a frame."""

from __future__ import annotations

from typing import Dict, Iterator, NamedTuple, Optional, Tuple

import gdb

from ompdbg.frames import is_outlined
from ompdbg.gdb_services import lost, placed, selection, texts
from ompdbg.gdb_services.addresses import address_of
from ompdbg.gdb_services.lacking import is_of_fortran
from ompdbg.generated_names import is_bound

# Code of a declaration is at its line, or at one of these after it.
_LINES_OF_A_HEAD = 40
_SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLT)

_declared: Dict[Tuple[str, str, int], Optional[gdb.Type]] = {}


def is_of_construct(handle: Optional[gdb.Frame]) -> bool:
    """The frame's function is the outlined code of a construct."""
    return handle is not None and _is_outlined(handle.function())


def _is_outlined(function: Optional[gdb.Symbol]) -> bool:
    return function is not None and is_outlined(
        texts.of(function, "linkage_name") or texts.name(function)
    )


def symbols(handle: gdb.Frame) -> Iterator[Tuple[gdb.Symbol, bool]]:
    """Those of the frame's function, from its innermost block on, and whether each is of a block
    within the function."""
    for block in blocks(handle):
        is_inner = block.function is None
        for symbol in block:
            yield symbol, is_inner


def blocks(handle: gdb.Frame) -> Iterator[gdb.Block]:
    """From the innermost one to that of the frame's function."""
    try:
        block: Optional[gdb.Block] = handle.block()
    except RuntimeError:
        return  # no debug information
    while block is not None and not block.is_global and not block.is_static:
        yield block
        block = None if block.function is not None else block.superblock


def function_block(handle: gdb.Frame) -> Optional[gdb.Block]:
    """The block of the frame's function."""
    if handle.function() is None:
        return None
    block: Optional[gdb.Block] = handle.block()
    while block is not None and block.function is None:
        block = block.superblock
    return block


class Reading(NamedTuple):
    """What is known of the value of a variable."""

    value: gdb.Value
    address: Optional[int]  # in memory
    has_false_bounds: bool = False  # such as debug information tells where they are optimized out

    @property
    def is_lost(self) -> bool:
        """It was optimized out. (An array without bounds is, to GDB, also in memory.)"""
        try:
            return bool(self.value.is_optimized_out) and not self._is_array_in_memory()
        except gdb.error:
            return True

    @property
    def is_without_bounds(self) -> bool:
        """An array whose bounds were to be computed, and cannot be."""
        kind = self.value.type
        return kind.code == gdb.TYPE_CODE_ARRAY and (kind.dynamic or self.has_false_bounds)

    def _is_array_in_memory(self) -> bool:
        return self.address is not None and self.value.type.code == gdb.TYPE_CODE_ARRAY

    def target(self) -> "Reading":
        """Of a reference, what it refers to."""
        value = self.value.referenced_value()
        return Reading(value, address_of(value))


def read(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[Reading]:
    """The value of a variable; None if it cannot be read."""
    try:
        if symbol.type is None or not symbol.type.dynamic:
            value = placed.value(symbol, handle)
        else:
            # GDB takes what bounds are computed from out of the selected frame.
            with selection.frame(placed.called(handle)):
                value = placed.value(symbol, handle)
    except (gdb.error, ValueError, TypeError):
        return None
    others = [one for one, _ in symbols(handle)]
    is_false = lost.has_lost_bound(symbol, others)
    if symbol.type is not None and symbol.type.dynamic:
        bounds = (one for one in others if is_bound(texts.name(one)))
        is_false = is_false or placed.has_other_bounds(symbol, handle)
        is_false = is_false or not all(placed.is_right(one, handle) for one in bounds)
    return Reading(value, address_of(value), is_false)


def lost_scalar(handle: gdb.Frame) -> Optional[gdb.Value]:
    """A value of the frame that was optimized out, which stands for another."""
    readings = (read(symbol, handle) for symbol, _ in symbols(handle))
    lost = (one.value for one in readings if one is not None and one.is_lost)
    return next((one for one in lost if one.type.code in _SCALARS), None)


def is_hosts(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """A variable that an internal procedure has of the one that it is in. GDB computes bounds of
    such arrays from the wrong frame."""
    is_inlined = handle.type() == gdb.INLINE_FRAME and not is_of_construct(handle)
    if is_inlined and not is_of_fortran(symbol):
        return False  # GDB has the line of its call as that of such a function
    function = handle.function()
    return function is not None and 0 < symbol.line < function.line


def is_passed_by_element(symbol: gdb.Symbol, declared: gdb.Type) -> bool:
    """Clang passes the place of its first element: an array whose length is computed."""
    if declared.code != gdb.TYPE_CODE_ARRAY or symbol.type is None:
        return False
    return declared.dynamic or _dimensions(symbol.type.target()) < _dimensions(declared)


def _dimensions(kind: gdb.Type) -> int:
    count = 0
    while kind.code == gdb.TYPE_CODE_ARRAY:
        kind = kind.target().strip_typedefs()
        count += 1
    return count


def declared_type(symbol: gdb.Symbol, line: int) -> Optional[gdb.Type]:
    """The type of the variable of that name and line in the source, not in the function that was
    cut out around it."""
    symtab = symbol.symtab
    if symtab is None or not line:
        return None
    key = texts.of(symtab, "fullname"), texts.name(symbol), line
    if key not in _declared:
        found = _declaration(symtab, texts.name(symbol), line)
        _declared[key] = found.type if found is not None else None
    return _declared[key]


def _declaration(symtab: gdb.Symtab, name: str, line: int) -> Optional[gdb.Symbol]:
    """A variable by the line of its declaration, not as it is passed to a construct's code."""
    table = symtab.linetable()
    for near in range(line, line + _LINES_OF_A_HEAD):
        for entry in table.line(near) or ():
            block = gdb.block_for_pc(entry.pc)
            while block is not None and not block.is_global and not block.is_static:
                for symbol in block:
                    if texts.name(symbol) == name and symbol.line == line:
                        if not _is_passed_to_construct(symbol, block):
                            return symbol
                block = block.superblock
    return None


def _is_passed_to_construct(symbol: gdb.Symbol, block: gdb.Block) -> bool:
    """What a construct's code has of the function around it: arguments, or copies."""
    around: Optional[gdb.Block] = block
    while around is not None and around.function is None:
        around = around.superblock
    function = None if around is None else around.function
    if function is None or not _is_outlined(function):
        return False
    return symbol.is_argument or symbol.line < function.line
