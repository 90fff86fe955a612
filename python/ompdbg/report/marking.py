# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts to each thread of a report what other sections tell of it: that a signal has ended it, or
where it sleeps."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from ompdbg.report import crash
from ompdbg.report.html.words import DOES, ENDED_BY, SLEEPS

Object = Dict[str, Any]


def marked(report: Object) -> Object:
    """The report; groups of threads in regions are parted where they are marked differently."""
    marks = _marks(report)
    if not marks:
        return report
    threads, regions = report["threads"], report["regions"]
    if threads is not None:
        threads = [{**one, **marks.get(one["gdb"], {})} for one in threads]
    if regions is not None:
        regions = [{**one, "groups": _parted(one["groups"], marks)} for one in regions]
    return {**report, "threads": threads, "regions": regions}


def _marks(report: Object) -> Dict[int, Object]:
    """By number of the thread."""
    found: Dict[int, Object] = {}
    for one in report.get("doing") or []:
        word = "sleeps in" if one["in_kernel"] else "in"
        found[one["thread"]] = {
            DOES: f"{word} {one['function']}",
            SLEEPS: one["in_kernel"],
        }
    ended = crash.of_report(report)
    if ended is not None and ended["thread"] is not None:
        found[ended["thread"]] = {ENDED_BY: ended["signal"]}
    return found


def _parted(groups: List[Object], marks: Dict[int, Object]) -> List[Object]:
    found: List[Object] = []
    for group in groups:
        if group["region"] is not None:
            found.append(group)
            continue
        parts: Dict[Tuple[Tuple[str, Any], ...], List[Tuple[int, int]]] = {}
        for number, member in zip(group["threads"], group["thread_nums"]):
            mark = tuple(marks.get(number, {}).items())
            parts.setdefault(mark, []).append((number, member))
        for mark, pairs in parts.items():
            numbers = {
                "threads": [number for number, _ in pairs],
                "thread_nums": [member for _, member in pairs],
            }
            found.append({**group, **numbers, **dict(mark)})
    return found
