# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of GDB as those of `ompdbg.members`. What GDB cannot tell raises gdb.error."""

from __future__ import annotations

from typing import List, Optional, Tuple

import gdb

from ompdbg.gdb_services import texts
from ompdbg.members import Member

_STRUCTURES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


class GdbType:
    """A type."""

    def __init__(self, kind: gdb.Type) -> None:
        self._kind = kind

    @property
    def name(self) -> Optional[str]:
        """As it is declared."""
        name: Optional[str] = texts.of(self._kind, "name")
        return name

    @property
    def size(self) -> int:
        """In bytes."""
        return int(self._kind.sizeof)

    @property
    def is_array(self) -> bool:
        """Also behind a typedef."""
        return self._kind.strip_typedefs().code == gdb.TYPE_CODE_ARRAY

    @property
    def is_structure(self) -> bool:
        """The same."""
        return self._kind.strip_typedefs().code in _STRUCTURES

    def plain(self) -> "GdbType":
        """Without typedefs."""
        return GdbType(self._kind.strip_typedefs())

    def members(self) -> List[Member]:
        """Static ones have no place."""
        return [
            Member(
                texts.of(field, "name"),
                GdbType(field.type),
                field.bitpos,
                field.bitsize,
                field.is_base_class,
            )
            for field in self._kind.fields()
            if field.type is not None and isinstance(getattr(field, "bitpos", None), int)
        ]

    def element(self) -> "GdbType":
        """Of an array."""
        return GdbType(self._kind.target())

    def bounds(self) -> Tuple[int, int]:
        """Of an array."""
        low, high = self._kind.range()
        return low, high


def structure(kind: Optional[gdb.Type]) -> Optional[GdbType]:
    """A structure or union that is not only declared."""
    found = kind.strip_typedefs() if kind is not None else None
    if found is None or found.code not in _STRUCTURES or not found.fields():
        return None
    return GdbType(found)
