# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables that fit a terminal: columns give way in a set order, and no line wraps."""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ompdbg.render.palette import PLAIN, TITLE, Paint, Palette, as_it_is

_GAP = "  "
_CUT = "..."


def cut(text: str, width: int) -> str:
    """The text, or as much of its begin as fits."""
    if len(text) <= width:
        return text
    return text[: max(width - len(_CUT), 0)] + _CUT[: max(width, 0)]


def cut_place(text: str, width: int) -> str:
    """`work at hang.c:12` cut down: the place is worth more than the whole name."""
    name, at, place = text.rpartition(" at ")
    if len(text) <= width or not at or len(at + place) + len(_CUT) >= width:
        return cut(text, width)
    return cut(name, width - len(at + place)) + at + place


class Column(NamedTuple):
    """One column."""

    title: str
    right: bool = False  # aligned
    squeeze: Optional[int] = None  # may be cut down to this width; None: never
    cut: Callable[[str, int], str] = cut  # how a cell is cut down
    paint: Paint = as_it_is  # a cell that was cut down
    drop: int = 0  # which column goes first where space is short: the highest; 0: never


def wrap(text: str, width: Optional[int]) -> List[str]:
    """The text broken between words, for lines that sum up."""
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


def natural_width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """How wide the table is if nothing is cut."""
    widths = _natural(columns, rows)
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    width: Optional[int],
    palette: Palette = PLAIN,
) -> List[str]:
    """Lines of a table of at most `width` columns (None: as wide as it is), the head first."""
    columns, rows = _drop(columns, rows, width)
    widths = _squeeze(columns, rows, width)
    head = _line(columns, [column.title for column in columns], widths)
    lines = [head, *(_line(columns, row, widths) for row in rows)]
    if width is not None and any(len(line) > width for line in lines):
        return [cut(line, width) for line in lines]  # too narrow even for the least widths
    heads = [column._replace(paint=_paint_title) for column in columns]
    painted = [_line(heads, [column.title for column in columns], widths, palette)]
    painted.extend(_line(columns, row, widths, palette) for row in rows)
    return painted


def without_empty(
    columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> Tuple[List[Column], List[List[str]]]:
    """The table without the columns that say nothing."""
    kept = [i for i in range(len(columns)) if not rows or any(row[i] for row in rows)]
    return [columns[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> List[int]:
    return [
        max([len(column.title), *(len(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    ]


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    widths = _natural(columns, rows)
    for index, column in enumerate(columns):
        if column.squeeze is not None:
            widths[index] = min(widths[index], max(column.squeeze, len(column.title)))
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _drop(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: Optional[int]
) -> Tuple[Sequence[Column], Sequence[Sequence[str]]]:
    while width is not None and _least(columns, rows) > width:
        order = max(column.drop for column in columns)
        if order == 0:
            break
        gone = [column.drop for column in columns].index(order)
        columns = [column for index, column in enumerate(columns) if index != gone]
        rows = [[cell for index, cell in enumerate(row) if index != gone] for row in rows]
    return columns, rows


def _squeeze(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: Optional[int]
) -> List[int]:
    widths = _natural(columns, rows)
    if width is None:
        return widths
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    # The last columns give way first.
    for index in reversed(range(len(columns))):
        squeeze = columns[index].squeeze
        if squeeze is None or excess <= 0:
            continue
        least = max(squeeze, len(columns[index].title))
        given = min(excess, max(widths[index] - least, 0))
        widths[index] -= given
        excess -= given
    return widths


def _paint_title(palette: Palette, text: str) -> str:
    return palette.paint(TITLE, text)


def _line(
    columns: Sequence[Column],
    cells: Sequence[str],
    widths: Sequence[int],
    palette: Palette = PLAIN,
) -> str:
    parts = []
    for column, cell, width in zip(columns, cells, widths):
        text = column.cut(cell, width)
        space = " " * (width - len(text))
        painted = column.paint(palette, text)
        parts.append(space + painted if column.right else painted + space)
    return _GAP.join(parts).rstrip()
