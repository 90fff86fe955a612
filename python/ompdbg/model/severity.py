# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How bad it is what a diagnosis has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Sequence, Set

from ompdbg.model import diagnosis
from ompdbg.model.asleep import system_call
from ompdbg.model.spinning import spin_of
from ompdbg.report.severities import HELD_UP, SEVERITIES, STUCK, WAITING

__all__ = ["HELD_UP", "SEVERITIES", "STUCK", "WAITING", "is_suspicious", "severity"]

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.thread import Thread
    from ompdbg.model.waiting import Waiting

_NEVER_END = (
    diagnosis.DEADLOCK,
    diagnosis.ENDED_OWNER,
    diagnosis.LOST_THREADS,
    diagnosis.DIFFERENT_BARRIERS,
)


def severity(waiting: "Waiting", finding: "Finding") -> str:
    """One of SEVERITIES."""
    if finding.rule in _NEVER_END:
        return STUCK
    return WAITING if _somebody_works(waiting, finding) else HELD_UP


def _somebody_works(waiting: "Waiting", finding: "Finding") -> bool:
    """One of those for whom, in the end, the waiters wait neither waits nor sleeps."""
    pending = list(finding.others or _who_might(waiting))
    seen: Set[int] = set()
    while pending:
        thread = pending.pop()
        if thread.target.number in seen:
            continue
        seen.add(thread.target.number)
        if thread.wait is None and thread.target.number not in waiting.edges:
            spin = spin_of(thread)
            if spin is not None and not spin.is_endless:
                pending += waiting.process.threads  # any of them may end that
            elif spin is None and not _sleeps(waiting, thread):
                return True
            continue
        edges = waiting.edges.get(thread.target.number, [])
        known = [edge.thread for edge in edges if edge.thread is not None]
        pending += known or _who_might(waiting)
    return False


def _sleeps(waiting: "Waiting", thread: "Thread") -> bool:
    call = system_call(thread)
    return waiting.is_asleep(thread) or (call is not None and call.waits_outside)


def _who_might(waiting: "Waiting") -> "List[Thread]":
    """The threads that may do what is waited for, if it is not known who has to."""
    return [
        thread
        for thread in waiting.process.threads
        if thread.openmp is not False and (thread.wait is None or thread.wait.kind != "idle")
    ]


def is_suspicious(waiting: "Waiting", findings: "Sequence[Finding]") -> bool:
    """Something was found that does not happen in a program that runs well, or seldom."""
    return any(severity(waiting, finding) != WAITING for finding in findings)
