# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of threads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence

from ompdbg.frames import base_name
from ompdbg.model.region import END_OF_REGION
from ompdbg.render.palette import PLAIN, Palette
from ompdbg.render.table import Column, cut, cut_place, natural_width, table, without_empty, wrap

if TYPE_CHECKING:
    from ompdbg.model.thread import Location, Thread

UNKNOWN = "?"
NO_OPENMP = "no OpenMP thread"
RUNNING = "running"
HELPER = "helper"

_SHOWN_REASONS = 8

_COLUMNS = (
    Column("Thread", right=True),
    Column("OMP", right=True),
    Column("Runtime"),
    Column("Level", right=True),
    Column("Team", squeeze=8),
    Column("State", squeeze=22, paint=Palette.wait),
    Column("Waits for", squeeze=12, paint=Palette.wait),
    Column("Task", drop=1),
    Column("Where", squeeze=26, cut=cut_place, paint=Palette.place),
)
_LEVEL, _STATE, _WAITS = 3, 5, 6


def thread_table(
    threads: Sequence["Thread"], width: Optional[int], palette: Palette = PLAIN
) -> List[str]:
    """One row per thread, and a line that sums up."""
    states = [state(thread) for thread in threads]
    rows = [_row(thread, told) for thread, told in zip(threads, states)]
    columns: Sequence[Column] = _COLUMNS
    if width is not None and natural_width(columns, rows) > width:
        # What a thread waits for tells its state: one column for both.
        columns = [column for index, column in enumerate(columns) if index != _WAITS]
        rows = [_merged(row) for row in rows]
    if width is not None and natural_width(columns, rows) > width:
        # The name of a team tells how deep it is nested.
        rows = [[*row[:_LEVEL], *row[_LEVEL + 1 :]] for row in rows]
        columns = [*columns[:_LEVEL], *columns[_LEVEL + 1 :]]
    columns, rows = without_empty(columns, rows)
    lines = table(columns, rows, width, palette)
    lines.extend(wrap(summary(states), width, ", "))
    unknown = [thread for thread, told in zip(threads, states) if told == UNKNOWN]
    lines.extend(_fit(line, width) for line in _reasons(unknown))
    return lines


def place(location: "Optional[Location]") -> str:
    """`work at hang.c:12`; without debug information as much of it as is known."""
    if location is None:
        return ""
    function = location.function
    if function is None:
        return f"{location.address:#x} in {base_name(location.object_file)}"
    if location.file is None or location.line is None:
        return function
    return f"{function} at {base_name(location.file)}:{location.line}"


def where(thread: "Thread") -> str:
    """What the Where column says: of a worker at the end of its region, which has left the user's
    code, where that region was opened."""
    if thread.location is None and thread.team is not None and thread.wait is not None:
        if thread.wait.kind == END_OF_REGION:
            return place(thread.team.opened)
    return place(thread.location)


def state(thread: "Thread") -> str:
    """What the State column says."""
    if thread.target.running:
        return RUNNING
    if thread.openmp is False:
        return NO_OPENMP
    return thread.state or UNKNOWN


def state_in_words(thread: "Thread") -> str:
    """The same where there is no room for the reason why it is not known."""
    told = state(thread)
    if told != UNKNOWN or thread.openmp is None:
        return told
    return (
        "begins, or ends" if thread.is_outside else "in the runtime" if thread.in_runtime else told
    )


def summary(states: Sequence[str]) -> str:
    """`8 threads: 5 wait_barrier, 2 work_parallel, 1 no OpenMP thread`."""
    noun = "thread" if len(states) == 1 else "threads"
    if not states:
        return f"0 {noun}"
    counts = Counter("unknown" if told == UNKNOWN else told for told in states)
    parts = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return f"{len(states)} {noun}: {parts}"


def _row(thread: "Thread", told: str) -> List[str]:
    number = f"* {thread.target.label}" if thread.target.selected else thread.target.label
    team = thread.team
    if thread.is_helper:
        member = HELPER
    elif thread.thread_num is None:
        member = ""
    else:
        size = UNKNOWN if thread.team_size is None else thread.team_size
        member = f"{thread.thread_num}/{size}"
    return [
        number,
        member,
        _runtime(thread),
        "" if thread.level is None else str(thread.level),
        "" if team is None else team.label,
        told,
        "" if thread.wait is None else thread.wait.title,
        "" if thread.task is None else thread.task.kind,
        where(thread),
    ]


def _runtime(thread: "Thread") -> str:
    """Told only where there are several."""
    if thread.runtime.process is None or not thread.openmp:
        return ""
    return thread.runtime.name or UNKNOWN


def _merged(row: List[str]) -> List[str]:
    told = row[_WAITS] or row[_STATE]
    return row[:_STATE] + [told] + row[_WAITS + 1 :]


def _reasons(threads: Sequence["Thread"]) -> List[str]:
    """Why the states of these threads are not known, each reason once."""
    by_reason: Dict[str, List[str]] = {}
    for thread in threads:
        if thread.state_reason is not None:
            by_reason.setdefault(thread.state_reason, []).append(thread.target.label)
    result = []
    for reason, labels in list(by_reason.items())[:_SHOWN_REASONS]:
        noun = "thread" if len(labels) == 1 else "threads"
        shown = ", ".join(labels[:_SHOWN_REASONS])
        more = len(labels) - _SHOWN_REASONS
        shown += f" and {more} more" if more > 0 else ""
        result.append(f"{UNKNOWN} {noun} {shown}: {reason}")
    return result


def _fit(line: str, width: Optional[int]) -> str:
    return line if width is None else cut(line, width)
