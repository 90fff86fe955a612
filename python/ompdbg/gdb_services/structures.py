# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures by their names, of which GDB has debug information."""

from __future__ import annotations

from typing import Callable, List, Optional

import gdb

from ompdbg.gdb_services.types import GdbType, structure

# Where GDB keeps the names of types, which depends on the language and on GDB's version.
_DOMAINS = [
    getattr(gdb, name)
    for name in ("SYMBOL_TYPE_DOMAIN", "SYMBOL_STRUCT_DOMAIN", "SYMBOL_VAR_DOMAIN")
    if hasattr(gdb, name)
]


class Structures:
    """Finds them for `ompdbg.layout_variables`."""

    def __init__(self, objfiles: Callable[[str], List[gdb.Objfile]]) -> None:
        self._objfiles = objfiles

    def find(self, name: str, file_name: Optional[str]) -> Optional[GdbType]:
        """The structure in the objects whose file is called so, or in any."""
        return _lookup(name) if file_name is None else self._lookup_in(name, file_name)

    def _lookup_in(self, name: str, file_name: str) -> Optional[GdbType]:
        for objfile in self._objfiles(file_name):
            for domain in _DOMAINS:
                for symbol in (
                    objfile.lookup_static_symbol(name, domain),
                    objfile.lookup_global_symbol(name, domain),
                ):
                    found = structure(symbol.type) if symbol is not None else None
                    if found is not None:
                        return found
        return None


def _lookup(name: str) -> Optional[GdbType]:
    for spelling in (f"struct {name}", name):
        try:
            found = structure(gdb.lookup_type(spelling))
        except gdb.error:
            continue
        if found is not None:
            return found
    return None
