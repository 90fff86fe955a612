# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal that has ended the program, and where: the first on the page."""

from __future__ import annotations

from typing import Any, Dict, List

from ompdbg.report import crash as words
from ompdbg.report.html import stacks
from ompdbg.report.html.markup import Content, element
from ompdbg.report.html.words import CRASHED, linked, place

Object = Dict[str, Any]


def box(report: Object, tree: stacks.Tree) -> Content:
    """Show the signal, the thread and its stack, with the source of the innermost frame."""
    found = report["about"]["crash"]
    if found is None:
        return None
    thread = words.crashed(found, report["threads"])
    is_own = words.is_own(found)
    details = words.details(found)
    who = words.who(found, report["threads"])
    known = [] if thread is None else [thread["gdb"]]
    return element(
        "div",
        element("p", "Crashed" if is_own else "Ended from outside", class_="word"),
        element("p", found["signal"], " in ", linked(who, known), class_="headline"),
        element("p", details[:1].upper(), details[1:], class_="meaning") if details else None,
        tree.innermost(found["thread"]),
        _stack(words.stack(found, report), thread),
        class_=f"verdict {CRASHED if is_own else 'unknown'}",
    )


def _stack(frames: List[Object], thread: Any) -> Content:
    if not frames:
        return None if thread is None else place(thread["location"])
    rows = stacks.without_turns(
        frames,
        lambda index: element("li", stacks.frame(frames[index])),
        lambda told: element("li", told, class_="muted"),
    )
    return element("ol", rows, class_="trace", aria_label="Its stack, the innermost first")
