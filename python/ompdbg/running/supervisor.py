# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command and waits for its end, or for the reason to end it."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from typing import Callable, Iterable, List, NamedTuple, Optional

from ompdbg.report.crash import FATAL, Crash
from ompdbg.running import below
from ompdbg.running.tracer import WALL, CannotTrace, Tracer

TIMED_OUT = 124
NOT_STARTED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127

_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Launchers of MPI programs send these, which end whoever does not expect them.
_PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2)
_WATCHED = {signal.SIGCHLD, *_ASKED, *_PASSED_ON}
_KERNEL = 128  # SI_KERNEL: the terminal has sent it, to the command too
_GRACE_SECONDS = 5.0
_TICK = 0.5
_TERMINATED = "asked to end by SIGTERM"
_STANDSTILL_SECONDS = 10.0

Look = Callable[[int, str, Optional[Crash]], Optional[str]]


class Plan(NamedTuple):
    """What is to be done."""

    command: List[str]
    timeout: Optional[float]
    on_hang: bool
    on_term: bool
    traces: bool
    with_core: bool


class Supervisor:
    """One run of a command."""

    def __init__(self, plan: Plan, look: Look, say: Callable[[str], None]) -> None:
        """`look`: takes the report of a process, for a reason in words or for a signal that is
        about to end it; returns how bad it is, or None if the process has no OpenMP. `say`: a
        line for people."""
        self._plan = plan
        self._look = look
        self._say = say
        watched = FATAL | {signal.SIGTERM} if plan.on_term else FATAL
        self._tracer = Tracer(self._crashed, watched) if plan.traces else None
        self._status: Optional[int] = None
        self._was_terminated = False  # a program below has been sent SIGTERM
        self._child = 0
        self._asked: Optional[int] = None
        self._begin = time.monotonic()
        self._stood_since = self._begin
        self._used = 0

    def run(self) -> int:
        """The exit status."""
        below.adopt_orphans()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        try:
            self._start(before)
            status = self._wait()
        finally:
            left = below.end_all()
            self._progress("")
            for number in _PASSED_ON:
                signal.signal(number, signal.SIG_IGN)  # for nobody any longer
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if left and self._asked is None and status != TIMED_OUT:
            self._say(f"ended what was left: {left} {'process' if left == 1 else 'processes'}")
        return status

    # ---- The begin --------------------------------------------------------------------------

    def _start(self, mask: "Iterable[int]") -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        ready, go = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(go)
            os.read(ready, 1)  # until it is traced
            self._become_command(mask)
        os.close(ready)
        if self._tracer is not None:
            try:
                self._tracer.follow(self._child)
            except CannotTrace as reason:
                self._say(f"crashes are not reported: the command cannot be traced ({reason})")
                self._tracer = None
        os.close(go)

    def _become_command(self, mask: "Iterable[int]") -> None:
        status = NOT_STARTED
        command = self._plan.command
        try:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if self._plan.with_core:
                hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
                resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execvp(command[0], command)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            status = NOT_FOUND if missing else NOT_EXECUTABLE
            os.write(2, f"ompdbg run: {command[0]}: {error.strerror}.\n".encode())
        finally:
            os._exit(status)

    # ---- The time between -------------------------------------------------------------------

    def _wait(self) -> int:
        while True:
            self._take_news()
            if self._status is not None:
                return self._status
            reason = self._reason_to_end()
            if reason is not None:
                self._say(reason)
                self._look_at_all(reason)
                return TIMED_OUT
            told = signal.sigtimedwait(_WATCHED, _TICK)
            if told is not None and told.si_signo in _ASKED:
                return self._asked_to_end(told)
            if told is not None and told.si_signo in _PASSED_ON:
                self._send(told.si_signo)
            self._progress(self._how_long())

    def _take_news(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | WALL)
            except ChildProcessError:
                if self._status is None:
                    self._status = NOT_STARTED
                return
            if pid == 0:
                return
            if os.WIFSTOPPED(status):
                if self._tracer is not None:
                    self._tracer.stopped(pid, status)
            elif pid == self._child:
                self._status = _exit_status(status)

    def _reason_to_end(self) -> Optional[str]:
        now = time.monotonic()
        limit = self._plan.timeout
        if limit is not None and now - self._begin >= limit:
            return f"time-out after {limit:g} s"
        if self._plan.on_hang and self._stands_still(now) and self._is_stuck():
            return f"hangs: no progress for {_STANDSTILL_SECONDS:g} s"
        return None

    def _stands_still(self, now: float) -> bool:
        """No processor time was used for a while; asked again only after as long a time."""
        used = below.processor_time()
        # Being asked costs a tick now and then.
        if abs(used - self._used) > 1:
            self._used, self._stood_since = used, now
        if now - self._stood_since < _STANDSTILL_SECONDS:
            return False
        self._stood_since = now
        return True

    def _is_stuck(self) -> bool:
        """The diagnosis says so of one of them."""
        from ompdbg.model.severity import HELD_UP, STUCK

        return any(self._looked(pid, "", True) in (STUCK, HELD_UP) for pid in below.processes())

    # ---- Looking ----------------------------------------------------------------------------

    def _crashed(self, process: int, crash: Crash) -> None:
        if crash.signal is signal.SIGTERM:  # schedulers send it to all processes of a job
            self._look(process, _TERMINATED, None)
            self._was_terminated = True
            return
        name = below.program_name(process)
        self._say(f"{name} ({process}): {crash.signal.name}")
        self._look(process, crash.signal.name, crash)

    def _look_at_all(self, reason: str) -> None:
        processes = below.processes()
        reported = 0
        for number, pid in enumerate(processes, 1):
            if signal.sigpending() & set(_ASKED):
                self._say(f"interrupted: {len(processes) + 1 - number} processes not looked at")
                return
            self._progress(f"ompdbg run: looking at process {number} of {len(processes)}")
            severity = self._looked(pid, reason, False)
            if severity is not None:
                reported += 1
                if self._plan.with_core:
                    self._abort(pid)
        if not reported and not self._was_terminated:
            self._say("no OpenMP program is running: nothing to report")

    def _looked(self, pid: int, reason: str, goes_on: bool) -> Optional[str]:
        if self._tracer is None:
            return self._look(pid, reason, None)
        if not self._tracer.release(pid):
            return None
        try:
            return self._look(pid, reason, None)
        finally:
            if goes_on:
                self._tracer.follow_again(pid)

    def _abort(self, pid: int) -> None:
        """Lets the kernel write a core file."""
        try:
            os.kill(pid, signal.SIGABRT)
            os.kill(pid, signal.SIGCONT)
        except OSError:
            return
        deadline = time.monotonic() + 6 * _GRACE_SECONDS
        while pid in below.processes() and time.monotonic() < deadline:
            below.reap()
            time.sleep(_TICK / 10)

    # ---- The end ----------------------------------------------------------------------------

    def _asked_to_end(self, told: "signal.struct_siginfo") -> int:
        number = told.si_signo
        self._asked = number
        if number == signal.SIGTERM and self._plan.on_term:
            self._say(_TERMINATED)
            self._look_at_all(_TERMINATED)
            return 128 + number
        if told.si_code != _KERNEL:
            self._send(number)
        return self._wait_for_its_end(number)

    def _send(self, number: int) -> None:
        """To the command."""
        try:
            os.kill(self._child, number)
        except ProcessLookupError:
            pass

    def _wait_for_its_end(self, number: int) -> int:
        """Lets the command end by itself."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < deadline and self._status is None:
            self._take_news()
            told = signal.sigtimedwait(_WATCHED, _TICK / 5)
            if told is not None and told.si_signo in _ASKED:
                break  # it is meant
        return 128 + number

    def _how_long(self) -> str:
        told = f"{time.monotonic() - self._begin:.0f} s"
        if self._plan.timeout is not None:
            told += f" of {self._plan.timeout:g} s"
        number = len(below.processes())
        return f"ompdbg run: {told}, {number} {'process' if number == 1 else 'processes'}"

    @staticmethod
    def _progress(text: str) -> None:
        """A line that the next one overwrites, for people only."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()


def _exit_status(status: int) -> int:
    if os.WIFSIGNALED(status):
        return 128 + os.WTERMSIG(status)
    return os.WEXITSTATUS(status)
