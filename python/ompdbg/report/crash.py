# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended a program, and the thread that it has reached, out of a report."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ompdbg.report.html.words import member_text, place_text

Object = Dict[str, Any]


def is_own(crash: Optional[Object]) -> bool:
    """The program has crashed; nobody else has ended it."""
    return crash is not None and crash["sender"] is None


def details(crash: Object) -> str:
    """`invalid read at 0x8 (p->next; p is null)`, `sent by process 4711`; empty if unknown."""
    return crash.get("details") or ""


def who(crash: Object, threads: "Optional[List[Object]]") -> str:
    """`thread 3 (2/8)`"""
    thread = crashed(crash, threads)
    if thread is None:
        return f"a thread (LWP {crash['lwp']})"
    told, member = f"thread {thread['gdb']}", member_text(thread)
    return told if member in ("", "none") else f"{told} ({member})"


def crashed(crash: Object, threads: "Optional[List[Object]]") -> Optional[Object]:
    """That thread in the report's list."""
    return next((one for one in threads or [] if one["gdb"] == crash["thread"]), None)


def where(crash: Object, report: Object) -> str:
    """`SIGSEGV in thread 3 (2/8): flux at solver.c:8, invalid read at 0x8 (p->next; p is null)`"""
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
