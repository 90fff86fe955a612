# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of threads that rest in the runtime, without GDB's unwinder.

In a team, many threads wait in the same place. GDB unwinds each of them anew, which takes most of
the time of looking at all threads. Here the return addresses alone are looked up, down to the
user's code: what frames they make is known once GDB has unwound one thread with the same ones.

The kernel tells where a stopped thread of a local process is, and call frame information how far
away the return addresses are. What is not as simple as that is left to GDB.
"""

from __future__ import annotations

import os
import re
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from ompdbg import frames
from ompdbg.gdb_services.call_frame import CallFrames, Unknown
from ompdbg.gdb_services.symbols import Symbols

_WORD = 8
_MAX_DEPTH = 32
# A line of /proc/PID/task/LWP/syscall: the number of the system call, its arguments, stack pointer
# and program counter; without arguments where the thread is in none.
_IN_CALL, _IN_NONE = 9, 3
_REGISTERS = ("orig_rax", "rdi", "rsi", "rdx", "r10", "r8", "r9", "rsp", "rip")
_TRACER = re.compile(rb"^TracerPid:\t(\d+)$", re.M)
_UNSIGNED = (1 << 64) - 1


class Chain(NamedTuple):
    """Where a thread is and where it returns to: as far as the first address in user code, or to
    the end of the stack."""

    addresses: Tuple[int, ...]
    is_whole: bool


class _Step(NamedTuple):
    """How the stack goes on at an address."""

    size: int  # from the stack pointer to the caller's
    is_end: bool  # the address is of user code, or of a function that nobody called
    is_whole: bool


class Resting:
    """The threads of one process at one stop."""

    def __init__(self, symbols: Symbols, pid: Callable[[], int]) -> None:
        """pid: the process, if it is a local one that GDB has stopped; else 0."""
        self._symbols = symbols
        self._find_pid = pid
        self._memory: Optional[int] = None  # a file; -1: there is none
        self._task = ""
        self._registers: Dict[int, Dict[str, int]] = {}
        self.forget_code()

    def forget(self) -> None:
        """The program moved."""
        if self._memory is not None and self._memory >= 0:
            os.close(self._memory)
        self._memory = None
        self._registers.clear()

    def forget_code(self) -> None:
        """Object files came or went."""
        self.forget()
        self._objects: Dict[str, Optional[CallFrames]] = {}
        self._steps: Dict[int, Optional[_Step]] = {}

    __del__ = forget

    # ---- A thread -----------------------------------------------------------------------------

    def registers(self, lwp: int, names: Tuple[str, ...]) -> Optional[List[int]]:
        """Registers of a thread whose chain was looked up; None if one of them is not known."""
        known = self._registers.get(lwp)
        if known is None or any(name not in known for name in names):
            return None
        return [known[name] for name in names]

    def chain(self, lwp: int) -> Optional[Chain]:
        """Where a thread is; None if it does not rest in a simple way in foreign code."""
        if self._memory is None:
            self._memory = self._open()
        if self._memory < 0:
            return None
        try:
            return self._chain(lwp)
        except (OSError, ValueError):
            return None

    def _open(self) -> int:
        """The memory of the process, if this GDB has it stopped under that number."""
        pid = self._find_pid()
        if not pid:
            return -1
        try:
            with open(f"/proc/{pid}/status", "rb") as status:
                tracer = _TRACER.search(status.read())
            if tracer is None or int(tracer.group(1)) != os.getpid():
                return -1
            self._task = f"/proc/{pid}/task/"
            return os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return -1

    def _chain(self, lwp: int) -> Optional[Chain]:
        pc, sp = self._place(lwp)
        addresses = [pc]
        code = pc
        while len(addresses) < _MAX_DEPTH:
            step = self._steps[code] if code in self._steps else self._learn(code)
            if step is None or (step.is_end and len(addresses) == 1):
                return None
            if step.is_end:
                return Chain(tuple(addresses), step.is_whole)
            sp += step.size
            pc = int.from_bytes(self._read(sp - _WORD, _WORD), "little")
            if not pc:
                return None
            addresses.append(pc)
            code = pc - 1
        return None

    def _place(self, lwp: int) -> Tuple[int, int]:
        """Program counter and stack pointer. ValueError if the kernel does not tell."""
        file = os.open(f"{self._task}{lwp}/syscall", os.O_RDONLY | os.O_CLOEXEC)
        try:
            words = os.read(file, 512).split()
        finally:
            os.close(file)
        if len(words) not in (_IN_CALL, _IN_NONE):
            raise ValueError("running")
        pc, sp = int(words[-1], 16), int(words[-2], 16)
        if len(words) == _IN_CALL:
            values = [int(words[0]) & _UNSIGNED, *(int(word, 16) for word in words[1:])]
            self._registers[lwp] = dict(zip(_REGISTERS, values))
        return pc, sp

    def _read(self, address: int, size: int) -> bytes:
        assert self._memory is not None
        data = os.pread(self._memory, size, address)
        if len(data) != size:
            raise ValueError("not readable")
        return data

    # ---- Code ---------------------------------------------------------------------------------

    def _learn(self, code: int) -> Optional[_Step]:
        self._steps[code] = step = self._find_step(code)
        return step

    def _find_step(self, code: int) -> Optional[_Step]:
        path = self._symbols.object_of(code)
        if not frames.is_runtime_object(path) and not frames.is_system_object(path):
            return _Step(0, True, False)
        assert path is not None
        if path not in self._objects:
            self._objects[path] = self._find_object(code)
        found = self._objects[path]
        if found is None:
            return None
        try:
            frame = found.at(code)
        except Unknown:
            return None
        return _Step(frame.size, frame.outermost, frame.outermost)

    def _find_object(self, code: int) -> Optional[CallFrames]:
        """The object that is mapped at an address."""
        base = None
        begins: Dict[bytes, int] = {}
        with open(f"{self._task}../maps", "rb") as maps:
            for line in maps:
                words = line.split(None, 5)
                begin, end = (int(word, 16) for word in words[0].split(b"-"))
                if len(words) == 6:
                    begins.setdefault(words[5], begin)
                    if begin <= code < end:
                        base = begins[words[5]]
        try:
            return None if base is None else CallFrames(self._read, base)
        except Unknown:
            return None
