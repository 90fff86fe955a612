# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended a program, and the thread that it has reached, out of a report."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ompdbg.report.html.words import place_text

Object = Dict[str, Any]

_ABOUT_MEMORY = ("SIGBUS", "SIGSEGV")


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
    is_about_memory = crash["signal"] in _ABOUT_MEMORY
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


def stack(crash: Object, report: Object) -> "List[Object]":
    """The frames of that thread, innermost first."""
    for one in report["stacks"] or []:
        if crash["thread"] in one["threads"]:
            return [frame for part in one["parts"] for frame in part["frames"]]
    return []
