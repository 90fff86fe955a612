# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a thread sleeps in the kernel, and on what.

A thread that was woken may not have run yet: it still is in its system call then. But it went to
sleep on a word of memory, and who wakes it changes the word first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

# x86-64 Linux, as in activity.py.
_SYSCALL_INSTRUCTION = b"\x0f\x05"
_FUTEX_CALL = 202
_OPERATION_MASK = 0x7F
_WAIT_OPERATIONS = (0, 9)  # WAIT, WAIT_BITSET
# read, poll, select, pause, connect, accept, recvfrom, recvmsg, wait4, semop, msgrcv, flock,
# rt_sigtimedwait, rt_sigsuspend, semtimedop, epoll_wait, waitid, pselect6, ppoll, epoll_pwait,
# accept4, recvmmsg: they wait for something outside of the process, perhaps for ever.
_CALLS_THAT_WAIT = frozenset(
    (
        0,
        7,
        23,
        34,
        42,
        43,
        45,
        47,
        61,
        65,
        70,
        73,
        128,
        130,
        220,
        232,
        247,
        270,
        271,
        281,
        288,
        299,
    )
)
_NO_CALL = 1 << 63  # of a register that holds a negative number


class SystemCall(NamedTuple):
    """The system call in which a thread is."""

    number: int
    waits: bool  # it sleeps on a word of memory that is still as it was

    @property
    def waits_outside(self) -> bool:
        """It waits for something that no thread of the process is known to do."""
        return self.number in _CALLS_THAT_WAIT


def system_call(thread: "Thread") -> Optional[SystemCall]:
    """The system call of a stopped thread; None if it is in none."""
    services = thread.runtime.services
    if thread.target.running:
        return None
    try:
        innermost = next(iter(services.stack(thread.target)), None)
    except services.errors:
        return None
    if innermost is None:
        return None
    size = len(_SYSCALL_INSTRUCTION)
    if thread.runtime.read_code(innermost.pc - size, size) != _SYSCALL_INSTRUCTION:
        return None
    values = services.registers(thread.target, "orig_rax", "rdi", "rsi", "rdx")
    if values is None or values[0] >= _NO_CALL or values[0] < 0:
        return None
    number, address, operation, expected = values
    waits = number == _FUTEX_CALL and operation & _OPERATION_MASK in _WAIT_OPERATIONS
    return SystemCall(number, waits and _word(thread, address) == expected & 0xFFFFFFFF)


def _word(thread: "Thread", address: int) -> Optional[int]:
    try:
        return int.from_bytes(thread.runtime.services.read_memory(address, 4), "little")
    except thread.runtime.services.errors:
        return None
