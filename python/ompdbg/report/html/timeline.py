# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The run of a program: a row for each thread, where the height of a colour is its share of the
time. The script of the page zooms it, and tells what is under the pointer."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence

from ompdbg.report.html.markup import Content, Markup, element, stretched
from ompdbg.report.html.times import duration

Object = Dict[str, Any]

_HEIGHT = 16  # of a row; shares are multiples of one of these
_DENSE = 48  # rows; more are thin, and few of them have a name
_NAMED = 8
_FIRST_LANE = 4  # in a slice
_TICKS = 5
# By the names in JSON.
LANES = {
    "work": "work",
    "barrier_wait": "barriers",
    "task_wait": "waits for tasks",
    "lock_wait": "waits for locks",
    "runtime": "runtime",
    "idle": "idle",
}


def legend() -> Markup:
    """Tell what the colours are."""
    items = [
        element("li", element("i", class_=f"tile lane-{name}"), told)
        for name, told in LANES.items()
    ]
    return element("ul", items, class_="legend", aria_label="Colours")


def shares(thread: Object) -> Markup:
    """Draw how a thread has spent its time."""
    whole = sum(thread[name] or 0 for name in LANES) or 1
    told = ", ".join(
        f"{name} {100 * (thread[key] or 0) / whole:.0f} %" for key, name in LANES.items()
    )
    at, parts = 0.0, []
    for name in LANES:
        width = 100 * (thread[name] or 0) / whole
        parts.append(
            element("rect", x=f"{at:.2f}", width=f"{width:.2f}", height=8, class_=f"lane-{name}")
        )
        at += width
    return stretched(parts, "0 0 100 8", "shares", told)


def shown(profile: Object, names: Sequence[str]) -> Content:
    """Draw all rows. `names`: of constructs."""
    timeline = profile["timeline"]
    rows, count = timeline["rows"], timeline["buckets"]
    if not rows or not count:
        return element("p", "No time is known.", class_="muted")
    dense = len(rows) > _DENSE
    drawn = [
        _row(
            f"thread {row['thread']}" if not dense or index % _NAMED == 0 else "",
            _lanes(row["slices"], timeline["lanes"]),
            count,
            f"thread {row['thread']}",
            index,
        )
        for index, row in enumerate(rows)
    ]
    begin, bucket = timeline["begin"], timeline["bucket"]
    ticks = [
        element(
            "span",
            duration(begin + bucket * count * index // _TICKS),
            style=f"left: {100 * index / _TICKS:g}%",
        )
        for index in range(_TICKS)
    ]
    most = max(timeline["pool"], default=0)
    pool = _row("pool", _pool(timeline["pool"], most), count, "Tasks in the pool", None)
    data = {
        "begin": begin,
        "bucket": bucket,
        "buckets": count,
        "names": names,
        "lanes": [LANES.get(lane, lane) for lane in timeline["lanes"]],
        "threads": [row["thread"] for row in rows],
        "rows": [row["slices"] for row in rows],
        "pool": timeline["pool"],
    }
    told = (
        f"A step is {duration(bucket)}; --from and --to, in seconds, show a part in finer steps."
    )
    if most:
        told += f" Last row: tasks in the pool, at most {most / 1000:,.3g} as the mean of a step."
    return [
        legend(),
        element(
            "figure",
            element("div", class_="tools", hidden=True),
            element(
                "div",
                element("div", element("span"), element("div", ticks, class_="ticks")),
                drawn,
                pool if most else None,
                class_="times dense" if dense else "times",
                tabindex="0",
                role="region",
                aria_label="Timeline",
            ),
            element("figcaption", told),
            element("script", _data(data), type="application/json"),
            class_="timeline",
        ),
    ]


def _row(name: str, content: Content, count: int, told: str, index: Optional[int]) -> Markup:
    drawing = stretched(content, f"0 0 {count} {_HEIGHT}", "row", told, index)
    return element("div", element("span", name), drawing)


def _lanes(slices: Sequence[Sequence[Any]], lanes: Sequence[str]) -> List[Markup]:
    """Draw slices: a path for each lane, the first lane at the bottom."""
    paths: List[List[str]] = [[] for _ in lanes]
    for one in slices:
        first, count, times = one[0], one[1], one[_FIRST_LANE:]
        whole = sum(times) or 1
        bottom, before = _HEIGHT, 0
        for index, time in enumerate(times[: len(lanes)]):
            before += time
            top = _HEIGHT - round(_HEIGHT * before / whole)
            if top < bottom:
                paths[index].append(f"M{first} {top}h{count}v{bottom - top}h-{count}z")
                bottom = top
    return [
        element("path", d="".join(parts), class_=f"lane-{name}")
        for name, parts in zip(lanes, paths)
        if parts and name in LANES
    ]


def _pool(pool: Sequence[int], most: int) -> Markup:
    """Draw how many tasks wait, step by step."""
    points = [
        f"L{index} {_HEIGHT - _HEIGHT * value / (most or 1):.1f}h1"
        for index, value in enumerate(pool)
    ]
    return element("path", d=f"M0 {_HEIGHT}{''.join(points)}V{_HEIGHT}z", class_="pool")


def _data(data: Object) -> Markup:
    """Return a document for the script; nothing in it can end the element."""
    told = json.dumps(data, separators=(",", ":"))
    return Markup(told.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e"))
