# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said where not of every thread something is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Sequence

from ompdbg.render.numbers import counted
from ompdbg.render.table import wrap

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread


def nobody(threads: "Sequence[Thread]", does: str) -> List[str]:
    """No thread does so, as far as that is known: `No thread that is stopped waits for a lock.`"""
    running = sum(1 for thread in threads if thread.target.running)
    failed = sum(1 for thread in threads if thread.error is not None)
    if threads and running + failed == len(threads):
        return []
    who = " of which something is known" if failed else " that is stopped" if running else ""
    return [f"No thread{who} {does}."]


def unseen(threads: "Sequence[Thread]", width: Optional[int]) -> List[str]:
    """Of how many threads nothing is known, and why; [] if there are none."""
    running = sum(1 for thread in threads if thread.target.running)
    failed = [thread for thread in threads if thread.error is not None]
    lines: List[str] = []
    if running:
        runs = "runs" if running == 1 else "run"
        lines += wrap(f"Nothing is known of {counted(running, 'thread')} that {runs}.", width)
    if failed:
        reason = failed[0].error
        lines += wrap(f"Nothing is known of {counted(len(failed), 'thread')}: {reason}.", width)
    return lines
