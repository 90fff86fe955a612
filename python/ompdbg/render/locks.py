# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of locks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from ompdbg.model.locks import BY_CODE
from ompdbg.render import json
from ompdbg.render.palette import Palette
from ompdbg.render.table import Column, cut_place, table, wrap
from ompdbg.render.threads import place
from ompdbg.render.unseen import nobody, unseen

if TYPE_CHECKING:
    from ompdbg.model.locks import Lock
    from ompdbg.model.process import Process

_COLUMNS = (
    Column("Lock", squeeze=16, paint=Palette.wait),
    Column("Owner", squeeze=5),
    Column("Waiting threads", squeeze=8),
    Column("Where the owner is", squeeze=20, cut=cut_place, paint=Palette.place),
)


def lock_table(
    process: "Process", locks: "Sequence[Lock]", width: Optional[int], palette: Palette
) -> List[str]:
    """One row for each, and why owners are not known."""
    unknown = unseen(process.threads, width)
    if not locks:
        return [*nobody(process.threads, "waits for a lock"), *unknown]
    lines = table(_COLUMNS, [_row(lock) for lock in locks], width, palette)
    for reason in dict.fromkeys(_reason(lock) for lock in locks):
        lines.extend(wrap(reason, width) if reason else [])
    return [*lines, *unknown]


def _row(lock: "Lock") -> List[str]:
    owner = "?"
    where = ""
    if lock.owner is not None:
        mark = "?" if lock.how == BY_CODE else ""
        owner, where = lock.owner.target.label + mark, place(lock.owner.location)
    elif lock.owner_ended:
        owner = "ended?"
    elif lock.is_held is False:
        owner = "none"
    waiters = ", ".join(thread.target.label for thread in lock.waiters)
    return [lock.title, owner, waiters, where]


def _reason(lock: "Lock") -> str:
    if lock.owner is not None:
        return "? after an owner: inferred from its code" if lock.how == BY_CODE else ""
    return f"{lock.title}: {reason(lock)}" if lock.reason else ""


def reason(lock: "Lock") -> str:
    """What is known of a lock whose owner is not."""
    held = "it is held; " if lock.is_held and not lock.owner_ended else ""
    return f"{held}{lock.reason}"


def lock_json(lock: "Lock") -> Dict[str, Any]:
    """The same as JSON."""
    return {
        "kind": lock.kind,
        "address": json.identity(lock.address),
        "symbol": lock.symbol,
        "runtime": lock.runtime.name,
        "held": lock.is_held,
        "owner": None if lock.owner is None else lock.owner.target.number,
        "owner_ended": lock.owner_ended,
        "known_by": lock.how,
        "reason": lock.reason,
        "taken_in": json.location_or_none(lock.taken),
        "waiters": [thread.target.number for thread in lock.waiters],
    }
