# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether an instruction writes a register, or a word that a register points to.

Instructions are told as text, in the notation that the user has chosen: AT&T's, where the
destination comes last, or Intel's, where it comes first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, FrozenSet, List, Optional, Tuple

if TYPE_CHECKING:
    from ompdbg.services import Instruction

_WORD = 8
_OPERATION = re.compile(
    r"^(?:(?:lock|repz?|repnz|notrack|bnd|cs|ds|data16)\s+)*([a-z]\w*)\s*(.*)$"
)
_READS_ONLY = re.compile(r"^(?:cmp|test|j|call|push|nop|ucomis|comis|bt[lqw]?$|ret|endbr)")
_COMMENT = re.compile(r"\s*[#<].*$")
_PLACE = re.compile(
    r"^[^(\[]*?(?:(-?0x[0-9a-f]+)?\(%(\w+)\)|\[(\w+)([+-]0x[0-9a-f]+)?\])$", re.IGNORECASE
)
_SWAPS = ("xchg", "xadd", "cmpxchg")


def writes(instruction: "Instruction", register: str, offset: Optional[int]) -> bool:
    """Whether it may change the register, or the word so far from where the register points."""
    operation = _OPERATION.match(_COMMENT.sub("", instruction.text))
    if operation is None or _READS_ONLY.match(operation.group(1)):
        return False
    operands = _operands(operation.group(2))
    if not operands:
        return False
    if not operation.group(1).startswith(_SWAPS):
        is_att = any("%" in operand or "$" in operand for operand in operands)
        operands = [operands[-1 if is_att else 0]]
    return any(_is_of(operand, register, offset) for operand in operands)


def _is_of(operand: str, register: str, offset: Optional[int]) -> bool:
    if operand.lstrip("%") in _names(register):
        return True
    if offset is None:
        return False
    if f"(%{register}," in operand or f"[{register}+" in operand and "*" in operand:
        return True  # an element of an array: which one, is not known
    place = _place(operand)
    return place is not None and place[0] == register and abs(place[1] - offset) < _WORD


def _operands(text: str) -> List[str]:
    """Split at the commas outside of parentheses."""
    found: List[str] = [""]
    depth = 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [operand.strip() for operand in found if operand.strip()]


def _place(operand: str) -> Optional[Tuple[str, int]]:
    found = _PLACE.match(operand)
    if found is None:
        return None
    distance = found.group(1) or found.group(4) or "0"
    return found.group(2) or found.group(3), int(distance, 16)


@lru_cache(maxsize=None)
def _names(register: str) -> FrozenSet[str]:
    """A register and its parts: rbx, ebx, bx, bl, bh; r12, r12d, r12w, r12b."""
    if register[1].isdigit():
        return frozenset({register, register + "d", register + "w", register + "b"})
    short = register[1:]
    return frozenset({register, "e" + short, short, short[0] + "l", short[0] + "h", short + "l"})
