# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended the selected program, or at which it has stopped."""

from __future__ import annotations

import re
from signal import Signals
from typing import NamedTuple, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.console import output
from ompdbg.inferior import selection, session
from ompdbg.inferior.services import lwp
from ompdbg.text import encoded

# "Local core dump file:", and below "`core', file type elf64-x86-64."
_CORE = re.compile(r"^Local core dump file:\s+[`'‘](.+)['’], file type", re.M)
# Which thread that was, GDB tells since 14 only.
_PLACE = re.compile(r"^Program stopped at (0x[0-9a-f]+)\.", re.M)
_SIGNAL = re.compile(r"^It stopped (?:at|with) signal (SIG[A-Z]+)\b", re.M)
# Signals that end a program, without those at which a debugger stops one that goes on.
_FATAL = {
    Signals.SIGABRT,
    Signals.SIGBUS,
    Signals.SIGFPE,
    Signals.SIGILL,
    Signals.SIGSEGV,
    Signals.SIGSYS,
    Signals.SIGXCPU,
    Signals.SIGXFSZ,
}


class Signal(NamedTuple):
    """What is known of a signal."""

    number: int
    lwp: int  # of the thread that it has reached
    pid: int
    is_core: bool
    has_info: bool  # what follows is known
    code: int = 0
    sender: int = 0
    address: int = 0


def signal() -> Optional[Signal]:
    """Return the program's signal, which in a core file may be any. May select another thread."""
    connection = gdb.selected_inferior().connection
    if connection is not None and connection.type != "core":
        return _of_live()  # "info files" would list every section of every file
    core = _CORE.search(output.said("info files"))
    return _of_live() if core is None else _of_core(core.group(1))


def _of_core(path: str) -> Optional[Signal]:
    end = _ompdbg.core_end(encoded(path))
    return None if end is None else Signal(*end)


def _of_live() -> Optional[Signal]:
    stopped = _stopped_at()
    if stopped is None:
        return None
    number, place = stopped
    services = session.services()
    # Of several threads there GDB selected the one whose signal it announced.
    first = gdb.selected_thread()
    for thread in sorted(services.all_threads(), key=lambda one: one != first):
        if services.register(thread.num, "rip") == place:
            found = _info(thread.num, lwp(thread))
            if found is not None and found.number == number:
                return found
    return None


def _stopped_at() -> Optional[Tuple[Signals, int]]:
    """Return the signal of a live program, and where it is."""
    said = output.said("info program")
    place, name = _PLACE.search(said), _SIGNAL.search(said)
    number = getattr(Signals, name.group(1), None) if name is not None else None
    if place is None or number not in _FATAL:
        return None
    return Signals(number), int(place.group(1), 16)


def _info(thread: int, lwp: int) -> Optional[Signal]:
    """Return what the kernel tells of the signal at which a thread has stopped."""
    inferior = gdb.selected_inferior()
    try:
        now = gdb.selected_thread()
        if now is None or now.num != thread:
            selection.switch(next(one for one in inferior.threads() if one.num == thread))
        info = gdb.parse_and_eval("$_siginfo")  # more of an expression is the language's
        more = info["_sifields"]
        return Signal(
            int(info["si_signo"]),
            lwp,
            inferior.pid,
            False,
            True,
            int(info["si_code"]),
            int(more["_kill"]["si_pid"]),
            int(more["_sigfault"]["si_addr"]),
        )
    except (gdb.error, StopIteration):
        return None
