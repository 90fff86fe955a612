# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions done again, on numbers: what code had computed when it called a function.

Nothing is written to the program: what the instructions store is kept here.
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple, Union

from ompdbg.model import x86_values as x86
from ompdbg.model.x86_values import RBP, RSP, Insn, Number, Operand, Place

REGISTERS = 16
KEPT = (3, 4, 5, 12, 13, 14, 15)  # by a function that is called
_WORD = 8
_MASK = (1 << 64) - 1
_MAX_STORE = 64


class Content(NamedTuple):
    """What memory held at a time when it was not looked at, and a distance from that."""

    address: int
    plus: int


Value = Union[int, Content, None]  # None: not known


class Machine:
    """Registers and what was stored."""

    def __init__(
        self, registers: List[Value], load: Callable[[int, int], Value], is_past: bool = False
    ) -> None:
        """`load`: what memory holds that was not stored to, of so many bytes. `is_past`: that is
        what it holds after these instructions, so that it tells what they stored."""
        self.registers = registers
        self.stored: Dict[int, Tuple[int, Value]] = {}
        self.lost = False  # it has stored to where is not known
        self.is_zero: Optional[bool] = None  # the last result
        self.loaded: List[Tuple[int, int]] = []  # address and size
        self.used: Set[int] = set()  # registers that the function that is done again had kept
        self.is_spoilt = False  # something was stored where it had loaded
        self.may_vary = False  # it was done more than once, and not always with these numbers
        self._load = load
        self._is_past = is_past

    def copy(self) -> "Machine":
        """One that goes on another way."""
        other = Machine(list(self.registers), self._load)
        other.stored, other.lost = dict(self.stored), self.lost
        other.is_zero = self.is_zero
        return other

    # ---- Memory -----------------------------------------------------------------------------

    def address(self, place: Operand) -> Value:
        """Of an operand in memory."""
        if not isinstance(place, Place) or place.is_of_thread:
            return None
        found: Value = place.distance & _MASK
        if place.base is not None:
            found = _sum(self.registers[place.base], found)
        if place.times is not None:
            found = _sum(found, _product(self.registers[place.times], place.scale))
        return found

    def load(self, address: Value, width: int) -> Value:
        """What is there, as far as it is known."""
        if not isinstance(address, int):
            return None
        known = self.stored.get(address)
        if known is not None and known[0] == width:
            return known[1]
        if self.lost or any(
            at < address + width and address < at + known[0] for at, known in self.stored.items()
        ):
            return None
        self.loaded.append((address, width))
        return self._load(address, width)

    def store(self, address: Value, width: int, value: Value) -> None:
        """From now on it is there."""
        if not isinstance(address, int):
            self.forget_memory()
            return
        for at in [
            at
            for at, known in self.stored.items()
            if at < address + width and address < at + known[0]
        ]:
            self.stored[at] = (self.stored[at][0], None)
        self.is_spoilt |= any(at < address + width and address < at + of for at, of in self.loaded)
        self.stored[address] = (width, value)
        if self._is_past and value is None:
            del self.stored[address]

    def forget_memory(self) -> None:
        """Anything may be there."""
        self.lost = True
        self.stored.clear()

    # ---- Instructions -----------------------------------------------------------------------

    def do(self, insn: Insn) -> None:
        """All but jumps, calls and returns."""
        if insn.does == x86.NOTHING:
            return
        if insn.does == x86.PUSH:
            value = self._value(insn.of, _WORD)
            self.registers[RSP] = _sum(self.registers[RSP], -_WORD)
            if isinstance(self.registers[RSP], int):  # else it is below all that is known
                self.store(self.registers[RSP], _WORD, value)
        elif insn.does in (x86.POP, x86.LEAVE):
            if insn.does == x86.LEAVE:
                self.registers[RSP] = self.registers[RBP]
            value = self.load(self.registers[RSP], _WORD)
            self.registers[RSP] = _sum(self.registers[RSP], _WORD)
            self._put(RBP if insn.does == x86.LEAVE else insn.to, _WORD, value)
        elif insn.does == x86.OTHER:
            self._put(insn.to, insn.width, None)
            self._put(insn.of, insn.width, None)
            self.is_zero = None
        else:
            self._compute(insn)

    def after_call(self) -> None:
        """Of a function that stores to nothing that is of interest."""
        for register in range(REGISTERS):
            if register not in KEPT:
                self.registers[register] = None
        self.is_zero = None

    def _compute(self, insn: Insn) -> None:
        width = insn.width
        if insn.does == x86.MOVE:
            self._put(insn.to, width, self._value(insn.of, width))
            return
        if insn.does == x86.ADDRESS:
            found = self.address(insn.of)
            if width < _WORD:
                found = found & _ones(width) if isinstance(found, int) else None
            self._put(insn.to, width, found)
            return
        if insn.does in (x86.EXTEND, x86.SIGNED):
            value = self._value(insn.of, width)
            if isinstance(value, int) and insn.does == x86.SIGNED:
                value = _signed(value, width) & _MASK
            self._put(insn.to, _WORD, value if isinstance(value, int) else None)
            return
        found = self._result(insn)
        self.is_zero = None if not isinstance(found, int) else found & _ones(width) == 0
        if insn.does not in ("cmp", x86.TEST):
            self._put(insn.to, width, found)
        if insn.does in (x86.SHIFT, x86.PRODUCT):
            self.is_zero = None

    def _result(self, insn: Insn) -> Value:
        width = insn.width
        if insn.does == x86.PRODUCT:
            of, factor = self._value(insn.of, width), self._value(insn.factor, width)
            if isinstance(of, int) and isinstance(factor, int):
                return _signed(of, width) * _signed(factor, width) & _ones(width)
            return None
        one, other = self._value(insn.to, width), self._value(insn.of, width)
        if insn.does in ("xor", "sub", "cmp") and insn.to == insn.of and isinstance(insn.to, int):
            return 0
        if insn.does == x86.TEST and insn.to == insn.of:
            return one
        if not isinstance(other, int):
            return _sum(other, one) if insn.does == "add" and width == _WORD else None
        if insn.does in ("add", "sub", "cmp") and width == _WORD:
            return _sum(one, other if insn.does == "add" else -other)
        if not isinstance(one, int):
            return None
        if insn.does == x86.SHIFT:
            return one << (other & (63 if width == _WORD else 31)) & _ones(width)
        numbers = {
            "add": one + other,
            "sub": one - other,
            "cmp": one - other,
            "and": one & other,
            x86.TEST: one & other,
            "or": one | other,
            "xor": one ^ other,
        }
        found = numbers.get(insn.does)
        return None if found is None else found & _ones(width)

    def _value(self, operand: Operand, width: int) -> Value:
        if isinstance(operand, Number):
            return operand.value & _ones(width)
        if isinstance(operand, Place):
            return self.load(self.address(operand), width)
        if operand is None:
            return None
        value = self.registers[operand]
        if width == _WORD or not isinstance(value, int):
            return value if width == _WORD else None
        return value & _ones(width)

    def _put(self, operand: Operand, width: int, value: Value) -> None:
        if isinstance(operand, Place):
            self.store(self.address(operand), min(width, _MAX_STORE), value)
        elif isinstance(operand, int):
            if width < 4:
                old = self.registers[operand]
                both = isinstance(value, int) and isinstance(old, int)
                value = old & ~_ones(width) | value if both else None  # type: ignore[operator]
            self.registers[operand] = value


def _ones(width: int) -> int:
    return (1 << 8 * width) - 1


def _signed(number: int, width: int) -> int:
    number &= _ones(width)
    return number - (1 << 8 * width) if number >> (8 * width - 1) else number


def _sum(one: Value, other: Value) -> Value:
    if isinstance(other, Content):
        one, other = other, one
    if not isinstance(other, int):
        return None
    if isinstance(one, Content):
        return one._replace(plus=_signed(one.plus + other, _WORD))
    return None if one is None else (one + other) & _MASK


def _product(one: Value, factor: int) -> Value:
    if factor == 1:
        return one
    return one * factor & _MASK if isinstance(one, int) else None
