# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended the selected program, or at which it has stopped."""

from __future__ import annotations

import re
from os.path import basename
from signal import Signals
from typing import TYPE_CHECKING, NamedTuple, Optional, Tuple

import gdb

from ompdbg.gdb_services import quiet, selection, session
from ompdbg.report.core_notes import SignalInfo, core_end
from ompdbg.text import encoded

if TYPE_CHECKING:
    from _ompdbg import Location, Process, Thread

# "Local core dump file:", and below "`core', file type elf64-x86-64."
_CORE = re.compile(r"^Local core dump file:\s+[`'‘](.+)['’], file type", re.M)
# Which thread that was, GDB tells since 14 only.
_PLACE = re.compile(r"^Program stopped at (0x[0-9a-f]+)\.", re.M)
_SIGNAL = re.compile(r"^It stopped (?:at|with) signal (SIG[A-Z]+)\b", re.M)
# Those that end a program with a core file.
_FATAL = {
    Signals.SIGABRT,
    Signals.SIGBUS,
    Signals.SIGFPE,
    Signals.SIGILL,
    Signals.SIGQUIT,
    Signals.SIGSEGV,
    Signals.SIGSYS,
    Signals.SIGTRAP,
    Signals.SIGXCPU,
    Signals.SIGXFSZ,
}
# At these a debugger stops a program that goes on.
_STOPS = {Signals.SIGTRAP, Signals.SIGQUIT}
# Those whose signal information names an address.
_WITH_ADDRESS = {Signals.SIGBUS, Signals.SIGFPE, Signals.SIGILL, Signals.SIGSEGV}
_ABOUT_MEMORY = {Signals.SIGBUS, Signals.SIGSEGV}
_GENERAL_PROTECTION = 0x80  # SI_KERNEL: which address is not told
_BREAKPOINT = b"\xcc"  # x86-64: int3


class _Crash(NamedTuple):
    """One signal."""

    signal: Signals
    lwp: int
    thread: "Optional[Thread]"
    info: Optional[SignalInfo]


def told(program: "Process") -> Optional[str]:
    """Return a line about the signal, if it is one that ends programs. May select a thread."""
    core = _CORE.search(_said("info files"))
    found = _of_live(program) if core is None else _of_core(program, core.group(1))
    return None if found is None else _in_words(found)


def _of_core(program: "Process", path: str) -> Optional[_Crash]:
    """Return how a core file's program has ended; None if it did not: a debugger may have
    written the file, of a program that went on."""
    try:
        with open(encoded(path), "rb") as file:
            end = core_end(file)
        signal = Signals(end.number or 0)
    except (OSError, ValueError):
        return None
    if signal not in _FATAL or end.thread is None:
        return None
    thread = next((one for one in program.threads() if one.lwp == end.thread), None)
    if signal is Signals.SIGTRAP and not _is_at_trap(thread):
        return None
    return _Crash(signal, end.thread, thread, end.info)


def _is_at_trap(thread: "Optional[Thread]") -> bool:
    """Check for the program's own breakpoint: a debugger takes its one out, and puts the thread
    before it."""
    pc = 0 if thread is None else _pc(thread)
    try:
        return bool(pc) and session.services().read_memory(pc - 1, 1) == _BREAKPOINT
    except gdb.error:
        return False


def _pc(thread: "Thread") -> int:
    frame = session.services().frame_of(thread.number, 0)
    return 0 if frame is None else frame.pc()


def _of_live(program: "Process") -> Optional[_Crash]:
    stopped = _stopped_at()
    if stopped is None:
        return None
    signal, place = stopped
    for thread in program.threads():
        if not thread.is_running and _pc(thread) == place:
            info = _info(thread.number)
            if info is not None and info.number == signal:
                return _Crash(signal, thread.lwp, thread, info)
    return None


def _stopped_at() -> Optional[Tuple[Signals, int]]:
    """Return the signal of a live program, and where it has stopped."""
    said = _said("info program")
    place, signal = _PLACE.search(said), _SIGNAL.search(said)
    number = getattr(Signals, signal.group(1), None) if signal is not None else None
    if place is None or number not in _FATAL - _STOPS:
        return None
    return Signals(number), int(place.group(1), 16)


def _info(thread: int) -> Optional[SignalInfo]:
    """Return what the kernel tells of the signal at which a thread has stopped."""
    try:
        now = gdb.selected_thread()
        if now is None or now.num != thread:
            own = gdb.selected_inferior().threads()
            selection.switch(next(one for one in own if one.num == thread))
        told_by_gdb = gdb.parse_and_eval("$_siginfo")  # more of an expression is the language's
        more = told_by_gdb["_sifields"]
        return SignalInfo(
            number=int(told_by_gdb["si_signo"]),
            code=int(told_by_gdb["si_code"]),
            sender=int(more["_kill"]["si_pid"]),
            address=int(more["_sigfault"]["si_addr"]),
        )
    except (gdb.error, StopIteration):
        return None


def _said(command: str) -> str:
    try:
        return quiet.execute(command)
    except gdb.error:
        return ""


# ---- In words -------------------------------------------------------------------------------


def _in_words(crash: _Crash) -> str:
    """`SIGSEGV in thread 3 (OpenMP thread 2 of 8): flux at solver.c:8, access to address 0x8`"""
    location = None if crash.thread is None else crash.thread.location
    where = "" if location is None else f": {_place(location)}"
    details = _details(crash)
    return f"{crash.signal.name} in {_who(crash)}{where}{details and ', '}{details}"


def _who(crash: _Crash) -> str:
    thread = crash.thread
    if thread is None:
        return f"a thread (LWP {crash.lwp})"
    number, size = thread.thread_num, thread.team_size
    if number is None:
        return f"thread {thread.label}"
    of = "" if size is None or not thread.level else f" of {size}"
    return f"thread {thread.label} (OpenMP thread {number}{of})"


def _place(location: "Location") -> str:
    if location.function is None:
        return f"{location.address:#x} in {basename(location.object)}"
    if location.file is None or location.line is None:
        return location.function
    return f"{location.function} at {basename(location.file)}:{location.line}"


def _details(crash: _Crash) -> str:
    info = crash.info
    if info is not None and info.is_sent:
        is_others = info.sender not in (0, gdb.selected_inferior().pid)
        return f"sent by process {info.sender}" if is_others else ""
    if info is None or crash.signal not in _WITH_ADDRESS or info.code == _GENERAL_PROTECTION:
        return ""
    what = "access to address" if crash.signal in _ABOUT_MEMORY else "at"
    return f"{what} {info.address:#x}"
