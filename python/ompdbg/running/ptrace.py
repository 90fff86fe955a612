# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system call ptrace, for threads of x86-64."""

from __future__ import annotations

import ctypes
import os
from typing import NamedTuple, Optional, Tuple

from ompdbg.report.core_notes import SignalInfo

CONT, DETACH, SEIZE, INTERRUPT, LISTEN = 7, 17, 0x4206, 0x4207, 0x4208
_GETSIGINFO, _GETREGSET, _SETREGSET = 0x4202, 0x4204, 0x4205
# Follow forks and threads, report exec, and end all with the tracer.
_FORK, _VFORK, _CLONE, _EXEC, _EXITKILL = 2, 4, 8, 16, 1 << 20
FOLLOW = _FORK | _VFORK | _CLONE | _EXEC | _EXITKILL
EVENT_EXEC, EVENT_STOP = 4, 128
WALL = 0x40000000  # __WALL: threads, too

_SIGINFO_BYTES = 128
_NT_PRSTATUS, _NT_PRFPREG = 1, 2
_GENERAL_BYTES, _FLOATING_BYTES = 27 * 8, 512
_VECTORS = slice(160, 416)  # xmm_space in struct user_fpregs_struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class Stop(NamedTuple):
    """Why a thread has stopped."""

    event: int  # 0: a signal that it is about to get
    signal: int


class _Piece(ctypes.Structure):
    """struct iovec"""

    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def request(what: int, thread: int, data: int = 0) -> bool:
    """Return False if the thread has gone, is not stopped, or may not be traced."""
    return bool(_libc.ptrace(what, thread, None, data) == 0)


def last_error() -> str:
    """Return why the last request failed."""
    return os.strerror(ctypes.get_errno())


def signal_info(thread: int) -> Optional[SignalInfo]:
    """Return what is known of the signal at which a thread has stopped."""
    data = ctypes.create_string_buffer(_SIGINFO_BYTES)
    if _libc.ptrace(_GETSIGINFO, thread, None, ctypes.addressof(data)) != 0:
        return None
    return SignalInfo.parsed(data.raw)


def _register_set(thread: int, kind: int, size: int) -> Optional[bytes]:
    data = ctypes.create_string_buffer(size)
    piece = _Piece(ctypes.addressof(data), size)
    if _libc.ptrace(_GETREGSET, thread, kind, ctypes.addressof(piece)) != 0 or piece.size != size:
        return None  # one of 32 bits has fewer
    return data.raw


def general_registers(thread: int) -> Optional[bytes]:
    """Return struct user_regs_struct of a stopped thread."""
    return _register_set(thread, _NT_PRSTATUS, _GENERAL_BYTES)


def set_general_registers(thread: int, registers: bytes) -> bool:
    """Replace the registers of a stopped thread."""
    data = ctypes.create_string_buffer(registers, len(registers))
    piece = _Piece(ctypes.addressof(data), len(registers))
    found = _libc.ptrace(_SETREGSET, thread, _NT_PRSTATUS, ctypes.addressof(piece))
    return bool(found == 0)


def registers(thread: int) -> Tuple[int, Optional[bytes], Optional[bytes]]:
    """Return a stopped thread as `_target.adopt` takes it."""
    floating = _register_set(thread, _NT_PRFPREG, _FLOATING_BYTES)
    return thread, general_registers(thread), None if floating is None else floating[_VECTORS]


def stop_of(thread: int) -> Optional[Stop]:
    """Return the stop of a thread that has not been reported yet; its end stays to be reported."""
    try:
        found = os.waitid(os.P_PID, thread, os.WSTOPPED | os.WNOHANG | WALL)
    except ChildProcessError:
        return None
    return None if found is None else Stop(found.si_status >> 8, found.si_status & 0x7F)
