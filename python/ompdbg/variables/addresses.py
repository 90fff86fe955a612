# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a value lies."""

from __future__ import annotations

from typing import Optional

import gdb

_COPIED = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)


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
