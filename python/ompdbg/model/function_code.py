# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of one function: its instructions, its calls, and what it passes in these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set

from ompdbg.model import x86_values as x86
from ompdbg.model.flow import Flow, Unclear
from ompdbg.model.replay import REGISTERS, Machine, Value
from ompdbg.model.x86_values import RBP, Insn, Place, decode

if TYPE_CHECKING:
    from ompdbg.services import Services

_LONGEST = 15
_PAGE = 1 << 12
# Where there is no frame, addresses in one are told by these, which no process has.
IMAGINED = 1 << 62
_FRAME = 1 << 20


_MAX_USE = 8  # instructions between two of a register
_WAYS_OUT = (x86.CALL, x86.CALL_POINTER, x86.JUMP, x86.JUMP_IF, x86.RETURN, x86.PUSH)
_ONLY_WRITES = (x86.MOVE, x86.ADDRESS, x86.SIGNED, x86.EXTEND, x86.POP)

# Registers in which functions are passed what they are.
ARGUMENTS = (7, 6, 2, 1, 8, 9)


def is_imagined(address: int) -> bool:
    """It is in a frame that is not there."""
    return abs(address - IMAGINED) < _FRAME


class Code:
    """Instructions, read once."""

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._pages: Dict[int, bytes] = {}
        self._known: Dict[int, Optional[Insn]] = {}

    def at(self, address: int) -> Optional[Insn]:
        """The one there; None if it is not known."""
        if address not in self._known:
            self._known[address] = decode(self._bytes(address), address)
        return self._known[address]

    def _bytes(self, address: int) -> bytes:
        page, offset = address & -_PAGE, address & (_PAGE - 1)
        found = self._page(page)[offset : offset + _LONGEST]
        return found + self._page(page + _PAGE)[: _LONGEST - len(found)]

    def _page(self, page: int) -> bytes:
        page &= (1 << 64) - 1
        if page not in self._pages:
            try:
                self._pages[page] = self._services.read_memory(page, _PAGE)
            except self._services.errors:
                self._pages[page] = b""
        return self._pages[page]


class Functions:
    """Those of a process at one stop."""

    def __init__(self, services: "Services") -> None:
        self.flow = Flow(services)
        self.code = Code(services)
        self._known: "Dict[int, Optional[FunctionCode]]" = {}

    def at(self, start: int) -> "Optional[FunctionCode]":
        """The one that begins there; None if its code is not understood."""
        if start not in self._known:
            try:
                self._known[start] = FunctionCode(start, self.flow, self.code)
            except Unclear:
                self._known[start] = None
        return self._known[start]


