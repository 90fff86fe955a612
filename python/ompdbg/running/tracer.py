# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows all processes of a command with ptrace, and hands over those that a signal is about to
end: stopped, not traced any longer, so that they can be looked at.

A traced process stops only when it makes a process or thread, and when it gets a signal."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Callable, Optional, Set

from ompdbg.report.core_notes import SignalInfo
from ompdbg.report.crash import Crash
from ompdbg.running import below

WALL = 0x40000000  # __WALL

_GETSIGINFO = 0x4202
_CONT, _DETACH, _SEIZE, _INTERRUPT, _LISTEN = 7, 17, 0x4206, 0x4207, 0x4208
# Follow forks and threads, tell of exec, and end all with the tracer.
_FORK, _VFORK, _CLONE, _EXEC, _EXITKILL = 2, 4, 8, 16, 1 << 20
_OPTIONS = _FORK | _VFORK | _CLONE | _EXEC | _EXITKILL
_EVENT_STOP = 128
_STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_RELEASE_SECONDS = 5
_PAUSE = 0.005

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long
_libc.syscall.restype = ctypes.c_long
_TGKILL = 234
_SIGINFO_BYTES = 128

# A process, and the signal that is about to end it.
OnCrash = Callable[[int, Crash], None]


class CannotTrace(Exception):
    """The system does not let it."""


def _ptrace(request: int, thread: int, data: int = 0) -> bool:
    """False if the thread has gone, or is not stopped."""
    return bool(_libc.ptrace(request, thread, None, data) == 0)


def _signal_info(thread: int) -> Optional[SignalInfo]:
    """Of the signal at which a thread has stopped."""
    data = ctypes.create_string_buffer(_SIGINFO_BYTES)
    if _libc.ptrace(_GETSIGINFO, thread, None, ctypes.addressof(data)) != 0:
        return None
    return SignalInfo.parsed(data.raw)


class Tracer:
    """All processes below this one."""

    def __init__(self, on_crash: OnCrash, watched: "Set[signal.Signals]") -> None:
        """`on_crash` is called for these signals, if they end the program."""
        self._on_crash = on_crash
        self._watched = watched

    def follow(self, pid: int) -> None:
        """From now on. Raises CannotTrace."""
        if not _ptrace(_SEIZE, pid, _OPTIONS):
            raise CannotTrace(os.strerror(ctypes.get_errno()))

    def stopped(self, thread: int, status: int) -> None:
        """What waitpid() has told of a thread that has stopped."""
        event, number = status >> 16, os.WSTOPSIG(status)
        if event == _EVENT_STOP and number in _STOPS:
            _ptrace(_LISTEN, thread)
        elif event:
            _ptrace(_CONT, thread)
        else:
            self._signalled(thread, number)

    def _signalled(self, thread: int, number: int) -> None:
        if number in self._watched and below.would_end(thread, number):
            process = int(below.status(thread).get("Tgid", "0"))
            crash = Crash(signal.Signals(number), thread, _signal_info(thread))
            if process and self._release(process, thread):
                self._on_crash(process, crash)
                # Now for good.
                _libc.syscall(_TGKILL, process, thread, number)
                self.resume(process)
                return
        _ptrace(_CONT, thread, number)

    # ---- Letting go -------------------------------------------------------------------------

    def release(self, process: int) -> bool:
        """Stops a process, and no longer traces it."""
        try:
            os.kill(process, signal.SIGSTOP)
        except OSError:
            return False
        return self._release(process, None)

    def _release(self, process: int, thread: Optional[int]) -> bool:
        """`thread`: it is stopped at a signal already, which is replaced by one that stops all."""
        if thread is not None and not _ptrace(_DETACH, thread, signal.SIGSTOP):
            return False
        deadline = time.monotonic() + _RELEASE_SECONDS
        asked: Set[int] = set()
        while time.monotonic() < deadline:
            tasks = below.tasks(process)
            traced = [task for task in tasks if _is_to_be_let_go(process, task)]
            if not traced:
                return any(not below.has_ended(task) for task in tasks)
            for task in traced:
                self._let_go(task, asked)
            time.sleep(_PAUSE)
        return False

    @staticmethod
    def _let_go(task: int, asked: Set[int]) -> None:
        try:
            found, status = os.waitpid(task, os.WNOHANG | WALL)
        except ChildProcessError:
            return
        if found == task and os.WIFSTOPPED(status):
            is_stop = not status >> 16 and os.WSTOPSIG(status) == signal.SIGSTOP
            _ptrace(_DETACH, task, signal.SIGSTOP if is_stop else 0)
        elif found == 0 and task not in asked:
            asked.add(task)
            _ptrace(_INTERRUPT, task)

    def follow_again(self, process: int) -> None:
        """Traces a process that was released, which then goes on."""
        for task in below.tasks(process):
            _ptrace(_SEIZE, task, _OPTIONS)
        self.resume(process)

    @staticmethod
    def resume(process: int) -> None:
        """Lets a process go on that was released."""
        try:
            os.kill(process, signal.SIGCONT)
        except OSError:
            pass


def _is_to_be_let_go(process: int, task: int) -> bool:
    """Not the first thread if it has ended before the others: no one is told before they have."""
    if task == process and below.has_ended(task):
        return False
    return below.status(task).get("TracerPid") == str(os.getpid())
