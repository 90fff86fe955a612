# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of an address in a frame: of a variable or member that is there, or that points there, or
of a member of what a variable points to: "lock", "guard._M_device", "this->lock_".

A pointer has no bounds: what is after the first element is named only with an index that an
integer variable of the frame has: "cells[3].lock".
"""

from __future__ import annotations

import sys
from typing import Iterator, Optional, Set, Tuple

import gdb

from ompdbg import members
from ompdbg.gdb_services import texts
from ompdbg.gdb_services.addresses import address_of
from ompdbg.gdb_services.captured import is_users
from ompdbg.gdb_services.frame_symbols import is_unsure_copy, read, symbols
from ompdbg.gdb_services.lacking import is_of_fortran
from ompdbg.gdb_services.types import GdbType

# What is looked at: a frame is small, and damaged types may go round in circles.
_MAX_DEPTH, _MAX_STEPS, _MAX_ELEMENTS = 8, 1 << 12, 256
_MAX_SIZE = 1 << 16  # of what a pointer leads to

_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_STRUCTURES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def find(handle: gdb.Frame, address: int) -> Optional[str]:
    """Return the name that a frame has for an address; None if nothing in the frame has it."""
    variables = list(_variables(handle))
    for hops in (0, 1):
        indices = set(_indices(handle)) if hops else set()
        for symbol, value in variables:
            search = _Search(address, is_of_fortran(symbol), indices)
            found = search.within(value, texts.name(symbol), hops, 0)
            if found is not None:
                return found
    return None


def _variables(handle: gdb.Frame) -> Iterator[Tuple[gdb.Symbol, gdb.Value]]:
    """Yield the user's variables with what is surely their value."""
    for symbol in symbols(handle):
        is_sure = is_users(symbol) and not is_unsure_copy(symbol, handle)
        found = read(symbol, handle) if is_sure else None
        if found is not None and not found.is_lost and not found.is_without_bounds:
            yield symbol, found.value


def _indices(handle: gdb.Frame) -> Iterator[int]:
    """Yield the values of integer variables."""
    for _, value in _variables(handle):
        try:
            if value.type.strip_typedefs().code in _REFERENCES:
                value = value.referenced_value()
            if value.type.strip_typedefs().code == gdb.TYPE_CODE_INT:
                yield int(value)
        except gdb.error:
            continue


class _Search:
    """The search for an address."""

    def __init__(self, address: int, is_fortran: bool, indices: Set[int]) -> None:
        self._address = address
        self._is_fortran = is_fortran
        self._indices = indices
        self._steps = 0

    def within(self, value: gdb.Value, name: str, hops: int, depth: int) -> Optional[str]:
        """Return the name of the address as of a value, or of what it leads to."""
        self._steps += 1
        if depth == _MAX_DEPTH or self._steps > _MAX_STEPS:
            return None
        try:
            kind = value.type.strip_typedefs()
            begin = None if kind.code in _REFERENCES else address_of(value)
            if begin is not None and begin <= self._address < begin + kind.sizeof:
                return self._member(name, value.type, self._address - begin)
            if kind.code == gdb.TYPE_CODE_PTR:
                return self._behind_pointer(value, kind, name, hops, depth)
            if kind.code in _REFERENCES:
                return self.within(value.referenced_value(), name, hops, depth + 1)
            if kind.code in _STRUCTURES:
                return self._in_structure(value, kind, name, hops, depth)
            if kind.code == gdb.TYPE_CODE_ARRAY:
                return self._in_array(value, kind, name)
        except (gdb.error, ValueError):
            pass  # it cannot be read
        return None

    def _member(self, name: str, kind: gdb.Type, offset: int) -> Optional[str]:
        path = members.path(GdbType(kind), offset, True, self._is_fortran)
        if path is None:
            return None
        return name + (path[1:] if name.endswith("->") and path.startswith(".") else path)

    def _element(self, name: str, element: gdb.Type, begin: int) -> Optional[str]:
        """Name an element with its index, or what begins in it."""
        size = element.sizeof
        if not size or self._address < begin:
            return None
        index = (self._address - begin) // size
        return self._member(f"{name}[{index}]", element, self._address - begin - index * size)

    def _behind_pointer(
        self, value: gdb.Value, kind: gdb.Type, name: str, hops: int, depth: int
    ) -> Optional[str]:
        pointer = int(value) & sys.maxsize * 2 + 1
        if not pointer:
            return None
        if pointer == self._address:
            return name
        target = kind.target()
        size = target.strip_typedefs().sizeof
        if not hops or not size:
            return None
        if pointer < self._address and (self._address - pointer) // size in self._indices:
            found = self._element(name, target, pointer)
            if found is not None:
                return found
        if target.strip_typedefs().code not in _STRUCTURES or size > _MAX_SIZE:
            return None
        arrow = "" if self._is_fortran else "->"
        return self.within(value.dereference(), name + arrow, hops - 1, depth + 1)

    def _in_structure(
        self, value: gdb.Value, kind: gdb.Type, name: str, hops: int, depth: int
    ) -> Optional[str]:
        if (kind.name or "").startswith("std::vector<"):
            return self._in_vector(value, kind, name)
        for field in kind.fields():
            if field.bitsize or field.is_base_class is None or not hasattr(field, "bitpos"):
                continue
            inner = name
            if not field.is_base_class and field.name:
                dot = "" if name.endswith("->") else "%" if self._is_fortran else "."
                inner = f"{name}{dot}{texts.name(field)}"
            found = self.within(value[field], inner, hops, depth + 1)
            if found is not None:
                return found
        return None

    def _in_vector(self, value: gdb.Value, kind: gdb.Type, name: str) -> Optional[str]:
        """Look into a std::vector, whose first two words are where its elements begin and end."""
        place = address_of(value)
        if place is None or kind.sizeof != 24:
            return None
        words = gdb.selected_inferior().read_memory(place, 16)
        begin, end = (int.from_bytes(words[at : at + 8], "little") for at in (0, 8))
        element = kind.template_argument(0)
        return self._element(name, element, begin) if begin <= self._address < end else None

    def _in_array(self, value: gdb.Value, kind: gdb.Type, name: str) -> Optional[str]:
        """Look for elements that point to the address."""
        element = kind.target().strip_typedefs()
        if element.code != gdb.TYPE_CODE_PTR:
            return None
        low, high = kind.range()
        for index in range(low, min(high, low + _MAX_ELEMENTS - 1) + 1):
            if int(value[index]) == self._address:
                return f"{name}({index})" if self._is_fortran else f"{name}[{index}]"
        return None
