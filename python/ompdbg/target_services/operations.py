# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of DWARF's expressions (DWARF 5, 7.7.1) that need nothing but a stack of numbers."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

WORD = (1 << 64) - 1
_SIGN = 1 << 63
_BITS = 64

ADDR, DEREF, FBREG, PIECE = 0x03, 0x06, 0x91, 0x93
DEREF_SIZE, CALL_FRAME_CFA, IMPLICIT_VALUE, STACK_VALUE = 0x94, 0x9C, 0x9E, 0x9F
FORM_TLS, GNU_TLS = 0x9B, 0xE0
ENTRY_VALUES = (0xA3, 0xF3)
IMPLICIT_POINTERS = (0xA0, 0xF2)
VECTORS = 17  # registers from xmm0 on have more bytes
PARAMETER_REF = 0xFA
PUSH_OBJECT = 0x97
CONST_TYPES = (0xA4, 0xF4)
NOP = 0x96
_LIT, _REG, _BREG, _NUMBERED = 0x30, 0x50, 0x70, 32
_REGX, _BREGX, _PLUS_UCONST, _PICK = 0x90, 0x92, 0x23, 0x15
_CONSTANTS = range(0x08, 0x12)


def register_of(code: int, number: int) -> Optional[int]:
    """The register that an operation says the value is in."""
    if _REG <= code < _REG + _NUMBERED:
        return code - _REG
    return number if code == _REGX else None


def base_register_of(code: int, number: int, other: int) -> Optional[Tuple[int, int]]:
    """The register whose value an operation adds to, and what it adds."""
    if _BREG <= code < _BREG + _NUMBERED:
        return code - _BREG, number
    return (number, other) if code == _BREGX else None


def signed(value: int) -> int:
    """The number that a word stands for."""
    return value - (1 << _BITS) if value & _SIGN else value


def _quotient(one: int, other: int) -> int:
    """Rounded towards zero."""
    number = abs(signed(one)) // abs(signed(other))
    return number if (one ^ other) & _SIGN == 0 else -number


_OF_TWO: Dict[int, Callable[[int, int], int]] = {
    0x1A: lambda one, other: one & other,
    0x1B: _quotient,
    0x1C: lambda one, other: one - other,
    0x1D: lambda one, other: one % other,
    0x1E: lambda one, other: one * other,
    0x21: lambda one, other: one | other,
    0x22: lambda one, other: one + other,
    0x24: lambda one, other: one << other if other < _BITS else 0,
    0x25: lambda one, other: one >> other if other < _BITS else 0,
    0x26: lambda one, other: signed(one) >> min(other, _BITS),
    0x27: lambda one, other: one ^ other,
    0x29: lambda one, other: int(one == other),
    0x2A: lambda one, other: int(signed(one) >= signed(other)),
    0x2B: lambda one, other: int(signed(one) > signed(other)),
    0x2C: lambda one, other: int(signed(one) <= signed(other)),
    0x2D: lambda one, other: int(signed(one) < signed(other)),
    0x2E: lambda one, other: int(one != other),
}
_OF_ONE: Dict[int, Callable[[int], int]] = {
    0x19: lambda one: abs(signed(one)),
    0x1F: lambda one: -one,
    0x20: lambda one: ~one,
}
# dup, drop, over, swap, rot
_SHUFFLES: Dict[int, Callable[[List[int]], None]] = {
    0x12: lambda stack: stack.append(stack[-1]),
    0x13: lambda stack: stack.__delitem__(-1),
    0x14: lambda stack: stack.append(stack[-2]),
    0x16: lambda stack: stack.insert(-1, stack.pop()),
    0x17: lambda stack: stack.insert(-2, stack.pop()),
}


def compute(code: int, number: int, stack: List[int]) -> bool:
    """Does an operation; False if it is none of those. Raises IndexError if the stack has too
    few numbers."""
    if _LIT <= code < _LIT + _NUMBERED:
        stack.append(code - _LIT)
    elif code in _CONSTANTS:
        stack.append(number & WORD)
    elif code == _PLUS_UCONST:
        stack.append((stack.pop() + number) & WORD)
    elif code == _PICK:
        stack.append(stack[-1 - number])
    elif code in _OF_ONE:
        stack.append(_OF_ONE[code](stack.pop()) & WORD)
    elif code in _OF_TWO:
        other, one = stack.pop(), stack.pop()
        if code in (0x1B, 0x1D) and not other:
            return False
        stack.append(_OF_TWO[code](one, other) & WORD)
    elif code in _SHUFFLES:
        _SHUFFLES[code](stack)
    elif code != NOP:
        return False
    return True
