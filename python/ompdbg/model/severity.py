# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How bad it is what a diagnosis has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Sequence

from ompdbg.model import diagnosis

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.thread import Thread
    from ompdbg.model.waiting import Waiting

STUCK = "stuck"  # it cannot go on
HELD_UP = "held_up"  # it waits for what sleeps: perhaps for ever
WAITING = "waiting"  # as a program that runs well does, too, at any moment

# From the worst on.
SEVERITIES = (STUCK, HELD_UP, WAITING)

_NEVER_END = (diagnosis.DEADLOCK, diagnosis.ENDED_OWNER, diagnosis.DIFFERENT_BARRIERS)


def severity(waiting: "Waiting", finding: "Finding") -> str:
    """One of SEVERITIES."""
    if finding.rule in _NEVER_END:
        return STUCK
    if all(waiting.is_asleep(thread) for thread in finding.others or _who_might(waiting)):
        return HELD_UP
    return WAITING


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
