# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a value of GDB's tells: where it lies, and whether it was optimized out."""

from __future__ import annotations

from itertools import islice
from typing import Iterator, Optional

import gdb

from ompdbg.console import encoding

_COPIED = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)
_AGGREGATES = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
# More members within members than these are not looked into.
_MAX_DEPTH = 16
_MAX_PARTS, _MAX_ELEMENTS = 64, 16


def address_of(value: gdb.Value) -> Optional[int]:
    """The address of a value that was just made; None if it is not in memory.

    Of an array that is not, one that was optimized out, say, GDB would make a copy in the program,
    by a call of malloc there. Only what has not been read yet is surely in the target.
    """
    try:
        if value.type.strip_typedefs().code in _COPIED and not value.is_lazy:
            return None
        where = value.address
        return None if where is None else int(where)
    except gdb.error:
        return None


def is_too_large(value: gdb.Value) -> bool:
    """Check for a value that GDB refuses to read ("set max-value-size")."""
    limit = gdb.parameter("max-value-size")
    return limit is not None and value.type.sizeof > limit


def shown(value: gdb.Value) -> gdb.Value:
    """Return a value that commands can show which use frame filters. A value that was optimized
    out as a whole they show member by member, with the user's printers, which fail; one of its
    members stands for it."""
    try:
        if value.type.strip_typedefs().code not in _AGGREGATES or not value.is_optimized_out:
            return value
        parts = list(islice(_scalars(value, _MAX_DEPTH), _MAX_PARTS))
        return parts[0] if parts and all(part.is_optimized_out for part in parts) else value
    except gdb.error:
        return value


def is_without_place(value: gdb.Value) -> bool:
    """Check for an array that was optimized out with its bounds: GDB shows it as if it were at
    0."""
    try:
        kind = value.type.strip_typedefs()
        is_array = kind.code == gdb.TYPE_CODE_ARRAY and kind.dynamic
        return is_array and value.is_optimized_out and address_of(value) is None
    except gdb.error:
        return False


def _scalars(value: gdb.Value, depth: int) -> Iterator[gdb.Value]:
    """Yield the scalars in a value; of long arrays, some."""
    kind = value.type.strip_typedefs()
    if kind.code not in _AGGREGATES:
        yield value
    elif depth and kind.code == gdb.TYPE_CODE_ARRAY:
        # Bounds that are computed have no numbers.
        low, high = (1, 0) if kind.dynamic else kind.range()
        for index in range(low, min(high, low + _MAX_ELEMENTS) + 1):
            yield from _scalars(value[index], depth - 1)
    elif depth:
        for field in kind.fields():
            if hasattr(field, "bitpos"):  # a static member is no part of it
                yield from _scalars(value[field], depth - 1)


def said_of_nothing(value: gdb.Value) -> Optional[str]:
    """Return "not allocated" for such an array: GDB prints that, and its DAP server fails."""
    if value.type.code != gdb.TYPE_CODE_ARRAY:
        return None
    try:
        said = encoding.told(str, value)
    except gdb.error:
        return None
    return said[1:-1] if said in ("<not allocated>", "<not associated>") else None
