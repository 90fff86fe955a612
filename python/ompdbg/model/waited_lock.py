# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lock for which a thread waits without sleeping on it, as LLVM's threads do.

The code of the call tells which variable the thread passed to the runtime. Whether it waits for
the lock of that one, the OMPD library says.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Callable, List, Optional

import _ompd

from ompdbg import waits
from ompdbg.model.lock_effects import lock_register
from ompdbg.model.passing import computed

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame

    _Unchanged = Callable[["Thread", Frame, int, str, Optional[int]], bool]

_STACK_POINTER = "rsp"
# Where the runtime may have the lock: its frames leave a caller's registers in their own, or on
# the stack.
_REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp") + tuple(
    f"r{number}" for number in range(8, 16)
)
# More of the stack than this is not searched.
_MAX_STACK = 16384

# enum ompd_ext_lock_kind by kind of wait.
_LOCK_KINDS = {waits.LOCK: 0, waits.NEST_LOCK: 1, waits.CRITICAL: 2}

_WORD = 8
_MASK = (1 << 64) - 1


def find(thread: "Thread", user: Optional["Frame"], call: "_ompd.WaitSite") -> Optional[int]:
    """Address of the program's variable. `user`: the innermost user frame; `call`: the function
    of the runtime that was called."""
    kind = _LOCK_KINDS.get(call.kind)
    if kind is None or thread.handle is None or user is None:
        return None
    try:
        variable = passed(thread, user, user.pc)
        if variable is None:
            variable = computed(thread, user, lock_register(call.function))
        if variable is None:
            return None
        words = _in_use(thread, user)
        in_use = struct.pack(f"<{len(words)}Q", *words)
        return variable if thread.handle.confirm_lock(kind, variable, in_use) else None
    except _ompd.Error:
        return None


def passed(
    thread: "Thread", user: "Frame", returns: int, is_unchanged: "Optional[_Unchanged]" = None
) -> Optional[int]:
    """Which lock a user frame passed in its call that returns there. `is_unchanged`: of a call
    before its last one, whether what the argument was made of is still as it was."""
    constants = thread.runtime.constants
    argument = constants.lock_arguments.get(returns)
    if argument is None:
        argument = thread.runtime.space.lock_argument(returns)
        if argument is not None and constants.is_permanent(user):
            constants.lock_arguments[returns] = argument
    if argument is None:
        return None
    value, register, scale, in_memory, offset, width = argument
    if register is None:
        return value
    place = offset if in_memory else None
    if is_unchanged is not None and not is_unchanged(thread, user, returns, register, place):
        return None
    services = thread.runtime.services
    held = services.frame_registers(thread.target, user, register)
    if held is None:
        return None
    number = held[0] & _MASK
    if in_memory:
        words = _stack(thread, (number + offset) & _MASK, (number + offset + _WORD) & _MASK)
        if not words:
            return None
        number = words[0]
    return (value + scale * _part(number, width)) & _MASK


def _part(number: int, width: int) -> int:
    """The lowest bytes of a number; width less than 0: it has a sign."""
    size = abs(width)
    number &= (1 << 8 * size) - 1
    return number - (1 << 8 * size) if width < 0 and number >> (8 * size - 1) else number


def _in_use(thread: "Thread", user: "Frame") -> List[int]:
    """What is in the registers and on the stack of the frames above the user's."""
    services = thread.runtime.services
    here = services.registers(thread.target, _STACK_POINTER, *_REGISTERS)
    end = services.frame_registers(thread.target, user, _STACK_POINTER)
    if here is None:
        return []
    return here[1:] + (_stack(thread, here[0], end[0]) if end is not None else [])


def _stack(thread: "Thread", start: int, end: int) -> List[int]:
    """The words of memory there."""
    size = min(max(end - start, 0), _MAX_STACK) // _WORD * _WORD
    if size == 0:
        return []
    try:
        data = thread.runtime.services.read_memory(start, size)
    except thread.runtime.services.errors:
        return []
    return list(struct.unpack(f"<{size // _WORD}Q", data))
