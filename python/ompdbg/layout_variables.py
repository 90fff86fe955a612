# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of the runtime's structures as debug information tells it.

An OMPD library asks for it by the names of variables: `ompd_access__STRUCTURE__FIELD` holds a
field's offset, `ompd_sizeof__STRUCTURE__FIELD` its size, `ompd_bitfield__STRUCTURE__FIELD` the
bits that a bit field takes in its structure, `ompd_sizeof__STRUCTURE` the size of the structure.
LLVM's runtime has such variables; where the debugger knows the types instead, it answers for them,
with addresses that no program can have. By `ompd_debug_info__access__STRUCTURE__FIELD`, and so on,
nobody but the debugger is asked.

`ompd_newest_gcc` holds the latest release of GCC that is in the program, or the library, that has
libgomp: of a libgomp that is linked statically, nothing else tells how late it can be.
"""

from __future__ import annotations

from typing import Callable, Dict, Optional, Tuple

from ompdbg.compilers import newest_gcc
from ompdbg.members import Type, place

ENTRY_OF_LIBGOMP = "GOMP_parallel"
ONLY_DEBUG_INFO = "ompd_debug_info__"

_BASE = 0xF0D0_0000_0000_0000  # no address of x86-64 or AArch64 user space
_PAGE = 4096  # each variable in a page of its own: pages are read, and kept, as a whole
_MARK = "ompd_layout_from_debug_info"
_NEWEST_GCC = "ompd_newest_gcc"

_Name = Tuple[str, Optional[str]]  # of what is asked for, and of the object that must know it


class LayoutVariables:
    """Pseudo-variables, made when they are asked for."""

    def __init__(
        self,
        structure: Callable[[str, Optional[str]], Optional[Type]],
        libgomps_file: Callable[[], Optional[str]],
    ) -> None:
        """structure: finds one by its name, in objects whose file is called so if that is given.
        It is asked once for each. libgomps_file: path of what has libgomp in it."""
        self._structure = structure
        self._libgomps_file = libgomps_file
        self._addresses: Dict[_Name, int] = {}
        self._pages: Dict[int, bytes] = {}
        self._types: Dict[_Name, Optional[Type]] = {}

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
            return 1 if any(told != _NEWEST_GCC for told, _ in self._addresses) else None
        only = name.startswith(ONLY_DEBUG_INFO)
        if file_name is not None and not only:
            return None  # a variable of that object
        if name == _NEWEST_GCC:
            path = self._libgomps_file()
            return newest_gcc(path) if path else None
        kind, _, path = name[len(ONLY_DEBUG_INFO if only else "ompd_") :].partition("__")
        structure, _, field = path.partition("__")
        known = self._type(structure, file_name) if structure else None
        if known is None:
            return None
        if not field:
            return known.size if kind == "sizeof" else None
        return place(known, field).get(kind)

    def _type(self, name: str, file_name: Optional[str]) -> Optional[Type]:
        key = name, file_name
        if key not in self._types:
            self._types[key] = self._structure(name, file_name)
        return self._types[key]
