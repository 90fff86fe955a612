# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows all processes of a command with ptrace, and keeps one stopped while it is looked at.

A traced process stops only when it makes a process or thread, when it runs another program, and
when it gets a signal. It stays traced all the time: when this process ends, however it does, the
kernel ends what is traced. What is traced only while it is looked at then goes on.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Set

from ompdbg.report.crash import Crash
from ompdbg.running import below, ptrace, rights

if TYPE_CHECKING:
    import _target

_STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_HALT_SECONDS = 5
_PAUSE = 0.001


class CannotTrace(Exception):
    """The system does not let it, or a thread does not stop; the message says why."""


class Halted(NamedTuple):
    """A process whose threads are stopped until it is resumed."""

    pid: int
    memory: int  # its open memory
    threads: "List[_target.Stopped]"


# A process, and the signal that is about to end it.
OnCrash = Callable[[Halted, Crash], None]


class Tracer:
    """All processes below this one."""

    def __init__(
        self, on_crash: OnCrash, watched: "Set[signal.Signals]", say: Callable[[str], None]
    ) -> None:
        """`on_crash` is called for these signals, if they end the program, which stays stopped
        until it is resumed. `say`: a line for people."""
        self._on_crash = on_crash
        self._watched = watched
        self._say = say
        # Of each process that is kept, its stopped threads: the request with which they go on.
        self._kept: Dict[int, Dict[int, "_GoOn"]] = {}
        self._seized: Set[int] = set()  # threads that are traced only while they are looked at
        self._seen: Set[int] = set()  # processes whose crash is no longer of interest

    def follow(self, pid: int) -> None:
        """Trace a process from now on. Raise CannotTrace."""
        if not ptrace.request(ptrace.SEIZE, pid, ptrace.FOLLOW):
            raise CannotTrace(ptrace.last_error())

    def stopped(self, thread: int, status: int) -> None:
        """Handle what waitpid() has reported of a thread that has stopped."""
        stop = ptrace.Stop(status >> 16, os.WSTOPSIG(status))
        # Most stops are forks and SIGCHLD: they cost as little as can be.
        process = _process_of(thread) if self._kept or stop.signal in self._watched else 0
        kept = self._kept.get(process)
        if kept is not None:
            kept[thread] = _go_on(stop)
        elif stop.event == ptrace.EVENT_EXEC and rights.give_back(thread, self._say):
            pass  # no longer traced
        elif not stop.event and self._is_end(process, thread, stop.signal):
            self._crashed(process, thread, stop)
        else:
            _go_on(stop).apply(thread, False)

    def _is_end(self, process: int, thread: int, number: int) -> bool:
        """Check whether a signal ends a program that nobody has looked at."""
        return (
            process != 0
            and number in self._watched
            and process not in self._seen
            and below.would_end(thread, number)
        )

    def _crashed(self, process: int, thread: int, stop: ptrace.Stop) -> None:
        crash = Crash(signal.Signals(stop.signal), thread, ptrace.signal_info(thread))
        self._kept[process] = {thread: _go_on(stop)}
        try:
            halted = self._halt(process)
        except CannotTrace as reason:
            self._say(f"{below.program_name(process)} ({process}): {crash.signal.name}: {reason}")
        else:
            self._on_crash(halted, crash)

    # ---- Keeping one stopped ----------------------------------------------------------------

    def halt(self, process: int) -> Halted:
        """Stop a process, also one that is not traced. Raise CannotTrace; then it goes on."""
        self._kept.setdefault(process, {})
        return self._halt(process)

    def _halt(self, process: int) -> Halted:
        try:
            threads = self._stopped_threads(process)
            memory = os.open(f"/proc/{threads[0]}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            self._let_go(process)
            raise CannotTrace(f"its memory cannot be opened ({error.strerror})") from None
        except CannotTrace:
            self._let_go(process)
            raise
        return Halted(process, memory, [ptrace.registers(thread) for thread in threads])

    def _stopped_threads(self, process: int) -> List[int]:
        """Stop all threads that have not ended, and return them."""
        kept = self._kept[process]
        asked: Set[int] = set()
        deadline = time.monotonic() + _HALT_SECONDS
        while True:
            living = [task for task in sorted(below.tasks(process)) if not below.has_ended(task)]
            missing = [task for task in living if task not in kept]
            if not living:
                raise CannotTrace("it has ended")
            if not missing:
                return living
            if time.monotonic() >= deadline:
                raise CannotTrace(f"its thread {missing[0]} cannot be stopped")
            for task in missing:
                if task not in asked:
                    asked.add(task)
                    self._interrupt(task)
                stop = ptrace.stop_of(task)
                if stop is not None:
                    kept[task] = _go_on(stop)
            time.sleep(_PAUSE)

    def _interrupt(self, task: int) -> None:
        if below.tracer(task) != os.getpid():
            if not ptrace.request(ptrace.SEIZE, task):
                if below.has_ended(task):
                    return
                raise CannotTrace(_why_not(task))
            self._seized.add(task)
        ptrace.request(ptrace.INTERRUPT, task)

    def _let_go(self, process: int) -> None:
        for thread, going in self._kept.pop(process, {}).items():
            going.apply(thread, thread in self._seized)
            self._seized.discard(thread)

    def resume(self, process: int) -> None:
        """Let a process go on."""
        self._let_go(process)

    def forget(self, process: int) -> None:
        """Take no interest in how a process ends."""
        self._seen.add(process)

    def give_up(self) -> None:
        """Let everything go on, and take no interest in crashes any more."""
        self._watched = set()
        for process in list(self._kept):
            self._let_go(process)

    def ended(self, thread: int) -> None:
        """Handle the end of a thread or process, whose number may be given to another."""
        self._seen.discard(thread)
        self._seized.discard(thread)
        self._kept.pop(thread, None)


class _GoOn(NamedTuple):
    """How a stopped thread goes on."""

    listens: bool  # it does not: a signal has stopped the whole process
    signal: int

    def apply(self, thread: int, detach: bool) -> None:
        """Let it, traced or not."""
        if detach:
            ptrace.request(ptrace.DETACH, thread, self.signal)
        elif self.listens:
            ptrace.request(ptrace.LISTEN, thread)
        else:
            ptrace.request(ptrace.CONT, thread, self.signal)


def _go_on(stop: ptrace.Stop) -> _GoOn:
    if stop.event == ptrace.EVENT_STOP and stop.signal in _STOPS:
        return _GoOn(True, 0)
    return _GoOn(False, 0 if stop.event else stop.signal)


def _process_of(thread: int) -> int:
    return int(below.status(thread).get("Tgid", "0"))


def _why_not(task: int) -> str:
    tracer = below.tracer(task)
    if tracer:
        return f"it is traced already, by process {tracer}"
    return f"it cannot be attached to ({ptrace.last_error()})"
