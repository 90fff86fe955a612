# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of x86-64 by which code computes addresses and passes them on.

Of the others, as far as they can be told apart, it is known what they overwrite.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Set, Tuple, Union

RAX, RDX, RSP, RBP, RSI, RDI = 0, 2, 4, 5, 6, 7
_BASE_OF_SIB, _RIP = 4, 5

# What an instruction does.
MOVE, ADDRESS, EXTEND, SIGNED = "mov", "lea", "movzx", "movsx"
SHIFT, PRODUCT, TEST, OTHER = "shl", "imul", "test", "other"
PUSH, POP, LEAVE, NOTHING = "push", "pop", "leave", "nop"
CALL, CALL_POINTER, JUMP, JUMP_IF, END = "call", "call*", "jmp", "jcc", "end"
RETURN = "ret"
_ALU = ("add", "or", "adc", "sbb", "and", "sub", "xor", "cmp")
ALU = frozenset(_ALU)

_LONGEST = 15
_PREFIXES = (0x66, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0xF0)
# Two bytes, and behind the operands a number of one.
_WITH_NUMBER = (0x70, 0x71, 0x72, 0x73, 0xA4, 0xAC, 0xBA, 0xC2, 0xC4, 0xC5, 0xC6)
_CONDITIONS = {4: "e", 5: "ne"}


class Place(NamedTuple):
    """An operand in memory."""

    base: Optional[int]
    times: Optional[int]  # the register that is multiplied
    scale: int
    distance: int  # with the address of the next instruction, where that is the base
    is_of_thread: bool  # in a thread's own storage


class Number(NamedTuple):
    """An operand in the instruction."""

    value: int


Operand = Union[int, Place, Number, None]  # int: a register


class Insn(NamedTuple):
    """An instruction."""

    address: int
    size: int
    does: str
    width: int = 8  # bytes
    to: Operand = None
    of: Operand = None
    factor: Operand = None  # of a product
    target: int = 0  # of a jump or call
    condition: str = ""

    @property
    def after(self) -> int:
        """Address of the next."""
        return self.address + self.size


def decode(code: bytes, address: int) -> Optional[Insn]:
    """The instruction at the begin of `code`; None if it is not known."""
    try:
        return _Decoder(code[:_LONGEST], address).decode()
    except IndexError:
        return None  # cut off


