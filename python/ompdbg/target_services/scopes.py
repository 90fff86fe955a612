# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables that are known at a place in a frame's code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg import producers
from ompdbg.frames import is_fortran
from ompdbg.generated_names import LENGTH, is_generated
from ompdbg.target_services import dwarf
from ompdbg.target_services.frame_context import FrameContext
from ompdbg.target_services.locations import Bytes, Evaluation, OptimizedOut, Unavailable
from ompdbg.target_services.stacks import StackFrame
from ompdbg.target_services.types import DieType
from ompdbg.target_services.values import Values

if TYPE_CHECKING:
    import _target

    from ompdbg.target_services.units import Unit

_VARIABLES = (dwarf.TAG_PARAMETER, dwarf.TAG_VARIABLE)
_CODE = (dwarf.AT_LOW_PC, dwarf.AT_RANGES)
_BLOCKS = (dwarf.TAG_SUBPROGRAM, dwarf.TAG_INLINED, dwarf.TAG_BLOCK)
_MAX_NESTING = 100
_MAX_ORIGINS = 16
CONTEXT = "__context"  # of a task of Clang's: where the addresses of what it shares are
_SIGN = 1 << 63
Declaration = Tuple[str, Optional[int]]  # name and line


class Scope(NamedTuple):
    """What is known of a frame's place."""

    context: FrameContext
    values: Values
    blocks: "List[_target.Die]"  # from the innermost to the function
    unit: "Unit"
    thread: int
    frame: StackFrame

    @property
    def is_fortran(self) -> bool:
        """Of the source file."""
        return is_fortran(dwarf.text(self.unit.die, dwarf.AT_NAME))

    @property
    def producer(self) -> str:
        """Who made the debug information."""
        return dwarf.text(self.unit.die, dwarf.AT_PRODUCER) or ""

    def is_users(self, die: "_target.Die") -> bool:
        """A variable that the source has, too."""
        return not is_generated(name_of(die), self.is_fortran) and not is_length(die)

    def kind_of(self, die: "_target.Die") -> DieType:
        """The type of a variable, of an array with the bounds that are computed here. Raises
        Unavailable."""
        is_computed = not self._is_hosts(die)
        return self.values.kind_of(die, self._bound if is_computed else None)

    def address_of(self, die: "_target.Die") -> Optional[int]:
        """Where a variable is in memory, if it is."""
        place = die.location(dwarf.AT_LOCATION, self.context.address)
        if not place:
            return None
        try:
            return Evaluation(self.context).value(place, 0).address
        except (OptimizedOut, Unavailable):
            return None

    def value(self, die: "_target.Die", kind: DieType) -> Bytes:
        """Of a variable. Raises Unavailable and OptimizedOut."""
        size = self.values.size_of(kind)
        place = die.location(dwarf.AT_LOCATION, self.context.address)
        if place:
            return Evaluation(self.context).value(place, size)
        constant = die.attribute(dwarf.AT_CONST_VALUE)
        if isinstance(constant, bytes):
            return Bytes(constant)
        if isinstance(constant, int):
            return Bytes((constant & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
        raise OptimizedOut

    def _is_hosts(self, die: "_target.Die") -> bool:
        """A variable that an internal procedure has of the one that it is in, where the bounds of
        an array were computed."""
        line = dwarf.number(die, dwarf.AT_DECL_LINE)
        begin = dwarf.number(self.blocks[-1], dwarf.AT_DECL_LINE)
        return line is not None and begin is not None and line < begin

    def is_mistaken(self, die: "_target.Die", kind: DieType) -> bool:
        """What a task shares Clang takes for the reference that it is one to."""
        if die.tag != dwarf.TAG_VARIABLE or not self._is_hosts(die):
            return False
        whole = declared(self.blocks[-1])
        return self.values.is_reference(kind) and any(name_of(one) == CONTEXT for one in whole)

    def _bound(self, dimension: "_target.Die", attribute: int) -> Optional[int]:
        return self.number(dimension, attribute)

    def number(
        self, die: "_target.Die", attribute: int, whole: Optional[int] = None
    ) -> Optional[int]:
        """Of an array: what an expression computes, or a variable of the compiler's has. `whole`:
        where the array is, or its descriptor."""
        try:
            told = dwarf.entry(die, attribute)
            if told is None:
                place = die.location(attribute, self.context.address)
                if place and producers.has_other_bounds(self.producer):
                    return None
                found = Evaluation(self.context, whole).number(place) if place else None
            else:
                found = self._number_in(told)
        except (OptimizedOut, Unavailable):
            return None
        return None if found is None else (found ^ _SIGN) - _SIGN

    def _number_in(self, variable: "_target.Die") -> Optional[int]:
        for block in self.blocks:
            for die in _entries(block):
                if die.tag in _VARIABLES and _is_instance(die, variable):
                    return self._number_of(die)
        # Of what is inlined it may belong to the function around; ranges of code tell that.
        here, elsewhere = (
            variable.location(dwarf.AT_LOCATION, one) for one in (self.context.address, 0)
        )
        return self._number_of(variable) if here and not elsewhere else None

    def _number_of(self, variable: "_target.Die") -> int:
        kind = self.values.kind_of(variable)
        data = self.value(variable, kind).part(0, self.values.size_of(kind))
        return int.from_bytes(data, "little")

    def is_unsure_copy(self, die: "_target.Die", kind: DieType) -> bool:
        """Check whether an array may be a copy of some elements only (`reduction(+: a[2:5])`).
        Clang does not tell where its copies are declared. That of a whole array has its type."""
        line = dwarf.number(die, dwarf.AT_DECL_LINE)
        if line is not None or die.tag != dwarf.TAG_VARIABLE or not self.values.is_array(kind):
            return False
        if not producers.is_llvms(self.producer):
            return False
        for passed in declared(self.blocks[-1]):
            if passed.tag == dwarf.TAG_PARAMETER and name_of(passed) == name_of(die):
                source = self.values.kind_of(passed)
                if self.values.is_reference(source):
                    return source.plain().target().plain().die.offset != kind.plain().die.offset
        return True

    @property
    def takes_lengths(self) -> bool:
        """Clang passes the lengths of arrays, and then only the place of the first element."""
        return any(map(is_length, declared(self.blocks[-1])))


def blocks_at(unit: "Unit", address: int, within: int) -> "List[_target.Die]":
    """From the innermost block of a function at an address to the function; `within`: how many
    functions are inlined there, which have blocks of their own."""
    found: "List[_target.Die]" = []
    passed = 0
    for die in unit.die.scopes(address):
        if die.tag not in _BLOCKS:
            continue
        found.append(die)
        if die.tag in dwarf.FUNCTIONS:
            if passed == within:
                return found
            passed, found = passed + 1, []
        if die.tag == dwarf.TAG_SUBPROGRAM:
            break
    return []


def declared(block: "_target.Die") -> "Iterator[_target.Die]":
    """The variables of a block, and those that the compiler left out of this copy of it."""
    for die in block.children():
        yield from _variables(die)
    model = dwarf.own_entry(block, dwarf.AT_ABSTRACT_ORIGIN)
    if model is None:
        return
    here = {origin.offset for origin in _origins(block)}
    for child in model.children():
        yield from (die for die in _variables(child) if die.offset not in here)


def _entries(block: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """All in a block, and in those within that have no code of their own."""
    for die in block.children():
        yield die
        if die.tag == dwarf.TAG_BLOCK and depth < _MAX_NESTING:
            if all(die.attribute(code) is None for code in _CODE):
                yield from _entries(die, depth + 1)


def _is_instance(die: "_target.Die", of: "_target.Die") -> bool:
    origin: "Optional[_target.Die]" = die
    for _ in range(_MAX_ORIGINS):
        if origin is None:
            break
        if origin.offset == of.offset:
            return True
        origin = dwarf.own_entry(origin, dwarf.AT_ABSTRACT_ORIGIN)
    return False


def _variables(die: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """The entry, or those of a block that has no code of its own."""
    if die.tag in _VARIABLES and name_of(die):
        yield die
    elif die.tag == dwarf.TAG_BLOCK and all(die.attribute(name) is None for name in _CODE):
        for child in die.children() if depth < _MAX_NESTING else ():
            yield from _variables(child, depth + 1)


def _origins(block: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """What the entries in a block, and in blocks within, are copies of."""
    for die in block.children():
        origin = dwarf.own_entry(die, dwarf.AT_ABSTRACT_ORIGIN)
        if origin is not None:
            yield origin
        if die.tag == dwarf.TAG_BLOCK and depth < _MAX_NESTING:
            yield from _origins(die, depth + 1)


def is_length(die: "_target.Die") -> bool:
    """Of an array, that Clang passes."""
    is_its = die.tag == dwarf.TAG_PARAMETER and name_of(die) == LENGTH
    return is_its and dwarf.number(die, dwarf.AT_DECL_LINE) is None


def declaration(die: "_target.Die") -> Declaration:
    return name_of(die), dwarf.number(die, dwarf.AT_DECL_LINE)


def name_of(die: "_target.Die") -> str:
    return dwarf.text(die, dwarf.AT_NAME) or ""
