# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function on a stack has passed to one that it called before: read where it still is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Set, Tuple

from ompdbg.frames import is_fortran
from ompdbg.lazy import cached_property
from ompdbg.model.code_calls import is_at, returns_to
from ompdbg.model.flow import Flow, Unclear
from ompdbg.model.function_code import IMAGINED, FunctionCode, is_imagined, writes_word, written
from ompdbg.model.replay import Machine, Value
from ompdbg.model.written import writes
from ompdbg.model.x86_values import RBP, Insn

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame

_WORD = 8
_KEPT = {3: "rbx", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}
_STRUCTURE = 1 << 16  # bytes behind the begin of a variable that may be of it


def computed(thread: "Thread", frame: "Frame", register: int) -> Optional[int]:
    """What a frame has in a register in its last call, if memory is still as it was then."""
    services = thread.runtime.services
    function = None if frame.start is None else thread.runtime.functions.at(frame.start)
    call = None if function is None else function.call_before(frame.pc)
    base = services.frame_registers(thread.target, frame, "rbp")
    if function is None or call is None or base is None or not function.has_frame_pointer:
        return None

    def load(address: int, width: int) -> Value:
        try:
            return int.from_bytes(services.read_memory(address, width), "little")
        except services.errors:
            return None

    machine = function.at_call(call, {RBP: base[0]}, load)
    found = None if machine is None else machine.registers[register]
    return found if isinstance(found, int) else None


def is_repeated(flow: Flow, returns: int) -> bool:
    """A way leads from a call to itself."""
    try:
        return flow.reaches(returns, returns_to(returns), lambda _: False)
    except Unclear:
        return True


class Passing:
    """Of one frame. Only where rbp points to a frame is it known what is in that."""

    def __init__(self, thread: "Thread", frame: "Frame", function: FunctionCode) -> None:
        self._thread = thread
        self._frame = frame
        self._function = function
        self._code = thread.runtime.functions.code
        self._flow = thread.runtime.functions.flow
        self._known: Dict[int, Optional[Machine]] = {}
        services = thread.runtime.services
        both = None
        if function.has_frame_pointer:
            both = services.frame_registers(thread.target, frame, "rbp", "rsp")
        self._end, self._begin = both or [0, 0]
        self.base = self._end or IMAGINED

    def at_call(self, call: Insn) -> Optional[Machine]:
        """What was in registers at a call."""
        if call.address not in self._known:
            self._known[call.address] = self._at_call(call)
        return self._known[call.address]

    def passed(self, returns: int, register: int) -> Optional[int]:
        """What was in a register in the call that returns there."""
        call = self._function.call_before(returns)
        machine = None if call is None else self.at_call(call)
        found = None if machine is None else machine.registers[register]
        return found if isinstance(found, int) and not is_imagined(found) else None

    def _at_call(self, call: Insn) -> Optional[Machine]:
        machine = self._function.at_call(call, self._kept, self._load)
        if machine is None:
            return None
        own = [one for one in machine.loaded if self._is_own(*one)]
        # The pointers by which the others were read, too.
        own += [(at, _WORD) for at in self._arguments.values() if len(own) < len(machine.loaded)]
        if not self._are_unchanged(call, own, machine.used):
            return None
        is_made_of = bool(machine.loaded or machine.used - {RBP})
        machine.may_vary = is_made_of and is_repeated(self._flow, call.after)
        return machine

    def _load(self, address: int, width: int) -> Value:
        if self._is_own(address, width) or address in self._arguments:
            return self._read(address, width)
        return None

    def _is_own(self, address: int, width: int) -> bool:
        return self._begin <= address <= self._end - width

    def _read(self, address: int, width: int) -> Optional[int]:
        services = self._thread.runtime.services
        try:
            return int.from_bytes(services.read_memory(address, width), "little")
        except services.errors:
            return None

    @cached_property
    def _arguments(self) -> Dict[int, int]:
        """Where arguments of a procedure in Fortran are, that it does not change, and where in its
        frame that is noted. Meanwhile nobody else may change them (Fortran 2018, 15.5.2.13)."""
        found: Dict[int, int] = {}
        if not self._end or not is_fortran(self._frame.file):
            return found
        for distance, times in self._homes.items():
            at = self._end + distance
            if times == 1 and self._is_closed(at, _WORD) and self._function.is_read_only(distance):
                value = self._read(at, _WORD)
                if value is not None:
                    found[value] = at
        return found

    @cached_property
    def _homes(self) -> Dict[int, int]:
        return self._function.homes()

    @cached_property
    def _kept(self) -> Dict[int, int]:
        """The registers that functions leave unchanged."""
        found = {RBP: self._end} if self._end else {}
        services = self._thread.runtime.services
        for number, name in _KEPT.items():
            value = services.frame_registers(self._thread.target, self._frame, name)
            if value is not None and self._end:
                found[number] = value[0]
        return found

    def _are_unchanged(
        self, call: Insn, words: List[Tuple[int, int]], registers: Set[int]
    ) -> bool:
        """Since the call nothing was written there, nor to these registers, as far as its code
        tells."""
        names = [_KEPT[number] for number in registers if number in _KEPT]
        if not all(self._is_closed(*word) for word in words):
            return False
        if not words and not names:
            return True
        again = returns_to(call.after)
        try:
            ways = self._flow.between(call.after, is_at(self._frame), again)
        except Unclear:
            return False
        for one in ways:
            insn = self._code.at(one.address)
            if insn is not None:
                if not registers.isdisjoint(written(insn)):
                    return False
                if any(writes_word(insn, self._end, word) for word, _ in words):
                    return False
            elif not one.text or any(writes(one, name, None) for name in names):
                return False
            elif any(writes(one, "rbp", word - self._end) for word, _ in words):
                return False
        return True

    def is_closed(self, distance: int) -> bool:
        """Nobody but the function writes to the word so far from rbp."""
        return bool(self._end) and self._is_closed(self._end + distance, _WORD)

    def _is_closed(self, word: int, width: int) -> bool:
        """No other function has its address."""
        distance = word - self._end
        if self._function.taken(self._end, word, word + width):
            return False
        if self._homes.get(distance) == 1:
            # Of a structure that was passed in several registers, it may have the whole's.
            near = [one for one in self._homes if -_STRUCTURE < one - distance < 0]
            return not any(
                self._function.taken(self._end, self._end + one, self._end + one + _WORD)
                for one in near
            )
        return not self._function.taken(self._end, word - _STRUCTURE, word)
