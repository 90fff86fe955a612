# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is within a variable, by the types of debug information: where a member is, and how the
source language writes what is there: `locks[3]`, `account.lock`, `heat::cells(2,4)`."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Protocol, Tuple

_LOCKS = ("omp_lock_t", "omp_nest_lock_t", "pthread_mutex_t", "std::mutex", "mutex")
_WORD = 64  # bits of a variable that holds the bits of a bit field


class Member(NamedTuple):
    """A member of a structure, or what it inherits from."""

    name: Optional[str]
    kind: "Type"
    bit: int  # where it begins
    bits: int  # how many a bit field has; else 0
    is_base: bool


class Type(Protocol):
    """A type as the debugger has it."""

    @property
    def name(self) -> Optional[str]:
        """As it is declared."""

    @property
    def size(self) -> int:
        """In bytes; 0: not known."""

    @property
    def is_array(self) -> bool:
        """Of one dimension: its elements may be arrays."""

    @property
    def is_structure(self) -> bool:
        """Or a union."""

    def plain(self) -> "Type":
        """What a typedef is for, and without qualifiers."""

    def members(self) -> List[Member]:
        """Of a structure, without static ones."""

    def element(self) -> "Type":
        """Of an array."""

    def bounds(self) -> Tuple[int, int]:
        """Of an array: of the first and the last element."""


# ---- Where a member is ----------------------------------------------------------------------


def place(owner: Type, name: str) -> Dict[str, int]:
    """What is known of a member, also of one in an unnamed structure or union, by the kind of
    variable that tells it to OMPD; nothing if there is none."""
    found = member(owner, name)
    if found is None or found.bits and found.bit + found.bits > _WORD:
        return {}
    if found.bits:
        return {"bitfield": ((1 << found.bits) - 1) << found.bit}
    return {"access": found.bit // 8, "sizeof": found.kind.size}


def member(owner: Type, name: str, base: int = 0) -> Optional[Member]:
    """Return a member, also one in an unnamed structure or union, with its place from the begin of
    `owner` on. `base`: place of `owner`, in bits."""
    for one in owner.members():
        bit = base + one.bit
        if one.name == name:
            return one._replace(bit=bit)
        kind = one.kind.plain()
        if not one.name and kind.is_structure:
            inner = member(kind, name, bit)
            if inner is not None:
                return inner
    return None


# ---- What is at a place ---------------------------------------------------------------------

_End = Callable[[Type], bool]


def path(kind: Type, offset: int, lock: bool, fortran: bool) -> Optional[str]:
    """The way to what begins `offset` bytes into a value of that type; None if nothing does.
    lock: the innermost member or element there that may be one; otherwise the outermost."""
    return _Language(fortran).path(kind, offset, _is_lock if lock else _is_any)


def _is_any(kind: Type) -> bool:
    return True


def _is_lock(kind: Type) -> bool:
    """A lock, or what has no parts. In Fortran locks are integers."""
    plain = kind.plain()
    return kind.name in _LOCKS or not (plain.is_structure or plain.is_array)


class _Language:
    """How a language writes members and elements."""

    def __init__(self, fortran: bool) -> None:
        self._fortran = fortran

    def path(self, kind: Type, offset: int, is_end: _End) -> Optional[str]:
        if offset == 0 and is_end(kind):
            return ""
        plain = kind.plain()
        if kind.name in _LOCKS:
            return None  # nothing has a name within a lock
        if plain.is_array:
            return self._in_array(plain, offset, is_end)
        if plain.is_structure:
            return self._in_structure(plain, offset, is_end)
        return None

    def _in_array(self, kind: Type, offset: int, is_end: _End) -> Optional[str]:
        element = kind.element()
        low, high = kind.bounds()
        number = offset // element.size if element.size else 0
        if low <= high < low + number:
            return None  # an array of open length has no bound
        rest = self.path(element, offset - number * element.size, is_end)
        if rest is None:
            return None
        if not self._fortran:
            return f"[{low + number}]{rest}"
        if element.is_array and rest:
            return f"({rest[1:].replace(')', f',{low + number})', 1)}"
        return f"({low + number}){rest}"

    def _in_structure(self, kind: Type, offset: int, is_end: _End) -> Optional[str]:
        """Of several members of a union that fit, the first that is a lock, if one is."""
        for member in sorted(kind.members(), key=lambda member: member.kind.name not in _LOCKS):
            if member.bits:
                continue
            rest = self._in_member(member.kind, offset - member.bit // 8, is_end)
            if rest is not None:
                hidden = member.is_base or not member.name
                return rest if hidden else f"{'%' if self._fortran else '.'}{member.name}{rest}"
        return None

    def _in_member(self, kind: Type, offset: int, is_end: _End) -> Optional[str]:
        fits = 0 <= offset < max(kind.size, 1)
        return self.path(kind, offset, is_end) if fits else None
