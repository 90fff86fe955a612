# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of variables, written as GDB writes them. What has no simple form is said to be
unavailable, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.services import SymbolAt
from ompdbg.target_services import dwarf, scalars
from ompdbg.target_services.locations import Bytes, OptimizedOut, Unavailable, no_memory
from ompdbg.target_services.names import qualified_name
from ompdbg.target_services.types import Computed, DieType, Unclear

if TYPE_CHECKING:
    import _target
    from ompdbg.target_services.units import Unit

LOST = "<optimized out>"
_STRUCTURES = (dwarf.TAG_STRUCTURE, dwarf.TAG_CLASS, dwarf.TAG_UNION)
_MANY_ELEMENTS = 10  # so many of one are counted
_MAX_DEPTH = 20
_MAX_SIZE = 1 << 20
_STANDARD = "std::"
_VECTOR = ("std::vector<", "std::__1::vector<")
_STRING = ("std::__cxx11::basic_string<char", "std::basic_string<char")
_WORD = 8


class Program(NamedTuple):
    """What values may lead to."""

    read: Callable[[int, int], bytes]  # fewer bytes where memory ends
    symbol_at: Callable[[int], Optional[SymbolAt]]
    symbol_address: Callable[[str], Optional[int]]


class Values:
    """Writes values of variables of one unit."""

    def __init__(self, program: Program, unit: "Unit") -> None:
        self._program = program
        self._unit = unit
        language = dwarf.number(unit.die, dwarf.AT_LANGUAGE)
        self._fortran = language in dwarf.FORTRAN
        self._open = "(" if self._fortran else "{"
        self._close = ")" if self._fortran else "}"

    def kind_of(self, variable: "_target.Die", computed: Optional[Computed] = None) -> DieType:
        """The type of a variable. Raises Unavailable."""
        try:
            die = dwarf.entry(variable, dwarf.AT_TYPE)
            return DieType(die, int(self._fortran), 0, computed)
        except Unclear:
            raise Unavailable("the type is not told") from None

    def size_of(self, kind: DieType) -> int:
        """In bytes. Raises Unavailable."""
        try:
            size = kind.size
        except Unclear:
            raise Unavailable("the type is not told") from None
        if not size:
            raise _without_size(kind)
        if size > _MAX_SIZE:
            raise Unavailable(f"it has {size} bytes")
        return size

    def is_array(self, kind: DieType) -> bool:
        """Whatever its bounds."""
        try:
            return kind.is_array
        except Unclear:
            return False

    def has_size(self, kind: DieType) -> bool:
        """How large it is is known."""
        try:
            return kind.size != 0
        except Unclear:
            return False

    def is_reference(self, kind: DieType) -> bool:
        """As C++ has them."""
        try:
            return kind.plain().die.tag in (dwarf.TAG_REFERENCE, dwarf.TAG_RVALUE)
        except Unclear:
            return False

    def referred(self, kind: DieType, value: Bytes) -> "Tuple[DieType, int]":
        """What a reference is to: type and address."""
        return kind.plain().target(), int.from_bytes(value.part(0, _WORD), "little")

    def target_size(self, kind: DieType) -> int:
        """In bytes, of what a pointer is to; 0: not known."""
        try:
            return kind.plain().target().size
        except Unclear:
            return 0

    def is_pointer_to_array(self, kind: DieType) -> bool:
        """As gfortran keeps an array whose bounds are computed."""
        try:
            plain = kind.plain()
            return plain.die.tag == dwarf.TAG_POINTER and plain.target().plain().is_array
        except Unclear:
            return False

    def text(self, kind: DieType, value: Bytes) -> str:
        """A value. Raises Unavailable and OptimizedOut."""
        try:
            return self._text(kind, value, 0, 0)
        except Unclear:
            raise Unavailable("the type depends on other values, or is not told") from None

    def _text(self, kind: DieType, value: Bytes, offset: int, depth: int) -> str:
        plain = kind.plain()
        die = plain.die
        if depth > _MAX_DEPTH:
            raise Unavailable("it lies too deep within others")
        if die.tag in _STRUCTURES:
            return self._structure(plain, value, offset, depth)
        if plain.is_array:
            return self._array(plain, value, offset, depth)
        data = value.part(offset, plain.size)
        if die.tag == dwarf.TAG_STRING and data:
            return scalars.string(data, False, "'")
        if die.tag in dwarf.POINTERS:
            address = int.from_bytes(data, "little")
            if die.tag == dwarf.TAG_POINTER:
                return self._pointer(plain, address)
            # As GDB does it: of what is within something, where it is.
            referred = "" if depth else f": {self._at(plain.target(), address)}"
            return f"@{address:#x}{referred}"
        if die.tag == dwarf.TAG_ENUMERATION:
            return self._enumeration(die, data)
        if die.tag == dwarf.TAG_BASE and data:
            return scalars.base(die, data, kind.name, self._fortran)
        raise Unavailable("a type that is not known")

    def _inner(self, kind: DieType, value: Bytes, offset: int, depth: int) -> str:
        """A part of a value, of which another part may be lost."""
        try:
            return self._text(kind, value, offset, depth)
        except OptimizedOut:
            return LOST
        except Unavailable as reason:
            return reason.text
        except Unclear:
            return Unavailable("its size is not known").text

    # ---- Pointers and enumerations ----------------------------------------------------------

    def _at(self, kind: DieType, address: int) -> str:
        """What a reference is to."""
        try:
            size = self.size_of(kind)
        except Unavailable as reason:
            return reason.text
        data = self._program.read(address, size)
        if data is None or len(data) < size:
            return no_memory(address).text
        return self._inner(kind, Bytes(data, address), 0, 1)

    def _pointer(self, plain: DieType, address: int) -> str:
        symbol = self._program.symbol_at(address) if address else None
        text = f"{address:#x}"
        if symbol is not None:
            text += f" <{symbol.name}{f'+{symbol.offset}' if symbol.offset else ''}>"
        try:
            target = plain.target().plain().die
        except Unclear:
            return text  # to void
        if not address or not scalars.is_character(target):
            return text
        return f"{text} {self._string_at(address)}"

    def _string_at(self, address: int) -> str:
        data = self._program.read(address, scalars.MOST)
        if not data:
            return no_memory(address).text
        text, end, _ = data.partition(b"\0")
        if not end and len(data) < scalars.MOST:
            return f"{scalars.string(text, False)}{no_memory(address + len(data)).text}"
        return scalars.string(text, not end)

    def _enumeration(self, die: "_target.Die", data: bytes) -> str:
        names = []
        prefix = ""
        for child in die.children():
            value = dwarf.number(child, dwarf.AT_CONST_VALUE)
            if child.tag == dwarf.TAG_ENUMERATOR and value is not None:
                names.append((dwarf.text(child, dwarf.AT_NAME) or "", value))
        whole = qualified_name(self._unit, die)
        if die.attribute(dwarf.AT_ENUM_CLASS):
            prefix = f"{whole}::"
        elif "::" in whole:
            prefix = whole.rpartition("::")[0] + "::"
        is_signed = any(value < 0 for _, value in names)
        number = int.from_bytes(data, "little", signed=is_signed)
        size = 8 * len(data)
        known = [
            (prefix + name, value if is_signed else value & ((1 << size) - 1))
            for name, value in names
        ]
        return scalars.enumeration(number, known)

    # ---- What has parts ---------------------------------------------------------------------

    def _array(self, plain: DieType, value: Bytes, offset: int, depth: int) -> str:
        first, last = plain.bounds()
        element = plain.element()
        count, size = last - first + 1, element.size
        if count <= 0 or not size:
            return f"{self._open}{self._close}" if self._fortran else "0x0"
        inner = element.plain().die
        if not element.is_array and scalars.is_character(inner) and not self._fortran:
            data = value.part(offset, count * size)
            return scalars.string(data[:-1] if data.endswith(b"\0") else data, False)
        parts, is_whole = self._elements(element, value, (offset, size, count), depth)
        between = " " if self._fortran and element.is_array else ", "
        return f"{self._open}{between.join(parts)}{'' if is_whole else '...'}{self._close}"

    def _elements(
        self, kind: DieType, value: Bytes, where: Tuple[int, int, int], depth: int
    ) -> Tuple[List[str], bool]:
        """And whether these are all."""
        offset, size, count = where
        found: List[str] = []
        index = shown = 0
        while index < count:
            if shown >= scalars.MOST:
                return found, False
            at = offset + index * size
            alike = 1
            if not value.lost:
                data = value.data
                one = data[at : at + size]
                while index + alike < count and data.startswith(one, at + alike * size):
                    alike += 1
            text = self._inner(kind, value, at, depth + 1)
            if alike >= _MANY_ELEMENTS:
                found.append(f"{text} <repeats {alike} times>")
                index, shown = index + alike, shown + _MANY_ELEMENTS
            else:
                found.append(text)
                index, shown = index + 1, shown + 1
        return found, True

    def _structure(self, plain: DieType, value: Bytes, offset: int, depth: int) -> str:
        name = qualified_name(self._unit, plain.die)
        if name.startswith(_STRING) and not self._fortran:
            return self._standard_string(value, offset)
        if name.startswith(_VECTOR) and plain.size == 3 * _WORD:
            return self._standard_vector(plain, value, offset, depth)
        if name.startswith(_STANDARD):
            raise Unavailable(f"a {name.partition('<')[0]} of the C++ library")
        parts = list(self._members(plain, value, offset, depth))
        if self._fortran:
            return f"( {', '.join(parts)} )"
        return f"{{{', '.join(parts) or '<No data fields>'}}}"

    def _members(self, plain: DieType, value: Bytes, offset: int, depth: int) -> Iterator[str]:
        placed = {member.die.offset: member for member in plain.placed_members()}
        for die in plain.die.children():
            if die.tag not in (dwarf.TAG_MEMBER, dwarf.TAG_INHERITANCE, dwarf.TAG_VARIABLE):
                continue
            name = dwarf.text(die, dwarf.AT_NAME)
            found = placed.get(die.offset)
            if found is None:
                if die.attribute(dwarf.AT_DECLARATION):
                    yield f"static {name} = {self._static(die, depth)}"
                else:
                    yield f"{name} = <unavailable: its place is computed>"
                continue
            kind, member = found.kind, found.member
            if member.bits:
                text = self._bits(kind, value, offset * 8 + member.bit, member.bits)
            else:
                text = self._inner(kind, value, offset + member.bit // 8, depth + 1)
            if member.is_base:
                yield f"<{qualified_name(self._unit, kind.plain().die)}> = {text}"
            else:
                yield text if name is None else f"{name} = {text}"

    def _static(self, die: "_target.Die", depth: int) -> str:
        """A member that all objects share."""
        linkage = dwarf.text(die, dwarf.AT_LINKAGE_NAME)
        address = self._program.symbol_address(linkage) if linkage else None
        if address is None:
            return Unavailable("no symbol tells its place").text
        try:
            kind = self.kind_of(die)
            data = self._program.read(address, self.size_of(kind))
            return self._inner(kind, Bytes(data, address), 0, depth + 1)
        except Unavailable as reason:
            return reason.text

    def _bits(self, kind: DieType, value: Bytes, bit: int, bits: int) -> str:
        """A bit field."""
        try:
            first, last = bit // 8, (bit + bits - 1) // 8
            word = int.from_bytes(value.part(first, last - first + 1), "little")
        except OptimizedOut:
            return LOST
        number = (word >> (bit % 8)) & ((1 << bits) - 1)
        die = kind.plain().die
        encoding = dwarf.number(die, dwarf.AT_ENCODING)
        signed = encoding in (dwarf.ATE_SIGNED, dwarf.ATE_SIGNED_CHAR)
        if signed and number >> (bits - 1):
            number -= 1 << bits
        size = kind.plain().size
        data = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        return self._inner(kind, Bytes(data), 0, 0)

    def _standard_string(self, value: Bytes, offset: int) -> str:
        """std::string: a pointer, and the length."""
        address, length = (
            int.from_bytes(value.part(offset + at, _WORD), "little") for at in (0, _WORD)
        )
        wanted = min(length, scalars.MOST)
        data = self._program.read(address, wanted)
        if len(data) < wanted:
            raise no_memory(address + len(data))
        return scalars.string(data, length > scalars.MOST)

    def _standard_vector(self, plain: DieType, value: Bytes, offset: int, depth: int) -> str:
        """std::vector: where it begins, where it ends, and for how much there is room."""
        begin, end, room = (
            int.from_bytes(value.part(offset + at * _WORD, _WORD), "little") for at in range(3)
        )
        named = (die for die in plain.die.children() if die.tag == dwarf.TAG_TEMPLATE_TYPE)
        element = self.kind_of(next(named, plain.die))
        size = self.size_of(element)
        if not begin <= end <= room or (end - begin) % size:
            raise Unavailable("a std::vector that is damaged, or not made yet")
        count = (end - begin) // size
        text = f"std::vector of length {count}, capacity {(room - begin) // size}"
        data = self._program.read(begin, min(count, scalars.MOST) * size)
        shown = len(data) // size
        if shown < min(count, scalars.MOST):
            raise no_memory(begin + len(data))
        parts = [
            self._inner(element, Bytes(data, begin), index * size, depth + 1)
            for index in range(shown)
        ]
        more = "..." if shown < count else ""
        return f"{text} = {{{', '.join(parts)}{more}}}" if count else text


def _without_size(kind: DieType) -> Unavailable:
    """Why a type has none."""
    die = kind.plain().die
    if die.attribute(dwarf.AT_DECLARATION):
        return Unavailable("the type is only declared", "<incomplete type>")
    if die.tag == dwarf.TAG_MEMBER_POINTER:
        return Unavailable("a pointer to a member")
    return Unavailable("its size is not known")
