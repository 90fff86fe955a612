# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work that is done in a process of its own, which may fail in any way."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import time
import traceback
from typing import Callable, List, NamedTuple, Optional

_PR_SET_PDEATHSIG = 1
_DEBUG = "OMPDBG_DEBUG"
_MOST_LINES, _LONGEST_LINE = 6, 500  # they fit into a pipe, also as escapes
_MOST_BYTES = 1 << 16
_SECONDS_TO_DIE = 5


class Answer(NamedTuple):
    """What has come out."""

    severity: Optional[str] = None  # None: no OpenMP program
    lines: "List[str]" = []  # for people
    written: Optional[str] = None  # a report


class Work:
    """One child of this process."""

    def __init__(self, do: Callable[[], Answer], seconds: float) -> None:
        """Start it. Raise OSError."""
        self._end, writes = os.pipe()
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._status: Optional[int] = None
        self._why_ended = ""
        self._given_up = float("inf")
        parent = os.getpid()
        try:
            self.pid = os.fork()
        except OSError:
            os.close(self._end)
            os.close(writes)
            raise
        if self.pid == 0:
            _become(do, writes, parent)
        os.close(writes)

    def ended(self, status: int) -> None:
        """Take note of what waitpid() has reported."""
        self._status = status

    def is_over(self) -> bool:
        """Check whether it has ended, or does not even when it is killed."""
        return self._status is not None or time.monotonic() > self._given_up

    def check_time(self) -> None:
        """End it when its time is over."""
        if time.monotonic() >= self._deadline:
            self.end(f"not finished after {self._seconds:g} s")

    def end(self, why: str) -> None:
        """End it."""
        if self._status is None and not self._why_ended:
            self._why_ended = why
            self._given_up = time.monotonic() + _SECONDS_TO_DIE
            os.kill(self.pid, signal.SIGKILL)

    def answer(self) -> "Optional[Answer]":
        """Return what has come out; None if nothing has."""
        try:
            os.set_blocking(self._end, False)
            severity, lines, written = json.loads(os.read(self._end, _MOST_BYTES))
        except (OSError, ValueError):
            return None
        finally:
            os.close(self._end)
        return Answer(severity, lines, written)

    def failure(self) -> str:
        """Return why nothing has come out."""
        if self._why_ended:
            return self._why_ended
        if self._status is not None and os.WIFSIGNALED(self._status):
            return f"ended by signal {os.WTERMSIG(self._status)}"
        return "failed"


def _become(do: Callable[[], Answer], end: int, parent: int) -> None:
    """Do the work, and end."""
    status = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            return
        try:
            answer = do()
        except Exception as error:  # pylint: disable=broad-except
            if os.environ.get(_DEBUG):
                traceback.print_exc()
            answer = Answer(lines=[f"internal error: {type(error).__name__}: {error}"])
        lines = [line[:_LONGEST_LINE] for line in answer.lines[:_MOST_LINES]]
        os.write(end, json.dumps([answer.severity, lines, answer.written]).encode())
        status = 0
    finally:
        os._exit(status)