class FunctionCode:
    """That of the function that begins at an address. Raises flow.Unclear."""

    def __init__(self, start: int, flow: Flow, code: Code) -> None:
        self._code = code
        self._instructions = flow.whole(start)
        self._before: Dict[int, int] = {}
        self._targets: Set[int] = set()
        for one in self._instructions:
            for there in flow.after(one):
                if there == one.address + one.size:
                    self._before[there] = one.address
                else:
                    self._targets.add(there)
        self._inside = {one.address for one in self._instructions}
        self._is_known = all(code.at(address) is not None for address in self._inside)
        self._start = start
        second = code.at(start + 1) or code.at(start + 5)  # behind endbr64
        self.has_frame_pointer = any(
            insn is not None and insn.does == x86.MOVE and (insn.to, insn.of) == (RBP, x86.RSP)
            for insn in (second, code.at(start + 5))
        )

    def insns(self) -> List[Insn]:
        """Those that are known."""
        found = (self._code.at(one.address) for one in self._instructions)
        return [insn for insn in found if insn is not None]

    def calls(self) -> List[Insn]:
        """Those by which other functions are called, those at its end among them."""
        return [
            insn
            for insn in self.insns()
            if insn.does in (x86.CALL, x86.CALL_POINTER)
            or (insn.does == x86.JUMP and insn.target not in self._inside)
        ]

    def call_before(self, address: int) -> Optional[Insn]:
        """The one that returns there."""
        return next((call for call in self.calls() if call.after == address), None)

    def at_call(
        self, call: Insn, kept: Dict[int, int], load: Callable[[int, int], Value]
    ) -> Optional[Machine]:
        """What was computed there since the last call or place that is jumped to. `kept`: the
        registers that functions leave unchanged. None: that is not known."""
        block: List[Insn] = []
        address = call.address
        while address not in self._targets and address in self._before:
            address = self._before[address]
            insn = self._code.at(address)
            if insn is None or insn.does in (x86.CALL, x86.CALL_POINTER):
                break
            if insn.does == x86.MOVE and (insn.to, insn.of) == (RBP, x86.RSP):
                break  # the frame begins
            block.insert(0, insn)
        return self._replayed(block, kept, load)

    @staticmethod
    def _replayed(
        block: List[Insn], kept: Dict[int, int], load: Callable[[int, int], Value]
    ) -> Optional[Machine]:
        last = {number: at for at, insn in enumerate(block) for number in written(insn)}
        registers: List[Value] = [None] * REGISTERS
        for number, value in kept.items():
            registers[number] = None if number in last else value
        machine = Machine(registers, load, True)
        for at, insn in enumerate(block):
            if insn.does not in (x86.JUMP_IF, x86.TEST, "cmp"):
                machine.do(insn)
            for number, value in kept.items():
                if last.get(number) == at:
                    machine.registers[number] = value  # it is the frame's from then on
        machine.used = {one for insn in block for one in uses(insn) if one in kept}
        return None if machine.is_spoilt else machine

    def homes(self) -> Dict[int, int]:
        """Where in its frame it puts what was passed to it, before it does anything else: distance
        from rbp, and how often it stores there."""
        found: Dict[int, int] = {}
        address = self._start
        while (
            self._is_known
            and address in self._inside
            and (address == self._start or address in self._before)
        ):
            insn = self._code.at(address)
            if insn is None or address in self._targets:
                break
            if insn.does in (x86.CALL, x86.CALL_POINTER, x86.JUMP_IF, x86.JUMP):
                break
            to = insn.to
            if insn.does == x86.MOVE and isinstance(to, Place) and insn.of in ARGUMENTS:
                if to.base == RBP and to.times is None:
                    found[to.distance] = 0
            address = insn.after
        for distance in found:
            found[distance] = sum(writes_word(one, 0, distance) for one in self.insns())
        return found

    def is_read_only(self, distance: int) -> bool:
        """Of a pointer that is in its frame, so far from rbp: it is used for nothing but to read
        what it points to."""
        place = Place(RBP, None, 1, distance, False)
        for insn in self.insns():
            if insn.of == place:
                if insn.does != x86.MOVE or insn.width != 8 or not isinstance(insn.to, int):
                    return False
                if not self._is_pointer_read(insn.after, insn.to):
                    return False
            elif insn.to == place and insn.of not in ARGUMENTS:
                return False
        return True

    def _is_pointer_read(self, address: int, register: int) -> bool:
        """What a register points to is read there, and then the register gets another value."""
        is_read = False
        for _ in range(_MAX_USE):
            insn = self._code.at(address)
            if insn is None:
                return False
            loads = insn.does in (x86.MOVE, x86.SIGNED, x86.EXTEND) and isinstance(insn.to, int)
            if loads and insn.of == Place(register, None, 1, 0, False):
                is_read = True
            elif register in uses(insn) or insn.does in _WAYS_OUT:
                return False
            if loads and insn.to == register:
                return is_read
            address = insn.after
        return False

    def stores_to(self, base: int, address: int) -> bool:
        """An instruction writes to the word there, in the frame in which rbp is `base`, or may."""
        return not self._is_known or any(writes_word(insn, base, address) for insn in self.insns())

    def taken(self, base: int, begin: int, end: int) -> int:
        """How many instructions take an address in that part of the frame."""
        return sum(
            insn.does == x86.ADDRESS
            and isinstance(insn.of, Place)
            and insn.of.base == RBP
            and begin <= base + insn.of.distance < end
            for insn in self.insns()
        )


def written(insn: Insn) -> List[int]:
    """The registers that it writes, but those of the stack."""
    found = [insn.to] if insn.does not in ("cmp", x86.TEST, x86.PUSH) else []
    found += [insn.of] if insn.does == x86.OTHER else []
    return [one for one in found if isinstance(one, int) and one not in (RBP, x86.RSP)]


def uses(insn: Insn) -> List[int]:
    """The registers that it reads, or may."""
    found: List[Optional[int]] = []
    for one in (insn.to, insn.of, insn.factor):
        if isinstance(one, Place):
            found += [one.base, one.times]
        elif isinstance(one, int) and not (one is insn.to and insn.does in _ONLY_WRITES):
            found.append(one)
    return [one for one in found if one is not None]


def writes_word(insn: Insn, base: int, address: int) -> bool:
    """It writes to the word there, in the frame in which rbp is `base`, or may: where in an array,
    is not known."""
    operands = (insn.to, insn.of) if insn.does == x86.OTHER else (insn.to,)
    if insn.does in ("cmp", x86.TEST):
        return False
    return any(
        isinstance(one, Place)
        and one.base == RBP
        and (
            one.times is not None
            or address - max(insn.width, 8) < base + one.distance < address + 8
        )
        for one in operands
    )
