# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the location of a variable may depend on: registers of a frame, and of those around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional

from ompdbg.target_services import dwarf, operations
from ompdbg.target_services.locations import (
    Evaluation,
    OptimizedOut,
    Unavailable,
    no_memory,
    unsure,
)

if TYPE_CHECKING:
    import _target

# Numbers of DWARF (System V ABI for x86-64, 3.6.2).
_NAMES = (
    "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip"
    + "".join(f" xmm{number}" for number in range(16))
).split()
NUMBERS = {name: number for number, name in enumerate(_NAMES)}
_STACK_POINTER = NUMBERS["rsp"]
_VECTOR_SIZE = 16


class Around(NamedTuple):
    """What a frame needs of others."""

    read: Callable[[int, int], bytes]  # memory; fewer bytes where it ends
    older: "Callable[[], Optional[FrameContext]]"
    start_of: "Callable[[_target.Die], Optional[int]]"  # where a declared function begins
    is_entered_once: Callable[[int], bool]  # the function that starts there
    thread_local: Callable[[int, int], Optional[int]]  # of the code at an address: that variable


class FrameContext:
    """One frame that was pushed, with all that is inlined there."""

    def __init__(self, pc: int, is_call: bool, registers: Dict[int, int], around: Around) -> None:
        self.pc = pc
        self.bias = 0
        self.function: "Optional[_target.Die]" = None  # with code of its own
        self.is_call = is_call
        self._is_llvms = False
        self._registers = registers
        self._around = around

    def place(self, function: "_target.Die", bias: int, is_llvms: bool) -> "FrameContext":
        """Tell which function the frame is of. LLVM's debug information has places relative to the
        stack pointer without regard to the arguments that are pushed for a call."""
        self.function, self.bias, self._is_llvms = function, bias, is_llvms
        return self

    @property
    def address(self) -> int:
        """Of the instruction that has not ended, as debug information has it."""
        return (self.pc - 1 if self.is_call else self.pc) - self.bias

    def register(self, number: int) -> int:
        """Raises Unavailable, or OptimizedOut if nobody has saved it."""
        value = self._registers.get(number)
        if number == _STACK_POINTER and self._is_llvms:
            raise unsure()
        if value is not None:
            return value
        if number >= len(_NAMES):
            raise Unavailable(f"register {number} is not read")
        if self.is_call:
            raise OptimizedOut
        raise Unavailable(f"register {_NAMES[number]} is not read")

    def frame_base(self) -> int:
        """Of the function."""
        found = None
        if self.function is not None:
            found = self.function.location(dwarf.AT_FRAME_BASE, self.address)
        if not found:
            raise Unavailable("the function does not tell where its frame is")
        return Evaluation(self).number(found)

    def caller_stack(self) -> int:
        """On x86-64 the stack pointer of the next older frame."""
        older = self._around.older()
        found = None if older is None else older._registers.get(_STACK_POINTER)
        if found is None:
            raise OptimizedOut
        return found

    def entry_register(self, number: int) -> int:
        """What the caller says that it passed."""
        caller = self._around.older()
        if caller is None or caller.function is None or self.function is None:
            raise OptimizedOut
        call = caller.function.call_site(caller.pc - caller.bias)
        if call is None or not self._is_called_by(call, caller):
            raise OptimizedOut
        for child in call.children():
            if child.tag not in dwarf.CALL_PARAMETERS:
                continue
            place = child.location(dwarf.AT_LOCATION, 0)
            if place and operations.register_of(place[0][0], place[0][1]) == number:
                return caller.passed(child)
        raise OptimizedOut

    def _is_called_by(self, call: "_target.Die", caller: "FrameContext") -> bool:
        """Not by a function that the caller called, which left no trace."""
        entry = self.function.entry() if self.function is not None else None
        if entry is None:
            return False
        start = entry + self.bias
        return caller.calls(call) == start and self._around.is_entered_once(start)

    def calls(self, call: "_target.Die") -> Optional[int]:
        """Where the function begins that a call in this frame is to."""
        callee = dwarf.entry(call, dwarf.AT_CALL_ORIGIN)
        callee = callee or dwarf.own_entry(call, dwarf.AT_ABSTRACT_ORIGIN)
        if callee is not None:
            entry = callee.entry()
            return self._around.start_of(callee) if entry is None else entry + self.bias
        for name in dwarf.CALL_TARGETS:
            target = call.location(name, self.address)
            if target:
                return Evaluation(self).number(target)
        return None

    def passed(self, parameter: "_target.Die") -> int:
        """The value of a parameter of a call in this frame."""
        for name in dwarf.CALL_VALUES:
            value = parameter.location(name, self.address)
            if value:
                return Evaluation(self).number(value)
        raise OptimizedOut

    def thread_local(self, offset: int) -> int:
        """Address of a thread-local variable of the frame's program or library."""
        found = self._around.thread_local(self.pc, offset)
        if found is None:
            raise Unavailable("the thread has no such thread-local storage")
        return found

    def read(self, address: int, size: int) -> bytes:
        """All of it."""
        data = self._around.read(address, size)
        if len(data) < size:
            raise no_memory(address + len(data))
        return data


def registers_of(
    kernels: Optional[List[int]], names: List[str], vectors: Optional[bytes]
) -> Dict[int, int]:
    """Those of an innermost frame, by their numbers in DWARF. `vectors`: xmm0 and so on."""
    found = {NUMBERS[name]: value for name, value in zip(names, kernels or ()) if name in NUMBERS}
    for index in range(len(vectors or b"") // _VECTOR_SIZE):
        value = (vectors or b"")[index * _VECTOR_SIZE : (index + 1) * _VECTOR_SIZE]
        found[NUMBERS["xmm0"] + index] = int.from_bytes(value, "little")
    return found
