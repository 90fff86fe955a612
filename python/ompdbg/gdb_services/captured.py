# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a frame as the source has them, also where its code was outlined.

In an outlined function the compiler has variables and arguments of its own, whose names begin with
a dot. Of the user's, GCC makes locals. Clang makes references of them and passes these as
arguments; and it makes two functions, of which one only passes them on to the other.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import gdb

from ompdbg.frames import is_outlined

_GENERATED = "."
_CONTEXT = "__context"


class Captured(NamedTuple):
    """A variable; without a value if it has to be read from the frame."""

    symbol: gdb.Symbol
    value: Optional[gdb.Value]


def is_of_construct(handle: Optional[gdb.Frame]) -> bool:
    """The frame's function is the outlined code of a construct."""
    function = handle.function() if handle is not None else None
    return function is not None and is_outlined(function.linkage_name or function.name)


def arguments(handle: gdb.Frame) -> List[gdb.Symbol]:
    """Arguments of a frame's function; a construct has none."""
    if is_of_construct(handle):
        return []
    block = _function_block(handle)
    return [] if block is None else [symbol for symbol in block if symbol.is_argument]


def local_variables(handle: gdb.Frame) -> List[Captured]:
    """Local variables, those of the innermost block first."""
    if not is_of_construct(handle):
        return [
            Captured(symbol, None)
            for symbol in _symbols(handle)
            if symbol.is_variable and not symbol.is_argument
        ]
    found: Dict[Tuple[str, int], Captured] = {}
    for symbol in _symbols(handle):
        if _is_users(symbol):
            key = symbol.name, symbol.line
            if key not in found or _is_lost(found[key].value):
                found[key] = Captured(symbol, _value(symbol, handle))
    outer = handle.older()
    if outer is not None and is_of_construct(outer):
        _take_from(outer, found)
    return list(found.values())


def _take_from(outer: gdb.Frame, found: Dict[Tuple[str, int], Captured]) -> None:
    """What is optimized out may still be where it was passed on."""
    passed = {symbol.name: symbol for symbol in _symbols(outer) if _is_users(symbol)}
    for key, one in found.items():
        symbol = passed.get(one.symbol.name)
        if one.symbol.is_argument and symbol is not None and _is_lost(one.value):
            found[key] = Captured(one.symbol, _value(symbol, outer))


def _symbols(handle: gdb.Frame) -> Iterator[gdb.Symbol]:
    """Those of the frame's function, from its innermost block on."""
    try:
        block: Optional[gdb.Block] = handle.block()
    except RuntimeError:
        return  # no debug information
    while block is not None and not block.is_global and not block.is_static:
        yield from block
        if block.function is not None:
            break
        block = block.superblock


def _function_block(handle: gdb.Frame) -> Optional[gdb.Block]:
    if handle.function() is None:
        return None
    block: Optional[gdb.Block] = handle.block()
    while block is not None and block.function is None:
        block = block.superblock
    return block


def _is_users(symbol: gdb.Symbol) -> bool:
    if not symbol.is_variable and not symbol.is_argument:
        return False
    name = symbol.name
    return not name.startswith(_GENERATED) and not (symbol.is_argument and name == _CONTEXT)


def _value(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[gdb.Value]:
    """The value; of what was passed by reference, that of the variable."""
    try:
        value = symbol.value(handle)
        if symbol.is_argument and value.type.code == gdb.TYPE_CODE_REF:
            return None if value.is_optimized_out else value.referenced_value()
        return value
    except (gdb.error, ValueError):
        return None


def _is_lost(value: Optional[gdb.Value]) -> bool:
    try:
        return value is None or bool(value.is_optimized_out)
    except gdb.error:
        return True
