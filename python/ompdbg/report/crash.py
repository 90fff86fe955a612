# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended a program, or is about to, and the thread that it has reached."""

from __future__ import annotations

from signal import Signals
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from ompdbg.report.core_notes import CoreEnd, SignalInfo
from ompdbg.report.html.words import place_text

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Thread

Object = Dict[str, Any]

# Those that end a program with a core file.
FATAL = {
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
# Those whose signal information names an address.
_WITH_ADDRESS = {Signals.SIGBUS, Signals.SIGFPE, Signals.SIGILL, Signals.SIGSEGV}
_ABOUT_MEMORY = {Signals.SIGBUS, Signals.SIGSEGV}
_GENERAL_PROTECTION = 0x80  # SI_KERNEL: which address is not told
_BREAKPOINT = b"\xcc"  # x86-64: int3


class Crash(NamedTuple):
    """One signal."""

    signal: Signals
    lwp: int
    info: Optional[SignalInfo]


def of_core(process: "Process", end: CoreEnd) -> Optional[Crash]:
    """How a core file's program has ended; None if it did not: a debugger may have written the
    file, of a program that went on."""
    if not end.number or end.thread is None:
        return None
    try:
        signal = Signals(end.number)
    except ValueError:
        return None
    found = Crash(signal, end.thread, end.info)
    if signal not in FATAL:
        return None
    if signal is Signals.SIGTRAP and not _is_at_trap(process, end.thread):
        return None
    return found


def _is_at_trap(process: "Process", lwp: int) -> bool:
    """The program's own; a debugger takes its breakpoint out, and puts the thread before it."""
    thread = _thread(process, lwp)
    if thread is None:
        return False
    values = process.services.registers(thread.target, "rip")
    if not values:
        return False
    try:
        return process.services.read_memory(values[0] - 1, 1) == _BREAKPOINT
    except process.services.errors:
        return False


def _thread(process: "Process", lwp: int) -> "Optional[Thread]":
    return next((one for one in process.threads if one.target.lwp == lwp), None)


def crash_json(process: "Process", crash: Crash, pid: Optional[int]) -> Object:
    """For the report."""
    thread = _thread(process, crash.lwp)
    info = crash.info
    address: Optional[str] = None
    sender: Optional[int] = None
    if info is not None and info.is_sent:
        sender = info.sender if info.sender not in (0, pid) else None
    elif info is not None and crash.signal in _WITH_ADDRESS:
        address = None if info.code == _GENERAL_PROTECTION else f"{info.address:#x}"
    return {
        "signal": crash.signal.name,
        "thread": None if thread is None else thread.target.number,
        "lwp": crash.lwp,
        "address": address,
        "sender": sender,
    }


# ---- In words -------------------------------------------------------------------------------


def of_report(report: Object) -> Optional[Object]:
    """What the report has of it; one that an older ompdbg has written has nothing."""
    found: Optional[Object] = report["about"].get("crash")
    return found


def is_own(crash: Optional[Object]) -> bool:
    """The program has crashed; nobody else has ended it."""
    return crash is not None and crash["sender"] is None


def details(crash: Object) -> str:
    """`access to address 0x8`, `sent by process 4711`; empty if that is not known."""
    if crash["sender"] is not None:
        return f"sent by process {crash['sender']}"
    if crash["address"] is None:
        return ""
    is_about_memory = Signals[crash["signal"]] in _ABOUT_MEMORY
    return f"{'access to address' if is_about_memory else 'at'} {crash['address']}"


def who(crash: Object, threads: "Optional[List[Object]]") -> str:
    """`thread 3 (OpenMP thread 2 of 8)`"""
    thread = crashed(crash, threads)
    if thread is None:
        return f"a thread (LWP {crash['lwp']})"
    told = f"thread {thread['gdb']}"
    if thread["thread_num"] is None:
        return told
    size = thread["team_size"]
    if size is None or not thread["level"]:
        return f"{told} (OpenMP thread {thread['thread_num']})"
    return f"{told} (OpenMP thread {thread['thread_num']} of {size})"


def crashed(crash: Object, threads: "Optional[List[Object]]") -> Optional[Object]:
    """That thread in the report's list."""
    return next((one for one in threads or [] if one["gdb"] == crash["thread"]), None)


def where(crash: Object, report: Object) -> str:
    """`SIGSEGV in thread 3 (OpenMP thread 2 of 8): flux at solver.c:8, access to address 0x8`"""
    told = f"{crash['signal']} in {who(crash, report['threads'])}"
    thread = crashed(crash, report["threads"])
    if thread is not None and thread["location"] is not None:
        told += f": {place_text(thread['location'])}"
    return ", ".join(filter(None, (told, details(crash))))


def lines(process: "Process", found: Crash, pid: Optional[int], width: Optional[int]) -> List[str]:
    """The same, of a process that is looked at; threads are called as the debugger does."""
    from ompdbg.render import json
    from ompdbg.render.table import wrap

    told = crash_json(process, found, pid)
    thread = _thread(process, found.lwp)
    rows = []
    if thread is not None:
        told["thread"] = thread.target.label
        rows = [{**json.thread(thread), "gdb": thread.target.label}]
    return wrap(where(told, {"threads": rows}), width)


def stack(crash: Object, report: Object) -> "List[Object]":
    """The frames of that thread, innermost first."""
    for one in report["stacks"] or []:
        if crash["thread"] in one["threads"]:
            return [frame for part in one["parts"] for frame in part["frames"]]
    return []
