# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of the runtime's structures as debug information tells it.

An OMPD library asks for it by the names of variables: `ompd_access__STRUCTURE__FIELD` holds a
field's offset, `ompd_fieldsize__STRUCTURE__FIELD` its size, `ompd_sizeof__STRUCTURE` the size of
the structure. LLVM's runtime has such variables; where the debugger knows the types instead, it
answers for them, with addresses that no program can have.
"""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import gdb

_BASE = 0xF0D0_0000_0000_0000  # no address of x86-64 or AArch64 user space
_PAGE = 4096  # each variable in a page of its own: pages are read, and kept, as a whole
_MARK = "ompd_layout_from_debug_info"


class DebugInfo:
    """Pseudo-variables, made when they are asked for."""

    def __init__(self) -> None:
        self._values: Dict[str, Optional[int]] = {}
        self._addresses: Dict[str, int] = {}
        self._pages: Dict[int, bytes] = {}
        self._types: Dict[str, Optional[gdb.Type]] = {}

    def address(self, name: str) -> Optional[int]:
        """Where the pseudo-variable `name` is; None if debug information knows nothing of it."""
        if not name.startswith("ompd_"):
            return None
        if name not in self._addresses:
            value = self._value(name)
            if value is None:
                return None
            where = _BASE + _PAGE * len(self._pages)
            self._addresses[name] = where
            self._pages[where] = value.to_bytes(8, "little").ljust(_PAGE, b"\0")
        return self._addresses[name]

    def read(self, address: int, size: int) -> Optional[bytes]:
        """Bytes of a pseudo-variable; None for any other address."""
        page = self._pages.get(address - address % _PAGE) if address >= _BASE else None
        return page[address % _PAGE :][:size] if page is not None else None

    def _value(self, name: str) -> Optional[int]:
        if name == _MARK:
            return 1 if self._addresses else None
        kind, _, path = name.partition("__")
        structure, _, field = path.partition("__")
        known = self._type(structure) if structure else None
        if known is None:
            return None
        if kind == "ompd_sizeof" and not field:
            return known.sizeof
        place = _find(known, field) if field else None
        if place is None:
            return None
        return {"ompd_access": place[0], "ompd_fieldsize": place[1]}.get(kind)

    def _type(self, name: str) -> Optional[gdb.Type]:
        if name not in self._types:
            self._types[name] = _lookup(name)
        return self._types[name]


def _lookup(name: str) -> Optional[gdb.Type]:
    for spelling in (f"struct {name}", name):
        try:
            found = gdb.lookup_type(spelling).strip_typedefs()
        except gdb.error:
            continue
        if found.code == gdb.TYPE_CODE_STRUCT and found.fields():
            return found
    return None


def _find(owner: gdb.Type, name: str) -> Optional[Tuple[int, int]]:
    """Offset and size of a member, also of one in an unnamed structure or union."""
    for field in owner.fields():
        if field.type is None or field.bitsize or not hasattr(field, "bitpos"):
            continue
        base = field.bitpos // 8
        kind = field.type.strip_typedefs()
        if field.name == name:
            return base, field.type.sizeof  # 0 for an array of open length
        if not field.name:
            inner = _find(kind, name)
            if inner is not None:
                return base + inner[0], inner[1]
    return None
