# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of base types and enumerations, and strings, written as GDB writes them."""

from __future__ import annotations

import struct
from decimal import Context, Decimal
from itertools import groupby
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

from ompdbg.target_services import dwarf
from ompdbg.target_services.locations import Unavailable

if TYPE_CHECKING:
    import _target

MOST = 200  # elements and characters that are shown
_MANY_CHARACTERS = 10  # more of one are counted
_ESCAPES = {7: "a", 8: "b", 12: "f", 10: "n", 13: "r", 9: "t", 11: "v", 92: "\\"}
_WIDE = {"wchar_t": "L", "char16_t": "u", "char32_t": "U", "char8_t": "u8"}
_EXTENDED_BIAS, _EXTENDED_LARGEST, _EXTENDED_SIZE = 16383, 0x7FFF, 10


def base(die: "_target.Die", data: bytes, name: Optional[str], is_fortran: bool) -> str:
    """A value of a base type; `name`: of the type as it was declared."""
    encoding = dwarf.number(die, dwarf.AT_ENCODING)
    size = len(data)
    if encoding == dwarf.ATE_FLOAT:
        return floating(data)
    if encoding == dwarf.ATE_COMPLEX:
        real, imaginary = floating(data[: size // 2]), floating(data[size // 2 :])
        return f"({real},{imaginary})" if is_fortran else f"{real} + {imaginary}i"
    is_signed = encoding in (dwarf.ATE_SIGNED, dwarf.ATE_SIGNED_CHAR)
    number = int.from_bytes(data, "little", signed=is_signed)
    if encoding == dwarf.ATE_BOOLEAN and number in (0, 1):
        return ((".FALSE.", ".TRUE.") if is_fortran else ("false", "true"))[number]
    if is_fortran or encoding in (dwarf.ATE_BOOLEAN, dwarf.ATE_SIGNED, dwarf.ATE_UNSIGNED):
        prefix = None if is_fortran else _WIDE.get(name or "")
        return f"{number} {prefix}{character(number, 4)}" if prefix is not None else str(number)
    if encoding in (dwarf.ATE_SIGNED_CHAR, dwarf.ATE_UNSIGNED_CHAR) and size == 1:
        return f"{number} {character(data[0], 1)}"
    if encoding == dwarf.ATE_UTF:
        own = dwarf.text(die, dwarf.AT_NAME) or ""
        return f"{number} {_WIDE.get(own, '')}{character(number, size)}"
    raise Unavailable("a type that is not known")


def is_character(die: "_target.Die") -> bool:
    """Strings are made of that type."""
    kinds = (dwarf.ATE_SIGNED_CHAR, dwarf.ATE_UNSIGNED_CHAR)
    return die.tag == dwarf.TAG_BASE and (
        dwarf.number(die, dwarf.AT_ENCODING) in kinds
        and dwarf.number(die, dwarf.AT_BYTE_SIZE) == 1
    )


def floating(data: bytes) -> str:
    """As many digits as the type has."""
    if len(data) == 4:
        (value,) = struct.unpack("<f", data)
        return _finite(format(value, ".9g"), data, 23)
    if len(data) == 8:
        (value,) = struct.unpack("<d", data)
        return _finite(format(value, ".17g"), data, 52)
    if len(data) in (12, 16):
        return _extended(data[:_EXTENDED_SIZE])
    raise Unavailable("a type that is not known")


def _finite(text: str, data: bytes, bits: int) -> str:
    if text != "nan":
        return text
    number = int.from_bytes(data, "little")
    sign = "-" if data[-1] & 0x80 else ""
    return f"{sign}nan({number & ((1 << bits) - 1):#x})"


def _extended(data: bytes) -> str:
    """The x87's format."""
    mantissa = int.from_bytes(data[:8], "little")
    exponent = int.from_bytes(data[8:], "little")
    sign, exponent = "-" if exponent & 0x8000 else "", exponent & _EXTENDED_LARGEST
    if exponent == _EXTENDED_LARGEST:
        return f"{sign}inf" if mantissa == 1 << 63 else f"{sign}nan({mantissa:#x})"
    precise, shown = Context(prec=12_000), Context(prec=18)
    scale = (exponent or 1) - _EXTENDED_BIAS - 63
    power = precise.power(Decimal(2), abs(scale))
    value = precise.multiply(Decimal(mantissa), power)
    if scale < 0:
        value = precise.divide(Decimal(mantissa), power)
    return sign + _general(shown.plus(value), 18)


def _general(value: Decimal, digits: int) -> str:
    """As C's %g."""
    if not value:
        return "0"
    exponent = value.adjusted()
    if -5 < exponent < digits:
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = format(value.scaleb(-exponent), "f").rstrip("0").rstrip(".")
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


# ---- Characters ------------------------------------------------------------------------------


def _escaped(code: int, quote: str, size: int, after_octal: bool) -> Tuple[str, bool]:
    """A character in quotes, and whether it is written as an octal number."""
    if code in _ESCAPES:
        return "\\" + _ESCAPES[code], False
    if code == ord(quote):
        return "\\" + quote, False
    if 32 <= code < 127 and not (after_octal and chr(code).isdigit()):
        return chr(code), False
    if size > 1 and 160 <= code < 0x110000 and chr(code).isprintable():
        return chr(code), False
    return "".join(f"\\{byte:03o}" for byte in code.to_bytes(size, "little")), True


def character(code: int, size: int) -> str:
    """In single quotes."""
    return f"'{_escaped(code & ((1 << 8 * size) - 1), chr(39), size, False)[0]}'"


def string(data: bytes, goes_on: bool, quote: str = '"') -> str:
    """In quotes; what is many times the same is counted. `goes_on`: there is more of it."""
    if not data:
        return f"{quote}{quote}"
    runs = [(code, len(list(group))) for code, group in groupby(data)]
    parts: List[str] = []
    text, after_octal, room = "", False, MOST
    for code, count in runs:
        if room <= 0:
            goes_on = True
            break
        if count > _MANY_CHARACTERS:
            parts.extend([f"{quote}{text}{quote}"] if text else [])
            parts.append(f"{character(code, 1)} <repeats {count} times>")
            text, after_octal = "", False
            room -= count
            continue
        goes_on = goes_on or count > room
        for _ in range(min(count, room)):
            one, after_octal = _escaped(code, quote, 1, after_octal)
            text += one
        room -= count
    parts.extend([f"{quote}{text}{quote}"] if text else [])
    return ", ".join(parts) + ("..." if goes_on else "")


# ---- Enumerations ----------------------------------------------------------------------------


def enumeration(value: int, names: Sequence[Tuple[str, int]]) -> str:
    """The name of a value; of one that is made of others, these."""
    for name, known in names:
        if known == value:
            return name
    if not _are_flags([known for _, known in names]) or value < 0:
        return str(value)
    if not value:
        return "0"
    found, left = [], value
    for name, known in names:
        if known and value & known:
            found.append(name)
            left &= ~known
    if left:
        found.append(f"unknown: {left:#x}")
    return f"({' | '.join(found)})"


def _are_flags(values: Sequence[int]) -> bool:
    taken = 0
    for value in values:
        if value < 0 or value & taken:
            return False
        lowest = value & -value
        if value and (value + lowest) & value:
            return False  # its bits do not lie side by side
        taken |= value
    return True
