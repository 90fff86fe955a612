# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of the runtime's structures as debug information tells it.

An OMPD library asks for it by the names of variables: `ompd_access__STRUCTURE__FIELD` holds a
field's offset, `ompd_sizeof__STRUCTURE__FIELD` its size, `ompd_bitfield__STRUCTURE__FIELD` the
bits that a bit field takes in its structure, `ompd_sizeof__STRUCTURE` the size of the structure.
LLVM's runtime has such variables; where the debugger knows the types instead, it answers for them,
with addresses that no program can have. By `ompd_debug_info__access__STRUCTURE__FIELD`, and so on,
nobody but the debugger is asked.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

import gdb

ONLY_DEBUG_INFO = "ompd_debug_info__"

_BASE = 0xF0D0_0000_0000_0000  # no address of x86-64 or AArch64 user space
_PAGE = 4096  # each variable in a page of its own: pages are read, and kept, as a whole
_MARK = "ompd_layout_from_debug_info"
_WORD = 64  # bits of a variable

# Where GDB keeps the names of types, which depends on the language and on GDB's version.
_DOMAINS = [
    getattr(gdb, name)
    for name in ("SYMBOL_TYPE_DOMAIN", "SYMBOL_STRUCT_DOMAIN", "SYMBOL_VAR_DOMAIN")
    if hasattr(gdb, name)
]
_STRUCTURES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)

_Name = Tuple[str, Optional[str]]  # of what is asked for, and of the object that must know it


class DebugInfo:
    """Pseudo-variables, made when they are asked for."""

    def __init__(self, objfiles: Callable[[str], List[gdb.Objfile]]) -> None:
        self._objfiles = objfiles
        self._addresses: Dict[_Name, int] = {}
        self._pages: Dict[int, bytes] = {}
        self._types: Dict[_Name, Optional[gdb.Type]] = {}

    def address(self, name: str, file_name: Optional[str]) -> Optional[int]:
        """Where the pseudo-variable `name` is; None if debug information of the objects whose file
        is called `file_name`, or of any, knows nothing of it."""
        if not name.startswith("ompd_"):
            return None
        key = name, file_name
        if key not in self._addresses:
            value = self._value(name, file_name)
            if value is None:
                return None
            where = _BASE + _PAGE * len(self._pages)
            self._addresses[key] = where
            self._pages[where] = value.to_bytes(8, "little").ljust(_PAGE, b"\0")
        return self._addresses[key]

    def read(self, address: int, size: int) -> Optional[bytes]:
        """Bytes of a pseudo-variable; None for any other address."""
        page = self._pages.get(address - address % _PAGE) if address >= _BASE else None
        return page[address % _PAGE :][:size] if page is not None else None

    def _value(self, name: str, file_name: Optional[str]) -> Optional[int]:
        if name == _MARK:
            return 1 if self._addresses else None
        only = name.startswith(ONLY_DEBUG_INFO)
        if file_name is not None and not only:
            return None  # a variable of that object
        kind, _, path = name[len(ONLY_DEBUG_INFO if only else "ompd_") :].partition("__")
        structure, _, field = path.partition("__")
        known = self._type(structure, file_name) if structure else None
        if known is None:
            return None
        if not field:
            return known.sizeof if kind == "sizeof" else None
        return _place(known, field).get(kind)

    def _type(self, name: str, file_name: Optional[str]) -> Optional[gdb.Type]:
        key = name, file_name
        if key not in self._types:
            found = _lookup(name) if file_name is None else self._lookup_in(name, file_name)
            self._types[key] = found
        return self._types[key]

    def _lookup_in(self, name: str, file_name: str) -> Optional[gdb.Type]:
        for objfile in self._objfiles(file_name):
            for domain in _DOMAINS:
                for symbol in (
                    objfile.lookup_static_symbol(name, domain),
                    objfile.lookup_global_symbol(name, domain),
                ):
                    found = _structure(symbol.type) if symbol is not None else None
                    if found is not None:
                        return found
        return None


def _lookup(name: str) -> Optional[gdb.Type]:
    for spelling in (f"struct {name}", name):
        try:
            found = _structure(gdb.lookup_type(spelling))
        except gdb.error:
            continue
        if found is not None:
            return found
    return None


def _structure(kind: Optional[gdb.Type]) -> Optional[gdb.Type]:
    """A structure or union that is not only declared."""
    found = kind.strip_typedefs() if kind is not None else None
    if found is None or found.code not in _STRUCTURES or not found.fields():
        return None
    return found


def _place(owner: gdb.Type, name: str, base: int = 0) -> Dict[str, int]:
    """What is known of a member, also of one in an unnamed structure or union, by kind of
    variable; nothing if there is none. `base` is the place of `owner`, in bits."""
    for field in owner.fields():
        if field.type is None or not hasattr(field, "bitpos"):
            continue  # a static member
        bit = base + field.bitpos
        if field.name == name:
            if not field.bitsize:  # the size of an array of open length is 0
                return {"access": bit // 8, "sizeof": field.type.sizeof}
            if bit + field.bitsize > _WORD:
                return {}
            return {"bitfield": ((1 << field.bitsize) - 1) << bit}
        kind = field.type.strip_typedefs()
        if not field.name and kind.code in _STRUCTURES:
            inner = _place(kind, name, bit)
            if inner:
                return inner
    return {}
