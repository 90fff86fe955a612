# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run with rights of their own: set-user-id, set-group-id, file capabilities.

The kernel withholds these rights from a program that is traced by somebody who has not got them.
The tracer sees it when the program has been loaded, before its first instruction. The program then
runs itself again, with the arguments and environment that lie on its stack, and is not traced any
more.
"""

from __future__ import annotations

import os
import stat
import struct
import time
from typing import Callable, Dict, Optional

from ompdbg.running import below, ptrace

_CAPABILITIES = "security.capability"
_VFS_CAP = struct.Struct("<5I")  # struct vfs_cap_data: magic, then permitted and inheritable twice
_VFS_CAP_1 = 12  # bytes of the first version
_EFFECTIVE = 1  # which of the numbers in the lines Uid and Gid

_REGISTERS = struct.Struct("<27Q")
_RAX, _RDX, _RSI, _RDI, _RIP, _RSP = 10, 12, 13, 14, 16, 19
_EXECVE = 59
_SYSCALL = b"\x0f\x05"
_WORD = 8
_AT_NULL, _AT_EXECFN, _AT_SYSINFO_EHDR = 0, 31, 33
_VDSO_BYTES = 4096
_SECONDS = 5
_PAUSE = 0.001


def give_back(pid: int, say: Callable[[str], None]) -> bool:
    """Let a program that has just been loaded run with its own rights, if tracing has taken them.
    Return whether it is no longer traced."""
    name = below.status(pid).get("Name", "program")
    try:
        lost = _lost(pid)
    except PermissionError:
        say(f"{name} ({pid}) may not be read: rights of its own are withheld (use --no-trace)")
        return False
    if lost is None:
        return False
    if _run_again(pid):
        say(f"{name} ({pid}) is {lost}: not traced, no report")
        return True
    say(f"{name} ({pid}) is {lost} and runs without these rights (use --no-trace)")
    return False


def _lost(pid: int) -> Optional[str]:
    """Return the kind of the rights that the program should have and has not. Raise
    PermissionError."""
    path = f"/proc/{pid}/exe"
    try:
        program = os.stat(path)
        if os.statvfs(path).f_flag & os.ST_NOSUID:
            return None
    except PermissionError:
        raise
    except OSError:
        return None
    found = below.status(pid)
    if found.get("NoNewPrivs") == "1":
        return None
    if program.st_mode & stat.S_ISUID and _number(found, "Uid") != program.st_uid:
        return "set-user-id"
    is_group = program.st_mode & stat.S_ISGID and program.st_mode & stat.S_IXGRP
    if is_group and _number(found, "Gid") != program.st_gid:
        return "set-group-id"
    wanted = _capabilities(path) & int(found.get("CapBnd", "0"), 16)
    if wanted & ~int(found.get("CapPrm", "0"), 16):
        return "privileged by file capabilities"
    return None


def _number(status: Dict[str, str], name: str) -> int:
    words = status.get(name, "").split()
    return int(words[_EFFECTIVE]) if len(words) > _EFFECTIVE else -1


def _capabilities(path: str) -> int:
    """Return the set of capabilities that a file permits."""
    try:
        data = os.getxattr(path, _CAPABILITIES)
    except OSError:
        return 0
    words = _VFS_CAP.unpack(data[: _VFS_CAP.size].ljust(_VFS_CAP.size, b"\0"))
    return int(words[1]) | (int(words[3]) << 32 if len(data) > _VFS_CAP_1 else 0)


# ---- Running it again -----------------------------------------------------------------------


def _run_again(pid: int) -> bool:
    """Make the program's next step the system call execve, and no longer trace it."""
    stop = _end_of_call(pid)
    if stop is None:
        return False
    data = ptrace.general_registers(pid)
    if data is None:
        return False  # one of 32 bits
    registers = list(_REGISTERS.unpack(data))
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            stack = _Stack(memory.fileno(), registers[_RSP])
            call = stack.system_call()
    except (OSError, struct.error):
        return False
    if call is None or not stack.file_name:
        return False
    registers[_RDI], registers[_RSI], registers[_RDX] = (
        stack.file_name,
        stack.arguments,
        stack.environment,
    )
    registers[_RAX], registers[_RIP] = _EXECVE, call
    if not ptrace.set_general_registers(pid, _REGISTERS.pack(*registers)):
        return False
    return ptrace.request(ptrace.DETACH, pid, 0 if stop.event else stop.signal)


def _end_of_call(pid: int) -> Optional[ptrace.Stop]:
    """Let the program come out of the system call in which it was loaded, and no further. Return
    where it has stopped; a program that has been killed does not."""
    if not ptrace.request(ptrace.INTERRUPT, pid) or not ptrace.request(ptrace.CONT, pid):
        return None
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline and not below.has_ended(pid):
        stop = ptrace.stop_of(pid)
        if stop is not None:
            return stop
        time.sleep(_PAUSE)
    return None


class _Stack:
    """What the kernel has put onto the stack of a new program."""

    def __init__(self, memory: int, pointer: int) -> None:
        self._memory = memory
        self.arguments = pointer + _WORD
        self.environment = self.arguments + _WORD * (self._word(pointer) + 1)
        at = self.environment
        while self._word(at):
            at += _WORD
        at += _WORD
        self._auxiliary: Dict[int, int] = {}
        while self._word(at) != _AT_NULL:
            self._auxiliary[self._word(at)] = self._word(at + _WORD)
            at += 2 * _WORD
        self.file_name = self._auxiliary.get(_AT_EXECFN, 0)

    def _word(self, address: int) -> int:
        return int(struct.unpack("<Q", os.pread(self._memory, _WORD, address))[0])

    def system_call(self) -> Optional[int]:
        """Return where an instruction is that calls the system: the kernel's own code has one."""
        start = self._auxiliary.get(_AT_SYSINFO_EHDR)
        if start is None:
            return None
        found = os.pread(self._memory, _VDSO_BYTES, start).find(_SYSCALL)
        return None if found < 0 else start + found
