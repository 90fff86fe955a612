# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What else is to be known of what a diagnosis has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, List

from ompdbg.model import diagnosis
from ompdbg.model.locks import BY_CODE
from ompdbg.render.locks import reason
from ompdbg.render.why_words import task_text, threads_text

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.waiting import Waiting


def notes(waiting: "Waiting", finding: "Finding") -> List[str]:
    """What else is to be known of a finding."""
    found: List[str] = []
    locks = [edge.lock for edge in finding.edges if edge.lock is not None]
    if finding.rule in (diagnosis.DEADLOCK, diagnosis.HELD_LOCK):
        if any(lock.how == BY_CODE for lock in locks):
            found.append("The runtime records no owners: inferred from the threads' code")
    if finding.lock is not None and finding.lock.owner is None and finding.lock.reason:
        if finding.rule in (diagnosis.HELD_LOCK, diagnosis.ENDED_OWNER):
            told = reason(finding.lock)
            found.append(told[:1].upper() + told[1:])
    tasks = {edge.task.id: edge.task for edge in finding.edges if edge.task is not None}
    if finding.rule in (diagnosis.DEADLOCK, diagnosis.TASK_WAIT):
        found.extend(task_text(task) for task in tasks.values())
    if finding.rule == diagnosis.ORDERED_TURN and _none_is_left(waiting, finding):
        found.append(
            "All threads of the region wait there or at a barrier: one of them is just about to "
            "go on, or none ever will"
        )
    if finding.rule == diagnosis.LOST_THREADS:
        found.append(
            "The runtime has records of them, and the process has no such threads: after fork(), "
            "a child has only the thread that called it"
        )
    if finding.rule == diagnosis.UNFULFILLED_EVENT and finding.task is None:
        found.append(
            "The runtime lists no detached tasks: inferred, as a task is not done that is neither "
            "queued nor blocked nor begun"
        )
    if finding.rule == diagnosis.DEADLOCK:
        others = diagnosis.behind(waiting, finding.waiters)
        if others:
            verb = "waits" if len(others) == 1 else "wait"
            found.append(f"{threads_text(others).capitalize()} {verb} for them")
    return found


def _none_is_left(waiting: "Waiting", finding: "Finding") -> bool:
    """It is not known whose turn it is, and all other threads of the region wait at barriers."""
    region = waiting.region_of(finding.waiters[0])
    if region is None or finding.lock is None or finding.lock.owner is not None:
        return False
    if len(region.members) != region.team.size:
        return False
    others = [t for t in region.members.values() if t not in finding.waiters]
    return all(thread in region.at_barrier.values() for thread in others)
