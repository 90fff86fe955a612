# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a program does not go on, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

from ompdbg.model.severity import severity
from ompdbg.render import json
from ompdbg.render.why import headline
from ompdbg.render.why_notes import notes

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.waiting import Waiting


def finding_json(waiting: "Waiting", finding: "Finding") -> Dict[str, Any]:
    """A finding: as in the text, and with the numbers of threads."""
    return {
        "rule": finding.rule,
        "certain": finding.certain,
        "severity": severity(waiting, finding),
        "text": headline(finding),
        "notes": notes(waiting, finding),
        "waiters": [thread.target.number for thread in finding.waiters],
        "waits_for": [thread.target.number for thread in finding.others],
        "region": None if finding.region is None else json.identity(finding.region.team.id),
        "lock": None if finding.lock is None else finding.lock.symbol,
        "task": None if finding.task is None else json.identity(finding.task.id),
        "chain": [
            {
                "thread": edge.waiter.target.number,
                "waits_for": None if edge.thread is None else edge.thread.target.number,
                "kind": edge.kind,
                "certain": edge.certain,
                "lock": None if edge.lock is None else edge.lock.symbol,
                "task": None if edge.task is None else json.identity(edge.task.id),
            }
            for edge in finding.edges
        ],
    }
