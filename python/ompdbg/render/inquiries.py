# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what OMPT answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence

from ompdbg.render.table import Column, table, wrap

if TYPE_CHECKING:
    from ompdbg.model.inquiries import Inquiry
    from ompdbg.render.palette import Palette

THREAD = {
    "state": "State",
    "wait_id": "Wait id",
    "data": "Tool data",
    "place": "Place",
    "partition": "Partition",
}
TASK = {
    "type": "Type",
    "thread_num": "Num",
    "data": "Data",
    "parallel_data": "Region",
    "exit_frame": "Exit frame",
    "enter_frame": "Enter frame",
}
REGION = {"team_size": "Threads", "data": "Data"}
_OTHERS = {"level": "Level", "next": "Next level"}
_TEXTS = ("state", "type")
_IN_HEX = ("wait_id", "data", "parallel_data", "exit_frame", "enter_frame")


def inquiry_lines(
    found: "Sequence[Inquiry]", titles: Dict[str, str], width: Optional[int], palette: "Palette"
) -> List[str]:
    """One row for each, and why something is not known."""
    levels = any(one.level is not None for one in found)
    columns = [Column("Thread"), *([Column("Level", right=True)] if levels else [])]
    columns += [
        Column(title, squeeze=8 if name in _TEXTS else None) for name, title in titles.items()
    ]
    rows = []
    for one in found:
        row = [one.thread.target.label, *([str(one.level)] if levels else [])]
        rows.append(row + [_text(name, one.values.get(name)) for name in titles])
    lines = table(columns, rows, width, palette)
    for reason in _reasons(found, titles):
        lines.extend(wrap(reason, width))
    return lines


def _reasons(found: "Iterable[Inquiry]", titles: Dict[str, str]) -> List[str]:
    told = (
        f"{_OTHERS.get(name) or titles.get(name, name)} ?: {reason}"
        for one in found
        for name, reason in one.reasons.items()
    )
    return list(dict.fromkeys(told))


def _text(name: str, value: Any) -> str:
    if value is None:
        return "?"
    if name == "type":  # of implicit tasks the rest is always the same
        return ", ".join(value) if "explicit" in value else str(value[0])
    if name == "partition":
        first, last = value
        return str(first) if first == last else f"{first}-{last}"
    return f"0x{value:x}" if name in _IN_HEX and value else str(value)


def inquiry_json(one: "Inquiry") -> Dict[str, Any]:
    """The same as JSON."""
    values = {
        name: f"{value:#x}" if name in _IN_HEX and value is not None else value
        for name, value in one.values.items()
    }
    thread = {"thread": one.thread.target.number, "level": one.level}
    return {**thread, **values, "reasons": one.reasons}
