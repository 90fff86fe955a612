# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections of arrays (`reduction(+: a[2:5])`): a construct has copies of these elements only, and
debug information does not tell of which."""

from __future__ import annotations

from typing import Optional, Tuple

import gdb

from ompdbg.frames import is_fortran
from ompdbg.gdb_services import texts
from ompdbg.gdb_services.frame_symbols import declared_type, function_block, read, symbols
from ompdbg.generated_names import LENGTH

REASON = "it may be a section, of bounds that are not known here"
_COMPUTED = "[variable length]"


def may_be_section(symbol: gdb.Symbol, value: gdb.Value, line: int, handle: gdb.Frame) -> bool:
    """A variable of a construct's code that has the name of an array, or of a pointer, that was
    declared in that line."""
    if not line:  # of a worksharing construct's own
        line = max(one.line for one, _ in symbols(handle) if texts.name(one) == texts.name(symbol))
    if symbol.is_argument or value.type.code != gdb.TYPE_CODE_ARRAY or symbol.type is None:
        return False
    if symbol.symtab is not None and is_fortran(texts.of(symbol.symtab, "filename")):
        return False
    if _is_gccs(handle):
        # Of arrays that are shared or copied as a whole GCC tells no bounds at all.
        return _COMPUTED in texts.told(str, symbol.type) and line < _first_line(handle)
    declared = declared_type(symbol, line)
    if declared is None and line < _first_line(handle):
        declared = _of_file(texts.name(symbol))
    if declared is None or declared.code == gdb.TYPE_CODE_REF:
        return False
    if declared.code != gdb.TYPE_CODE_ARRAY:
        return True
    dimensions, lengths = _shape(declared), _shape(value.type)
    if len(dimensions) != len(lengths):
        return True
    if not declared.dynamic:
        return dimensions != lengths
    if line >= _first_line(handle) or len(lengths) > 1:
        return False
    passed = _passed_lengths(handle)
    return passed is not None and passed != lengths[0]


def may_be_of_worksharing(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """A copy that a construct has in a function of the source, of what has another shape there.
    Clang does not tell where such copies are declared."""
    kind = symbol.type
    if symbol.line or symbol.is_argument or kind is None or kind.code != gdb.TYPE_CODE_ARRAY:
        return False
    declared = _of_source(symbol, handle)
    if declared is None or declared.code != gdb.TYPE_CODE_ARRAY or declared.dynamic:
        return True
    return _shape(declared) != _shape(kind)


def _of_source(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[gdb.Type]:
    """The type of the variable that a copy has its name from."""
    own = (one for one, _ in symbols(handle) if texts.name(one) == texts.name(symbol) and one.line)
    found = next(own, None)
    if found is None:
        return _of_file(texts.name(symbol))
    kind = None if found.type is None else found.type.strip_typedefs()
    is_reference = kind is not None and kind.code == gdb.TYPE_CODE_REF
    return kind.target().strip_typedefs() if kind is not None and is_reference else kind


def _of_file(name: str) -> Optional[gdb.Type]:
    """Of a global or static variable."""
    if not texts.is_speakable(name):
        return None
    found = gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)
    return None if found is None or found.type is None else found.type.strip_typedefs()


def _is_gccs(handle: gdb.Frame) -> bool:
    """GCC tells no line of the functions that it makes."""
    function = handle.function()
    return function is not None and not function.line


def _first_line(handle: gdb.Frame) -> int:
    function, block = handle.function(), function_block(handle)
    if function is None or block is None:
        return 0
    return function.line or gdb.find_pc_line(block.start).line


def _shape(kind: gdb.Type) -> Tuple[int, ...]:
    """The number of elements in each dimension; 0 if it is computed."""
    lengths = []
    while kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = (1, 0) if kind.dynamic else kind.range()
        lengths.append(high - low + 1)
        kind = kind.target().strip_typedefs()
    return tuple(lengths)


def _passed_lengths(handle: gdb.Frame) -> Optional[int]:
    """The length that all arrays have that are passed to a construct's code; 0: they differ. None:
    none is passed."""
    found = set()
    for symbol, _ in symbols(handle):
        if symbol.is_argument and texts.name(symbol) == LENGTH and not symbol.line:
            value = read(symbol, handle)
            found.add(0 if value is None or value.is_lost else int(value.value))
    return None if not found else found.pop() if len(found) == 1 else 0
