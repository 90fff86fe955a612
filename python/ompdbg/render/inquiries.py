# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what OMPT answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from ompdbg.render.table import Column, natural_width, table, wrap

if TYPE_CHECKING:
    from ompdbg.model.inquiries import Inquiry
    from ompdbg.render.palette import Palette

THREAD = {
    "state": "State",
    "wait_id": "Wait id",
    "data": "Tool data",
    "place": "Place",
    "partition": "Partition",
    "processor": "Processor",
}
TASK = {
    "type": "Type",
    "thread_num": "Num",
    "data": "Tool data",
    "parallel_data": "Region's data",
    "exit_frame": "Exit frame",
    "enter_frame": "Enter frame",
}
REGION = {"team_size": "Threads", "data": "Tool data"}
_TEXTS = ("state", "type")
_NUMBERS = ("place", "processor", "thread_num", "team_size")
_FRAMES = ("exit_frame", "enter_frame")
_IN_HEX = ("wait_id", "data", "parallel_data", *_FRAMES)
_OR_NONE = ("wait_id", *_FRAMES)  # zero stands for none


def inquiry_lines(
    found: "Sequence[Inquiry]", titles: Dict[str, str], width: Optional[int], palette: "Palette"
) -> List[str]:
    """One row for each, and why something is not known."""
    there = [one for one in found if "level" not in one.reasons]
    names = [name for name in titles if any(one.values.get(name) is not None for one in there)]
    lines = _rows(there, {name: titles[name] for name in names}, width, palette) if there else []
    for reason in [*_reasons(there, titles, names), *_missing(found)]:
        lines.extend(wrap(reason, width))
    return lines


def _rows(
    found: "Sequence[Inquiry]", titles: Dict[str, str], width: Optional[int], palette: "Palette"
) -> List[str]:
    levels = any(one.level is not None for one in found)
    first = [Column("Thread"), *([Column("Level", right=True)] if levels else [])]
    columns = first + [
        Column(title, right=name in _NUMBERS, squeeze=8 if name in _TEXTS else None)
        for name, title in titles.items()
    ]
    rows, last = [], None
    for one in found:
        row = [one.thread.target.label if one.thread is not last else ""]
        row += [str(one.level)] if levels else []
        rows.append(row + [_text(name, one.values.get(name)) for name in titles])
        last = one.thread
    below = [name for name in _FRAMES if name in titles]
    if not below or width is None or natural_width(columns, rows) <= width:
        below = []
    kept = [i for i, name in enumerate([""] * len(first) + list(titles)) if name not in below]
    rows = [[row[i] for i in kept] for row in rows]
    lines = table([columns[i] for i in kept], rows, width, palette)
    told = lines[:1]
    for one, line in zip(found, lines[1:]):
        told.append(line)
        told += [f"{'':15}{detail}" for detail in _details(one, bool(below))]
    return told


def _details(one: "Inquiry", frames: bool) -> List[str]:
    """What has no column."""
    said = []
    if frames and (one.values["exit_frame"] or one.values["enter_frame"]):
        leave, enter = (_text(name, one.values.get(name)) for name in _FRAMES)
        said.append(f"exit frame {leave}, enter frame {enter}")
    memory = one.values.get("memory")
    if memory is not None:
        said.append(f"{memory[1]} bytes of memory at {memory[0]:#x}")
    return said


def _reasons(
    found: "Sequence[Inquiry]", titles: Dict[str, str], shown: Sequence[str]
) -> List[str]:
    """What is not known at all is told by column, what is missing in places by thread."""
    nothing: Dict[str, List[str]] = {}
    told = []
    for one in found:
        for name, reason in one.reasons.items():
            if name == "next":
                label = one.thread.target.label
                told.append(
                    f"Thread {label}: what is below level {one.level} is not known: {reason}."
                )
            elif name in shown or name not in titles:
                told.append(f"{titles.get(name, name.capitalize())} ?: {reason}.")
            else:
                without = nothing.setdefault(reason, [])
                without += [name] if name not in without else []
    # A runtime that keeps nothing of a tool keeps no frames for it.
    frames = all(name in titles and name not in shown for name in _FRAMES)
    said = []
    for reason, names in nothing.items():
        words = [titles[name].lower() for name in names]
        words += ["frames"] if frames and "data" in names else []
        said.append(f"No {' and no '.join(words)}: {reason}.")
    return said + list(dict.fromkeys(told))


def _missing(found: "Sequence[Inquiry]") -> List[str]:
    """Of threads that have no such level."""
    threads: Dict[str, List[str]] = {}
    for one in found:
        if "level" in one.reasons:
            reason = f"no level {one.level}: {one.reasons['level']}."
            threads.setdefault(reason, []).append(one.thread.target.label)
    return [
        f"Thread{'s' if len(labels) > 1 else ''} {', '.join(labels)}: {reason}"
        for reason, labels in threads.items()
    ]


def _text(name: str, value: Any) -> str:
    if value is None:
        return "?"
    if name == "type":  # of implicit tasks the rest is always the same
        return ", ".join(value) if "explicit" in value else str(value[0])
    if name == "partition":
        first, last = value
        return str(first) if first == last else f"{first}-{last}"
    if name in _OR_NONE and not value:
        return "-"
    return f"{value:#x}" if name in _IN_HEX and value else str(value)


def inquiry_json(one: "Inquiry") -> Dict[str, Any]:
    """The same as JSON."""
    values = {
        name: f"{value:#x}" if name in _IN_HEX and value is not None else value
        for name, value in one.values.items()
    }
    memory = values.get("memory")
    if memory is not None:
        values["memory"] = {"address": f"{memory[0]:#x}", "size": memory[1]}
    thread = {"thread": one.thread.target.number, "level": one.level}
    return {**thread, **values, "reasons": one.reasons}
