# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command and waits for its end, or for the reason to end it."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from typing import Callable, Iterable, List, NamedTuple, Optional, Tuple

from ompdbg.report.crash import FATAL, Crash
from ompdbg.running import below
from ompdbg.running.ptrace import WALL
from ompdbg.running.tracer import CannotTrace, Halted, Tracer
from ompdbg.running.work import Answer, Work

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


class Plan(NamedTuple):
    """What is to be done."""

    command: List[str]
    timeout: Optional[float]
    report_seconds: float  # for each report
    on_hang: bool
    on_term: bool
    traces: bool
    with_core: bool


class Reports(NamedTuple):
    """How reports are made. All but `say` and `take` are called in processes of their own."""

    say: Callable[[str], None]  # a line for people
    # The report of a process, for a reason in words or for a signal that is about to end it.
    look: Callable[[Halted, str, Optional[Crash]], Answer]
    ask: Callable[[Halted], Answer]  # only how bad it is
    take: Callable[[Answer], None]  # what `look` has found
    clear: Callable[[int], None]  # remove what a process that was ended has left half written
    finish: Callable[[], Optional[Callable[[], Answer]]]  # what is left to do at the end


class Supervisor:
    """One run of a command."""

    def __init__(self, plan: Plan, reports: Reports) -> None:
        self._plan = plan
        self._reports = reports
        self._say = reports.say
        watched = FATAL | {signal.SIGTERM} if plan.on_term else FATAL
        self._tracer = Tracer(self._crashed, watched, self._say)
        self._crashes: List[Tuple[Halted, Crash]] = []  # not looked at yet
        self._work: Optional[Work] = None
        self._status: Optional[int] = None
        self._was_terminated = False  # a program below has been sent SIGTERM
        self._child = 0
        self._asked: Optional[int] = None
        self._begin = time.monotonic()
        self._stood_since = self._begin
        self._used = 0

    def run(self) -> int:
        """Run the command, and return the exit status, whatever becomes of the reports."""
        below.adopt_orphans()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        try:
            try:
                self._start(before)
            except OSError as error:
                self._say(f"the command cannot be started: {error.strerror}")
                return NOT_STARTED
            status = self._wait_in_any_case()
            self._attempt(lambda: self._end_what_is_left(status))
            self._attempt(self._finish)
        finally:
            self._attempt(below.end_all)
            for number in (*_ASKED, *_PASSED_ON):
                signal.signal(number, signal.SIG_IGN)  # for nobody any longer
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return status

    def _attempt(self, do: Callable[[], object]) -> None:
        """Do what must not change the exit status, even if it fails."""
        try:
            do()
        except Exception as error:  # pylint: disable=broad-except
            self._say(f"{type(error).__name__}: {error}")

    # ---- The begin --------------------------------------------------------------------------

    def _start(self, mask: "Iterable[int]") -> None:
        ready, go = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(go)
            if not os.read(ready, 1):  # until it is traced
                os._exit(NOT_STARTED)
            self._become_command(mask)
        os.close(ready)
        if self._plan.traces:
            try:
                self._tracer.follow(self._child)
            except CannotTrace as reason:
                self._say(f"crashes are not reported: the command cannot be traced ({reason})")
        os.write(go, b".")
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
            self._say(f"{command[0]}: {error.strerror}.")
        finally:
            os._exit(status)

    # ---- The time between -------------------------------------------------------------------

    def _wait_in_any_case(self) -> int:
        try:
            return self._wait()
        except Exception as error:  # pylint: disable=broad-except
            self._say(f"no more reports: {type(error).__name__}: {error}")
        self._plan = self._plan._replace(on_hang=False, on_term=False)
        self._reports = self._reports._replace(finish=lambda: None)
        self._crashes.clear()
        self._tracer.give_up()
        return self._wait()

    def _wait(self) -> int:
        while True:
            self._take_news()
            if self._report_crash():
                continue
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
                self._tracer.stopped(pid, status)
                continue
            self._tracer.ended(pid)
            if pid == self._child:
                self._status = _exit_status(status)
            elif self._work is not None and pid == self._work.pid:
                self._work.ended(status)

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
        """Check whether the diagnosis says so of one of them."""
        from ompdbg.model.severity import HELD_UP, STUCK

        for pid in below.processes():
            answer = self._asked_about(pid)
            if answer is not None and answer.severity in (STUCK, HELD_UP):
                return True
        return False

    def _asked_about(self, pid: int) -> Optional[Answer]:
        try:
            halted = self._tracer.halt(pid)
        except CannotTrace:
            return None
        try:
            return self._done(lambda: self._reports.ask(halted), "", halted)
        finally:
            self._tracer.resume(pid)

    # ---- Work in a process of its own -------------------------------------------------------

    def _done(
        self, do: Callable[[], Answer], name: str, halted: Optional[Halted] = None
    ) -> Optional[Answer]:
        """Do what may take long or fail. Meanwhile the processes below go on. `name`: of what is
        not there if it fails."""
        try:
            work = Work(do, self._plan.report_seconds)
        except OSError as error:
            self._say(f"no {name or 'diagnosis'}: {error.strerror}")
            return None
        finally:
            if halted is not None:
                os.close(halted.memory)
        self._work = work
        while not work.is_over():
            work.check_time()
            told = signal.sigtimedwait({signal.SIGCHLD, *_PASSED_ON}, _TICK / 5)
            if told is not None and told.si_signo in _PASSED_ON:
                self._send(told.si_signo)
            self._take_news()
            if self._is_interrupted():
                work.end("interrupted")
        self._work = None
        answer = work.answer()
        if answer is None:
            self._reports.clear(work.pid)
            if name:
                self._say(f"no {name}: {work.failure()}")
        return answer

    def _is_interrupted(self) -> bool:
        """Check whether somebody wants the end at once: the first SIGTERM may ask for reports."""
        pending = signal.sigpending() & set(_ASKED)
        if self._plan.on_term and self._asked is None:
            pending.discard(signal.SIGTERM)
        return bool(pending)

    # ---- Looking ----------------------------------------------------------------------------

    def _crashed(self, halted: Halted, crash: Crash) -> None:
        self._crashes.append((halted, crash))

    def _report_crash(self) -> bool:
        """Report the first one that has not been, and let it end the program."""
        if not self._crashes:
            return False
        halted, crash = self._crashes.pop(0)
        if crash.signal is signal.SIGTERM:  # schedulers send it to all processes of a job
            self._look(halted, _TERMINATED, None)
            self._was_terminated = True
        else:
            self._say(f"{below.program_name(halted.pid)} ({halted.pid}): {crash.signal.name}")
            self._look(halted, crash.signal.name, crash)
        self._tracer.forget(halted.pid)
        self._tracer.resume(halted.pid)
        return True

    def _look(self, halted: Halted, reason: str, crash: Optional[Crash]) -> Optional[Answer]:
        name = f"report of {below.program_name(halted.pid)} ({halted.pid})"
        answer = self._done(lambda: self._reports.look(halted, reason, crash), name, halted)
        if answer is not None:
            for line in answer.lines:
                self._say(line)
            self._reports.take(answer)
        return answer

    def _look_at_all(self, reason: str) -> None:
        while self._report_crash():
            pass
        processes = below.processes()
        found = False
        for number, pid in enumerate(processes, 1):
            if self._is_interrupted():
                self._say(f"interrupted: {len(processes) + 1 - number} processes not looked at")
                return
            self._progress(f"ompdbg run: looking at process {number} of {len(processes)}")
            try:
                halted = self._tracer.halt(pid)
            except CannotTrace as why:
                if not below.has_ended(pid):
                    self._say(f"{below.program_name(pid)} ({pid}): {why}")
                continue
            answer = self._look(halted, reason, None)
            found = found or answer is None or bool(answer.lines)
            if self._plan.with_core and answer is not None and answer.severity is not None:
                self._abort(pid)
        if not found and not self._was_terminated:
            self._say("no OpenMP program is running: nothing to report")

    def _abort(self, pid: int) -> None:
        """Let the kernel write a core file."""
        self._tracer.forget(pid)
        try:
            os.kill(pid, signal.SIGABRT)
        except OSError:
            return
        self._tracer.resume(pid)
        deadline = time.monotonic() + 6 * _GRACE_SECONDS
        while pid in below.processes() and time.monotonic() < deadline:
            self._take_news()
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
        except OSError:
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

    def _end_what_is_left(self, status: int) -> None:
        ended, others = below.end_all()
        self._progress("")
        if ended and self._asked is None and status != TIMED_OUT:
            self._say(f"ended what was left: {_processes(ended)}")
        if others:
            self._say(f"not ended: {_processes(others)} of other users")

    def _finish(self) -> None:
        """Make what belongs to all reports."""
        do = self._reports.finish()
        if do is not None:
            answer = self._done(do, "picture of all reports")
            for line in answer.lines if answer is not None else ():
                self._say(line)

    def _how_long(self) -> str:
        told = f"{time.monotonic() - self._begin:.0f} s"
        if self._plan.timeout is not None:
            told += f" of {self._plan.timeout:g} s"
        return f"ompdbg run: {told}, {_processes(len(below.processes()))}"

    @staticmethod
    def _progress(text: str) -> None:
        """A line that the next one overwrites, for people only."""
        try:
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\033[K{text}")
                sys.stderr.flush()
        except OSError:
            pass


def _processes(number: int) -> str:
    return f"{number} {'process' if number == 1 else 'processes'}"


def _exit_status(status: int) -> int:
    if os.WIFSIGNALED(status):
        return 128 + os.WTERMSIG(status)
    return os.WEXITSTATUS(status)
