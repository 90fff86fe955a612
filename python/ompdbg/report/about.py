# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a report is about: which process or core file, of which program, on which machine."""

from __future__ import annotations

import os
import time
from signal import Signals
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from ompdbg.report import crash as crashes
from ompdbg.report.core_notes import CoreEnd
from ompdbg.report.crash import Crash
from ompdbg.report.ranks import rank
from ompdbg.text import decoded, of_path

if TYPE_CHECKING:
    from ompdbg.model.process import Process

About = Dict[str, Any]


def about_process(process: "Process", pid: int, crash: Optional[Crash] = None) -> About:
    """Of a live process. `crash`: a signal is about to end it."""
    return {
        **_common(process),
        "kind": "process",
        "name": str(pid),
        "pid": pid,
        # The first thread of the process may have ended before the others.
        "command": _command_line(process.threads[0].target.lwp if process.threads else pid),
        "host": os.uname().nodename,
        "crash": None if crash is None else crashes.crash_json(process, crash, pid),
    }


def about_core(process: "Process", path: str, end: CoreEnd) -> About:
    """Of a core file."""
    crash = crashes.of_core(process, end)
    return {
        **_common(process),
        "kind": "core",
        "name": of_path(path),
        "pid": end.process,
        "signal": _signal_name(end.number),
        "crash": None if crash is None else crashes.crash_json(process, crash, end.process),
        "taken": _time_of(path),
    }


def _signal_name(number: Optional[int]) -> Optional[str]:
    """ "" if there was none."""
    if not number:
        return None if number is None else ""
    try:
        return Signals(number).name
    except ValueError:
        return None


def _common(process: "Process") -> About:
    return {
        "kind": None,
        "name": None,
        "pid": None,
        "program": process.services.program or None,
        "command": None,
        "host": None,
        "rank": rank(process),
        "signal": None,
        "crash": None,
        "taken": _written(time.time()),
        "cause": None,
        "problems": [],
    }


def _written(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _time_of(path: str) -> Optional[str]:
    try:
        return _written(os.stat(path).st_mtime)
    except OSError:
        return None


def _command_line(pid: int) -> Optional[List[str]]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = decoded(file.read()).split("\0")
    except OSError:
        return None
    return words[:-1] or None
