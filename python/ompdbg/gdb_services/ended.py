# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended the selected program, or at which it has stopped."""

from __future__ import annotations

import re
from signal import Signals
from typing import TYPE_CHECKING, Optional, Tuple

import gdb

from ompdbg.gdb_services import quiet, selection
from ompdbg.report.core_notes import SignalInfo, core_end
from ompdbg.report.crash import FATAL, Crash, of_core
from ompdbg.text import encoded

if TYPE_CHECKING:
    from ompdbg.model.process import Process

# "Local core dump file:", and below "`core', file type elf64-x86-64."
_CORE = re.compile(r"^Local core dump file:\s+[`'‘](.+)['’], file type", re.M)
# Which thread that was, GDB tells since 14 only.
_PLACE = re.compile(r"^Program stopped at (0x[0-9a-f]+)\.", re.M)
_SIGNAL = re.compile(r"^It stopped (?:at|with) signal (SIG[A-Z]+)\b", re.M)
# At these a debugger stops a program that goes on.
_STOPS = {Signals.SIGTRAP, Signals.SIGQUIT}


def may_have_crashed() -> bool:
    """Whether crash() may find a signal; cheap."""
    return _CORE.search(_told("info files")) is not None or _stopped_at() is not None


def crash(process: "Process") -> Optional[Crash]:
    """Its signal, if that is one that ends programs. May select another thread."""
    core = _CORE.search(_told("info files"))
    if core is None:
        return _of_live(process)
    try:
        with open(encoded(core.group(1)), "rb") as file:
            return of_core(process, core_end(file))
    except (OSError, ValueError):
        return None


def _of_live(process: "Process") -> Optional[Crash]:
    stopped = _stopped_at()
    if stopped is None:
        return None
    number, place = stopped
    for thread in process.threads:
        if thread.target.running:
            continue
        values = process.services.registers(thread.target, "rip")
        if values is not None and values[0] == place:
            info = _info(thread.target.number)
            if info is not None and info.number == number:
                return Crash(number, thread.target.lwp, info)
    return None


def _stopped_at() -> Optional[Tuple[Signals, int]]:
    """The signal of a live program, and where."""
    told = _told("info program")
    place, signal = _PLACE.search(told), _SIGNAL.search(told)
    number = getattr(Signals, signal.group(1), None) if signal is not None else None
    if place is None or number not in FATAL - _STOPS:
        return None
    return Signals(number), int(place.group(1), 16)


def _info(thread: int) -> Optional[SignalInfo]:
    """What the kernel tells of the signal at which a thread has stopped."""
    try:
        now = gdb.selected_thread()
        if now is None or now.num != thread:
            own = gdb.selected_inferior().threads()
            selection.switch(next(one for one in own if one.num == thread))
        told = gdb.parse_and_eval("$_siginfo")  # more of an expression is the language's
        more = told["_sifields"]
        return SignalInfo(
            number=int(told["si_signo"]),
            code=int(told["si_code"]),
            sender=int(more["_kill"]["si_pid"]),
            address=int(more["_sigfault"]["si_addr"]),
        )
    except (gdb.error, StopIteration):
        return None


def _told(command: str) -> str:
    try:
        return quiet.execute(command)
    except gdb.error:
        return ""
