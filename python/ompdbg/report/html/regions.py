# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Teams and their threads as a picture: each group of threads is a lane that leads to the barrier
of its region, and ends where the threads are."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element, folded
from ompdbg.report.numbers import counted

Object = Dict[str, Any]

# More threads in a lane than this are drawn without their numbers.
_NUMBERED = 24
_MOST_DRAWN = 1024
_MOST_LANES = 24


def picture(report: Object) -> Content:
    """All regions, those within others in them, and the threads outside of them."""
    regions = report["regions"]
    if regions is None:
        return element("p", "The regions could not be read.", class_="muted")
    locks = {lock["address"]: lock for lock in report["locks"] or [] if lock["address"]}
    known = {region["id"] for region in regions}
    inner: Dict[Optional[str], List[Object]] = {}
    for region in regions:
        parent = region["parent"] if region["parent"] in known else None
        inner.setdefault(parent, []).append(region)
    drawn = [_region(region, inner, locks) for region in inner.get(None, [])]
    if not regions:
        drawn = [element("p", "No parallel region is active.", class_="muted")]
    return [drawn, _outside(report)]


def legend(report: Object) -> Content:
    """What the colours stand for."""
    groups = [group for region in report["regions"] or [] for group in region["groups"]]
    found = {words.kind_of(group) for group in groups if group["region"] is None}
    told = (
        (words.CRASHED, "ended by a signal"),
        (words.AT_BARRIER, "at a barrier"),
        (words.AT_LOCK, "at a lock or critical region"),
        (words.FOR_TASKS, "waits for tasks"),
        (words.ASLEEP, "sleeps elsewhere"),
        (words.WORKS, "works"),
        (words.OTHER, "something else"),
    )
    items = [
        element("li", element("i", class_=f"tile {kind}"), name, data_kind=kind)
        for kind, name in told
        if kind in found
    ]
    legend_items = element("ul", items, class_="legend", aria_label="Colours")
    return [
        element(
            "p",
            "Numbers of threads are GDB's, and lead to their stacks; ",
            element("a", "All threads", href="#threads"),
            " has the OpenMP number and the LWP of each.",
            class_="note",
        ),
        legend_items if len(items) > 1 else None,
    ]


def _region(
    region: Object, inner: Dict[Optional[str], List[Object]], locks: Dict[str, Object]
) -> Markup:
    opened = region["opened"]
    size = "?" if region["size"] is None else counted(region["size"], "thread")
    groups = [group for group in region["groups"] if group["region"] is None]
    # Who has not come is of more interest.
    order = {words.CRASHED: 0, words.AT_BARRIER: 2}
    groups.sort(key=lambda group: order.get(words.kind_of(group), 1))
    within = inner.get(region["id"], [])
    return element(
        "article",
        element(
            "h3",
            f"Region {region['label']}",
            element("span", f" {size}", class_="muted"),
        ),
        None
        if opened is None
        else element("p", "opened in ", words.place(opened), class_="opened"),
        _progress(region["progress"]),
        element(
            "ul",
            folded(
                [_lane(group, region["size"], locks) for group in groups],
                _MOST_LANES,
                "groups of threads",
                "ul",
            ),
            class_="lanes",
        )
        if groups
        else None,
        [_region(one, inner, locks) for one in within],
        class_="region",
    )


def _progress(progress: Optional[Object]) -> Content:
    if progress is None:
        return None
    total = progress["total"]
    arrived = min(progress["arrived"] + progress["arrived_end"], total)
    is_apart = progress.get("several", False)
    words_of = [f"{arrived} of {total} at {'different barriers' if is_apart else 'the barrier'}"]
    if progress.get("unsure"):
        words_of.append(f"{progress['unsure']} there or just leaving it")
    if progress["tasks_left"]:
        words_of.append("tasks are left")
    if progress["cancelled"]:
        words_of.append("cancelled")
    told = ", ".join(words_of)
    if is_apart:  # no full bar stands for them
        return element("div", element("p", told), class_="arrival")
    bar = element(
        "svg",
        element("rect", width="100%", height="6", rx="3", class_="rest"),
        element(
            "rect", width=f"{100 * arrived // max(total, 1)}%", height="6", rx="3", class_="come"
        ),
        class_="progress",
        height="6",
        width="100%",
        role="img",
        aria_label=told,
    )
    return element("div", element("p", told), bar, class_="arrival")


def _lane(group: Object, size: Optional[int], locks: Dict[str, Object]) -> Markup:
    kind = words.kind_of(group)
    return element(
        "li",
        element("div", _tiles(group, kind, size), class_="who"),
        element("span", class_="track", aria_hidden="true"),
        element(
            "span",
            element("span", words.does(group), class_=f"does {kind}"),
            " ",
            words.place(group["location"]),
            _owner(group, locks),
            class_="what",
        ),
        class_=f"lane {kind}{' crowded' if len(group['threads']) > _NUMBERED else ''}",
        data_kind=kind,
    )


def _owner(group: Object, locks: Dict[str, Object]) -> Content:
    lock = locks.get(group["wait"]["address"]) if group["wait"] is not None else None
    if lock is None:
        return None
    if lock["owner"] is None:
        perhaps = words.candidates(lock)
        told = ["perhaps held by ", words.threads(perhaps)]
        return element("span", told, class_="owner") if perhaps else None
    return element("span", "held by ", words.threads([lock["owner"]]), class_="owner")


def _tiles(group: Object, kind: str, size: Optional[int]) -> Content:
    """A box for each thread, with the number that it has everywhere on the page."""
    numbers: List[int] = group["threads"]
    if len(numbers) <= _NUMBERED:
        return [
            element(
                "a",
                number,
                href=f"#{words.anchor(number)}",
                class_=f"tile {kind}",
                title=f"thread {number} ({member}/{size or '?'})",
            )
            for number, member in sorted(zip(numbers, group["thread_nums"]))
        ]
    tiles = [element("i", class_=f"tile small {kind}") for _ in numbers[:_MOST_DRAWN]]
    return [
        element("div", words.threads(numbers), class_="many"),
        element("span", tiles, class_="crowd", aria_hidden="true"),
    ]


def _outside(report: Object) -> Content:
    found = [thread for thread in report["threads"] or [] if not thread["level"]]
    if not found:
        return None
    rows = [
        element(
            "li",
            element("div", words.threads(numbers), class_="who"),
            element("span", words.does(first), class_=f"does {words.kind_of(first)}"),
            words.place(first["location"]),
        )
        for first, numbers in words.merged(found)
    ]
    return element(
        "article",
        element("h3", "Outside of parallel regions"),
        element("ul", folded(rows, _MOST_LANES, "groups of threads", "ul"), class_="rows"),
        class_="region outside",
    )
