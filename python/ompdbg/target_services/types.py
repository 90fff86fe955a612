# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of DWARF as those of `ompdbg.members`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, NamedTuple, Optional, Tuple

from ompdbg.members import Member
from ompdbg.target_services import dwarf

if TYPE_CHECKING:
    import _target

_QUALIFIERS = (dwarf.TAG_CONST, dwarf.TAG_VOLATILE, dwarf.TAG_RESTRICT, dwarf.TAG_ATOMIC)
_STRUCTURES = (dwarf.TAG_STRUCTURE, dwarf.TAG_CLASS, dwarf.TAG_UNION)
_POINTER_SIZE = 8
_MAX_TYPEDEFS = 64  # more of them go round in circles

# A bound of an array that debug information does not tell as a number: of a dimension, which one.
Computed = Callable[["_target.Die", int], Optional[int]]


class Unclear(Exception):
    """The type is not told, or depends on values."""


class DieType:
    """A type. Of an array with several dimensions, what is left of them."""

    def __init__(
        self,
        die: "Optional[_target.Die]",
        lowest: int,
        inner: int = 0,
        computed: Optional[Computed] = None,
    ) -> None:
        """lowest: number of an array's first element where the type does not tell it, as the
        language has it. inner: how many dimensions of an array were taken off."""
        if die is None:
            raise Unclear
        self._die = die
        self._lowest = lowest
        self._inner = inner
        self._computed = computed

    @property
    def name(self) -> Optional[str]:
        """As it is declared, of what is qualified, too."""
        return dwarf.text(self._without(_QUALIFIERS), dwarf.AT_NAME)

    @property
    def size(self) -> int:
        """In bytes."""
        try:
            plain = self.plain()
            if plain.is_array:
                low, high = plain.bounds()
                return max(high - low + 1, 0) * plain.element().size
            if dwarf.entry(plain._die, dwarf.AT_STRING_LENGTH) is not None:
                return max(plain._bound(plain._die, dwarf.AT_STRING_LENGTH) or 0, 0)
        except Unclear:
            return 0
        size = dwarf.number(plain._die, dwarf.AT_BYTE_SIZE)
        if size is None and plain._die.tag in dwarf.POINTERS:
            return _POINTER_SIZE  # Clang does not tell it
        return size or 0

    @property
    def is_array(self) -> bool:
        """Also behind a typedef."""
        return self.plain()._die.tag == dwarf.TAG_ARRAY

    @property
    def is_structure(self) -> bool:
        """The same."""
        return self.plain()._die.tag in _STRUCTURES

    def plain(self) -> "DieType":
        """Without typedefs and qualifiers."""
        return self._of(self._without((*_QUALIFIERS, dwarf.TAG_TYPEDEF)), self._inner)

    def _without(self, tags: Tuple[int, ...]) -> "_target.Die":
        die: "Optional[_target.Die]" = self._die
        for _ in range(_MAX_TYPEDEFS):
            if die is None:
                break
            if die.tag not in tags:
                return die
            die = dwarf.entry(die, dwarf.AT_TYPE)
        raise Unclear

    def _of(self, die: "Optional[_target.Die]", inner: int = 0) -> "DieType":
        return DieType(die, self._lowest, inner, self._computed)

    def with_bounds(self, computed: Computed) -> "DieType":
        """The same, with other bounds."""
        return DieType(self._die, self._lowest, self._inner, computed)

    def dimension(self) -> "_target.Die":
        """The entry of the outermost dimension that is left."""
        dimensions = self._dimensions()
        if self._inner >= len(dimensions):
            raise Unclear
        return dimensions[self._inner]

    def target(self) -> "DieType":
        """What a pointer or reference is to."""
        return self._of(dwarf.entry(self._die, dwarf.AT_TYPE))

    @property
    def die(self) -> "_target.Die":
        """Its entry."""
        return self._die

    def members(self) -> List[Member]:
        """Those that have a place."""
        return [placed.member for placed in self.placed_members()]

    def placed_members(self) -> "List[Placed]":
        """The same, each with its entry."""
        found = []
        for die in self._die.children():
            if die.tag not in (dwarf.TAG_MEMBER, dwarf.TAG_INHERITANCE):
                continue
            if die.attribute(dwarf.AT_DECLARATION):
                continue
            try:
                # What bounds are computed from is not in here, but in the member.
                kind = DieType(dwarf.entry(die, dwarf.AT_TYPE), self._lowest)
                name = dwarf.text(die, dwarf.AT_NAME)
                is_base = die.tag == dwarf.TAG_INHERITANCE
                bits = dwarf.number(die, dwarf.AT_BIT_SIZE) or 0
                member = Member(name, kind, _first_bit(die, kind, bits), bits, is_base)
                found.append(Placed(die, kind, member))
            except Unclear:
                continue
        return found

    def element(self) -> "DieType":
        """Of the next dimension, or of all."""
        if self._inner + 1 < len(self._dimensions()):
            return self._of(self._die, self._inner + 1)
        return self._of(dwarf.entry(self._die, dwarf.AT_TYPE))

    def bounds(self) -> Tuple[int, int]:
        """Of the outermost dimension that is left."""
        die = self.dimension()
        low = self._bound(die, dwarf.AT_LOWER_BOUND)
        high = self._bound(die, dwarf.AT_UPPER_BOUND)
        count = self._bound(die, dwarf.AT_COUNT)
        first = self._lowest if low is None else low
        if high is not None:
            return first, high
        if count is not None:
            return first, first + count - 1
        return first, first - 1  # of open length

    def _bound(self, dimension: "_target.Die", attribute: int) -> Optional[int]:
        value = dimension.attribute(attribute)
        if value is None or isinstance(value, int):
            return value
        found = self._computed(dimension, attribute) if self._computed is not None else None
        if found is None:
            raise Unclear
        return found

    def _dimensions(self) -> "List[_target.Die]":
        found = [die for die in self._die.children() if die.tag == dwarf.TAG_SUBRANGE]
        if dwarf.number(self._die, dwarf.AT_ORDERING) == dwarf.COLUMN_MAJOR:
            found.reverse()
        return found


class Placed(NamedTuple):
    """A member that has a place."""

    die: "_target.Die"
    kind: DieType
    member: Member


def _first_bit(die: "_target.Die", kind: DieType, bits: int) -> int:
    first = dwarf.number(die, dwarf.AT_DATA_BIT_OFFSET)
    if first is not None:
        return first
    place = die.attribute(dwarf.AT_MEMBER_LOCATION)
    if place is not None and not isinstance(place, int):
        raise Unclear
    from_end = dwarf.number(die, dwarf.AT_BIT_OFFSET) if bits else None
    if from_end is None:
        return 8 * (place or 0)
    # DWARF 2: counted from the highest bit of what holds it.
    size = dwarf.number(die, dwarf.AT_BYTE_SIZE) or kind.size
    return 8 * ((place or 0) + size) - from_end - bits
