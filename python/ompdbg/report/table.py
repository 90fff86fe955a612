# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows and lines that fit a terminal."""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Sequence

from ompdbg.text import visible

_GAP = "  "
_CUT = "..."


def cut(text: str, width: int) -> str:
    """Return the text, or as much of its beginning as fits."""
    if len(text) <= width:
        return text
    return text[: max(width - len(_CUT), 0)] + _CUT[: max(width, 0)]


def cut_place(text: str, width: int) -> str:
    """Cut `work at hang.c:12` down: the place is worth more than the whole name."""
    name, at, place = text.rpartition(" at ")
    if len(text) <= width or not at or len(at + place) + len(_CUT) >= width:
        return cut(text, width)
    width -= len(at + place)
    return cut(_without_scopes(name, width), width) + at + place


def _without_scopes(name: str, width: int) -> str:
    """Leave out as many scopes of a name as it takes to fit: what is in them says most."""
    depth = begin = 0
    for at, sign in enumerate(name):
        if len(name) - begin <= width:
            break
        depth += (sign in "<({") - (sign in ">)}")
        if not depth and name.startswith("::", at) and at + 2 < len(name):
            begin = at + 2
    return name[begin:]


class Column(NamedTuple):
    """One column."""

    right: bool = False  # aligned
    squeeze: Optional[int] = None  # may be cut down to this width; None: never
    cut: Callable[[str, int], str] = cut  # how a cell is cut down


def wrap(text: str, width: Optional[int]) -> List[str]:
    """Break a text between words, and indent all lines but the first."""
    text = visible(text)
    if width is None or len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(_GAP + word)
    return [cut(line, width) for line in lines]


def aligned(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: Optional[int]
) -> List[str]:
    """Return rows as lines of at most `width` columns (None: as wide as they are)."""
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    if width is not None:
        _squeeze(columns, widths, width)
    lines = []
    for row in rows:
        cells = [
            column.cut(cell, size) if column.squeeze is not None else cell
            for column, cell, size in zip(columns, row, widths)
        ]
        padded = [
            cell.rjust(size) if column.right else cell.ljust(size)
            for column, cell, size in zip(columns, cells, widths)
        ]
        line = _GAP.join(padded).rstrip()
        lines.append(line if width is None else cut(line, width))
    return lines


def _squeeze(columns: Sequence[Column], widths: List[int], width: int) -> None:
    """Make the last columns narrower first."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    for index in reversed(range(len(widths))):
        squeeze = columns[index].squeeze
        if squeeze is not None and excess > 0:
            given = min(excess, max(widths[index] - squeeze, 0))
            widths[index] -= given
            excess -= given
