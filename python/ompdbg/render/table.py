# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables that fit a terminal: columns give way in a set order, and no line wraps."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ompdbg.render.palette import PLAIN, TITLE, Paint, Palette, as_it_is
from ompdbg.text import visible

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


def wrap(text: str, width: Optional[int], between: str = " ") -> List[str]:
    """The text broken between words, or behind the commas of a list, for lines that sum up."""
    text = visible(text)
    if width is None or len(text) <= width:
        return [text]
    lines = [""]
    *words, last = text.split(between)
    for word in [*(word + between.rstrip() for word in words), last]:
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(_GAP + word)
    return [cut(line, width) for line in lines]


def natural_width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """How wide the table is if nothing is cut."""
    return _total(_natural(columns, [[visible(cell) for cell in row] for row in rows]))


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    width: Optional[int],
    palette: Palette = PLAIN,
) -> List[str]:
    """Lines of a table of at most `width` columns (None: as wide as it is), the head first."""
    rows = [[visible(cell) for cell in row] for row in rows]
    columns, rows = _drop(columns, rows, width)
    natural = _natural(columns, rows)
    widths = natural if width is None else _squeeze(columns, natural, width)
    rows = _cut(columns, rows, [ours < full for ours, full in zip(widths, natural)], widths)
    titles = [column.title for column in columns]
    if width is not None and _total(widths) > width:
        lines = _lines(columns, [titles, *rows], widths)
        if any(len(line) > width for line in lines):
            return [cut(line, width) for line in lines]  # too narrow even for the least widths
    if palette.is_plain:
        return _lines(columns, [titles, *rows], widths)
    heads = [column._replace(paint=_paint_title) for column in columns]
    return _painted(heads, [titles], widths, palette) + _painted(columns, rows, widths, palette)


def without_empty(
    columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> Tuple[List[Column], List[List[str]]]:
    """The table without the columns that say nothing."""
    kept = [i for i in range(len(columns)) if not rows or any(row[i] for row in rows)]
    return [columns[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> List[int]:
    titles = [column.title for column in columns]
    return [max(map(len, cells)) for cells in zip(titles, *rows)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    widths = _natural(columns, rows)
    for index, column in enumerate(columns):
        if column.squeeze is not None:
            widths[index] = min(widths[index], max(column.squeeze, len(column.title)))
    return _total(widths)


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


def _squeeze(columns: Sequence[Column], natural: Sequence[int], width: int) -> List[int]:
    widths = list(natural)
    excess = _total(widths) - width
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


def _cut(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    squeezed: Sequence[bool],
    widths: Sequence[int],
) -> Sequence[Sequence[str]]:
    if not any(squeezed):
        return rows
    return [
        [
            column.cut(cell, width) if is_cut else cell
            for column, cell, is_cut, width in zip(columns, row, squeezed, widths)
        ]
        for row in rows
    ]


def _paint_title(palette: Palette, text: str) -> str:
    return palette.paint(TITLE, text)


def _lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int]
) -> List[str]:
    cells = (
        f"{{:{'>' if column.right else '<'}{width or ''}}}"
        for column, width in zip(columns, widths)
    )
    line = _GAP.join(cells).format
    return [line(*row).rstrip() for row in rows]


def _painted(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
    palette: Palette,
) -> List[str]:
    """What is painted has more characters than columns on the terminal."""
    known: Dict[Tuple[int, str], str] = {}  # many threads are at the same place
    lines = []
    for row in rows:
        parts = []
        for index, cell in enumerate(row):
            part = known.get((index, cell))
            if part is None:
                space = " " * (widths[index] - len(cell))
                painted = columns[index].paint(palette, cell)
                part = space + painted if columns[index].right else painted + space
                known[index, cell] = part
            parts.append(part)
        lines.append(_GAP.join(parts).rstrip())
    return lines