class _Decoder:
    def __init__(self, code: bytes, address: int) -> None:
        self._code = code
        self._address = address
        self._at = 0
        self._rex = 0
        self._prefixes: Set[int] = set()

    def decode(self) -> Optional[Insn]:
        while self._code[self._at] in _PREFIXES:
            self._prefixes.add(self._code[self._at])
            self._at += 1
        if self._code[self._at] & 0xF0 == 0x40:
            self._rex = self._byte()
        opcode = self._byte()
        if opcode == 0x0F:
            return self._long(self._byte())
        if opcode & 0xF0 == 0x70 or opcode in (0xEB, 0xE9, 0xE8):
            return self._jump(opcode)
        return self._short(opcode)

    # ---- Parts ------------------------------------------------------------------------------

    def _byte(self) -> int:
        self._at += 1
        return self._code[self._at - 1]

    def _number(self, size: int) -> int:
        if self._at + size > len(self._code):
            raise IndexError
        self._at += size
        found = self._code[self._at - size : self._at]
        return int.from_bytes(found, "little", signed=True)

    @property
    def _width(self) -> int:
        if self._rex & 8:
            return 8
        return 2 if 0x66 in self._prefixes else 4

    def _is(self, does: str, width: int = 8, **more: object) -> Insn:
        found = Insn(self._address, self._at, does, width, **more)  # type: ignore[arg-type]
        return self._settle(found) if self._prefixes or not self._rex else found

    def _settle(self, found: Insn) -> Insn:
        """The second byte of a register is no register of its own. What is done with the bus
        locked is done on what others see."""
        high = found.width == 1 and not self._rex
        if found.does in (EXTEND, SIGNED):
            high = False  # asked where it is decoded
        if high and any(isinstance(one, int) and one >= RSP for one in (found.to, found.of)):
            to, of = (
                one & 3 if isinstance(one, int) and one >= RSP else one
                for one in (found.to, found.of)
            )
            return found._replace(does=OTHER, to=to, of=of)
        return found._replace(does=OTHER) if 0xF0 in self._prefixes else found

    def _operands(self, number: int = 0) -> Tuple[int, Operand]:
        """The register and the other one. `number`: bytes that follow."""
        form = self._byte()
        mode, low = form >> 6, form & 7
        register = form >> 3 & 7 | (self._rex & 4) << 1
        if mode == 3:
            return register, low | (self._rex & 1) << 3
        base: Optional[int] = low | (self._rex & 1) << 3
        index, scale, width = None, 1, (0, 1, 4)[mode]
        if low == _BASE_OF_SIB:
            sib = self._byte()
            base = sib & 7 | (self._rex & 1) << 3
            index, scale = sib >> 3 & 7 | (self._rex & 2) << 2, 1 << (sib >> 6)
            index = None if index == RSP else index
            if mode == 0 and sib & 7 == _RIP:
                base, width = None, 4
        elif mode == 0 and low == _RIP:
            base, width = None, 4
        distance = self._number(width)
        if base is None and low == _RIP:
            distance += self._address + self._at + number
        is_of_thread = not self._prefixes.isdisjoint((0x64, 0x65))
        return register, Place(base, index, scale, distance, is_of_thread)

    # ---- Opcodes of one byte ----------------------------------------------------------------

    def _short(self, opcode: int) -> Optional[Insn]:
        low = opcode & 7 | (self._rex & 1) << 3
        if opcode < 0x40 and opcode & 7 < 6:
            return self._arithmetic(opcode)
        if opcode & 0xF8 == 0x50:
            return self._is(PUSH, of=low)
        if opcode & 0xF8 == 0x58:
            return self._is(POP, to=low)
        if opcode in (0x68, 0x6A):
            return self._is(PUSH, of=Number(self._number(4 if opcode == 0x68 else 1)))
        if opcode & 0xF8 == 0xB8:
            width = self._width
            return self._is(MOVE, width, to=low, of=Number(self._number(width)))
        if opcode & 0xF8 == 0xB0:
            return self._is(MOVE, 1, to=low, of=Number(self._number(1)))
        simple = {0xC3: RETURN, 0xC9: LEAVE, 0xCC: END, 0xF4: END}.get(opcode)
        if opcode == 0x90 and not self._rex:
            simple = NOTHING
        if simple is not None:
            return self._is(simple)
        if opcode == 0x98:
            if self._width == 2:
                return self._is(OTHER, to=RAX)
            return self._is(SIGNED, self._width // 2, to=RAX, of=RAX)
        if opcode == 0x99:
            return self._is(OTHER, to=RDX)
        if opcode in (0xA8, 0xA9):
            width = 1 if opcode == 0xA8 else self._width
            return self._is(TEST, width, to=RAX, of=Number(self._number(min(width, 4))))
        return self._with_operands(opcode)

    def _arithmetic(self, opcode: int) -> Insn:
        does, form = _ALU[opcode >> 3], opcode & 7
        width = self._width if form & 1 else 1
        if form >= 4:
            return self._is(does, width, to=RAX, of=Number(self._number(min(width, 4))))
        register, other = self._operands()
        to, of = (register, other) if form >= 2 else (other, register)
        return self._is(does, width, to=to, of=of)

    def _with_operands(self, opcode: int) -> Optional[Insn]:
        wide = self._width
        width = wide if opcode & 1 else 1
        if opcode in (0x88, 0x89, 0x84, 0x85):
            register, other = self._operands()
            return self._is(TEST if opcode < 0x88 else MOVE, width, to=other, of=register)
        if opcode in (0x86, 0x87):
            register, other = self._operands()
            return self._is(OTHER, width, to=other, of=register)
        if opcode in (0x8A, 0x8B):
            register, other = self._operands()
            return self._is(MOVE, width, to=register, of=other)
        if opcode == 0x8D:
            register, other = self._operands()
            return self._is(ADDRESS, wide, to=register, of=other)
        if opcode == 0x63:
            register, other = self._operands()
            return self._is(SIGNED, 4, to=register, of=other)
        if opcode in (0x80, 0x81, 0x83):
            size = 1 if opcode != 0x81 else min(wide, 4)
            kind, other = self._operands(size)
            return self._is(_ALU[kind & 7], width, to=other, of=Number(self._number(size)))
        if opcode in (0xC6, 0xC7):
            size = 1 if opcode == 0xC6 else min(wide, 4)
            kind, other = self._operands(size)
            number = Number(self._number(size))
            return self._is(MOVE, width, to=other, of=number) if not kind & 7 else None
        if opcode in (0x69, 0x6B):
            size = 1 if opcode == 0x6B else min(wide, 4)
            register, other = self._operands(size)
            factor = Number(self._number(size))
            return self._is(PRODUCT, wide, to=register, of=other, factor=factor)
        if opcode in (0xC0, 0xC1, 0xD0, 0xD1):
            size = 0 if opcode >= 0xD0 else 1
            kind, other = self._operands(size)
            number = Number(self._number(1) if size else 1)
            return self._is(SHIFT if kind & 7 == 4 else OTHER, width, to=other, of=number)
        return self._of_group(opcode, width)

    def _of_group(self, opcode: int, width: int) -> Optional[Insn]:
        if opcode in (0xF6, 0xF7):
            kind = self._code[self._at] >> 3 & 7
            size = min(width, 4) if kind < 2 else 0
            _, other = self._operands(size)
            if kind < 2:
                return self._is(TEST, width, to=other, of=Number(self._number(size)))
            if kind < 4:
                return self._is(OTHER, width, to=other)
            return self._is(OTHER, width, to=RAX, of=RDX)
        if opcode not in (0xFE, 0xFF):
            return None
        kind, other = self._operands()
        kind &= 7
        if kind < 2:
            number = Number(1)
            return self._is("sub" if kind else "add", width, to=other, of=number)
        if opcode == 0xFE or kind in (3, 5, 7):
            return None
        return self._is({2: CALL_POINTER, 4: JUMP, 6: PUSH}[kind], of=other)

    # ---- Others -----------------------------------------------------------------------------

    def _jump(self, opcode: int) -> Insn:
        size = 4 if opcode in (0xE9, 0xE8) else 1
        distance = self._number(size)
        target = (self._address + self._at + distance) & ((1 << 64) - 1)
        if opcode == 0xE8:
            return self._is(CALL, target=target)
        if opcode in (0xEB, 0xE9):
            return self._is(JUMP, target=target)
        return self._is(JUMP_IF, target=target, condition=_CONDITIONS.get(opcode & 15, "?"))

    def _long(self, opcode: int) -> Optional[Insn]:
        if opcode & 0xF0 == 0x80:
            distance = self._number(4)
            target = (self._address + self._at + distance) & ((1 << 64) - 1)
            return self._is(JUMP_IF, target=target, condition=_CONDITIONS.get(opcode & 15, "?"))
        if opcode == 0x0B:
            return self._is(END)
        if opcode in (0x05, 0x31, 0xA2, 0x38, 0x3A, 0x77, 0x01, 0xC7):
            return None
        if opcode & 0xF8 == 0xC8:
            return self._is(OTHER, to=opcode & 7 | (self._rex & 1) << 3)
        if opcode in (0x1E, 0x1F, 0x0D, 0x18):
            self._operands()
            return self._is(NOTHING)
        register, other = self._operands(1 if opcode in _WITH_NUMBER else 0)
        if opcode in _WITH_NUMBER:
            self._number(1)
        if opcode in (0xB6, 0xB7, 0xBE, 0xBF):
            width = 2 if opcode & 1 else 1
            is_high = width == 1 and not self._rex and isinstance(other, int) and other >= RSP
            if is_high or self._width == 2:
                return self._is(OTHER, to=register)
            return self._is(SIGNED if opcode & 8 else EXTEND, width, to=register, of=other)
        if opcode == 0xAF:
            return self._is(PRODUCT, self._width, to=register, of=register, factor=other)
        if opcode in (0xB0, 0xB1):  # compares, and gives rax what was there
            return self._is(OTHER, self._width if opcode & 1 else 1, to=other, of=RAX)
        # One of the two may be what it writes: a vector, which is no register that is of interest.
        return self._is(OTHER, 16, to=other, of=register)
