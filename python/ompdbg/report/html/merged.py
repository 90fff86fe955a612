# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of many processes."""

from __future__ import annotations

import os
from collections import Counter
from posixpath import basename
from typing import Any, Dict, Iterator, List, Optional
from urllib.parse import quote

from ompdbg.report import merging
from ompdbg.report.html import tables, words
from ompdbg.report.html.diagnosis import SEVERITIES
from ompdbg.report.html.markup import Content, Markup, element, folded
from ompdbg.report.html.page import Section, whole
from ompdbg.report.numbers import counted
from ompdbg.text import encoded

Object = Dict[str, Any]

_MOST_TILES, _MOST_HOSTS = 96, 12
_DEEP = 12  # branches from there on are not indented


def page(document: Object, folder: str) -> Iterator[str]:
    """Return the lines of an HTML file. `folder`: where it will be."""
    groups = document["groups"]
    programs = {basename(group["program"] or "?") for group in groups}
    title = ", ".join(sorted(programs)) or "No process"
    head = [
        element("h1", title),
        element("p", merging.headline(document), class_="subtitle"),
        [element("p", note, class_="note") for note in merging.notes(document)],
    ]
    shared = merging.common(document)
    sections: List[Section] = [("overview", "Overview", _overview(groups, folder))]
    for number, group in enumerate(groups, 1):
        told = _group(group, document, shared, folder)
        sections.append((f"group{number}", f"Group {number}", told))
    if shared:
        sections.append(("common", "In all groups", _threads(shared)))
    sections.append(("stacks", "Stacks of all processes", _stacks(document["tree"])))
    yield from whole(title, head, sections, "reports")


def _overview(groups: List[Object], folder: str) -> Markup:
    """Show each group with a tile for each process, which leads to its page."""
    rows = [
        element(
            "li",
            element("a", f"Group {number}", href=f"#group{number}"),
            element(
                "div",
                folded(
                    [_tile(one, group, folder) for one in group["processes"]],
                    _MOST_TILES,
                    "processes",
                ),
                class_="ranks",
            ),
            element(
                "span",
                words.badge(group["severity"], SEVERITIES[group["severity"]][0]),
                " ",
                _told(group),
            ),
            class_="groups",
        )
        for number, group in enumerate(groups, 1)
    ]
    return element("ol", rows)


def _told(group: Object) -> Content:
    """Show the crash or what was found, and below that what is of less interest."""
    first = "".join(merging.found(group)[:1])
    if group["crash"]:
        below = element("span", first, class_="below muted") if first else None
        return [element("strong", group["crash"]), below]
    return [first, [element("span", one, class_="below muted") for one in merging.causes(group)]]


def _tile(process: Object, group: Object, folder: str) -> Markup:
    name = process["rank"] or process["pid"] or "?"
    where = f" on {process['host']}" if process["host"] else ""
    attributes = {"class_": f"tile {group['severity']}", "title": process["source"] + where}
    address = _address(process, folder)
    return element("b" if address is None else "a", name, href=address, **attributes)


def _address(process: Object, folder: str) -> Optional[str]:
    """Return the address of the page of a process from that folder on."""
    if process["page"] is None:
        return None
    return quote(encoded(os.path.relpath(process["page"], folder)))


def _group(group: Object, document: Object, shared: List[Object], folder: str) -> List[Content]:
    """Show where a group is, and what its threads do that not all others do."""
    severity = group["severity"]
    own = [one for one in group["threads"] if one not in shared]
    processes = [
        [
            element("a", name, href=_address(one, folder)) if one["page"] else name,
            one["pid"] or "",
            one["host"] or "",
            one["source"],
        ]
        for one in group["processes"]
        for name in [one["rank"] or one["name"] or "?"]
    ]
    hosts = Counter(one["host"] or "host unknown" for one in group["processes"])
    told = ", ".join(f"{host} ({number})" for host, number in hosts.most_common(_MOST_HOSTS))
    left = len(hosts) - _MOST_HOSTS
    return [
        element(
            "div",
            element("p", SEVERITIES[severity][0], class_="word"),
            element("p", merging.who(group, document), class_="headline"),
            element(
                "p", f"on {told}", f" and {left:,} more" if left > 0 else "", class_="meaning"
            ),
            [element("p", told, class_="meaning") for told in merging.causes(group)],
            [element("p", text, class_="meaning") for text in group["findings"]],
            class_=f"verdict {severity}",
        ),
        _threads(own),
        element("p", "The other threads do what they do in all groups.", class_="note")
        if shared
        else None,
        element(
            "details",
            element("summary", "Processes and their reports"),
            tables.table(("Rank", "Process", "Host", "Report"), processes),
        ),
    ]


def _threads(threads: List[Object]) -> Content:
    rows = [
        [
            tables.Number(one["count"], counted(one["count"], "thread")),
            element("strong", one["does"]),
            element("code", one["where"], class_="place"),
            one["region"],
        ]
        for one in threads
    ]
    return tables.table(("Threads", "Do", "Where", "Region"), rows) if rows else None


def _stacks(tree: List[Object]) -> Content:
    """Draw the stacks of all processes: frames in a row as long as the way does not part."""
    if not tree:
        return element("p", "No report has stacks.", class_="muted")
    told: List[str] = []
    depths: List[int] = []  # of the frames that are open
    for index, one in enumerate(tree):
        before = tree[index - 1] if index else None
        inner = before is not None and before["depth"] < one["depth"]
        is_same = before is not None and inner and _is_same(before, one)
        while depths and depths[-1] >= one["depth"]:
            depths.pop()
            told.append("</details>")
        name = element("code", merging.frame_text(one), class_="function", title=one["file"])
        if is_same:
            told.append(element("div", name, class_="call"))
            continue
        depths.append(one["depth"])
        count = element("span", merging.count_text(one), class_="count")
        deep = ' class="deep"' if len(depths) > _DEEP else ""
        told.append(f"<details open{deep}>")
        told.append(element("summary", name, count))
    told += ["</details>"] * len(depths)
    return element("div", Markup("".join(told)), class_="stacks")


def _is_same(outer: Object, inner: Object) -> bool:
    """Check that all threads of a frame are in the one that it called."""
    return bool(outer["threads"] == inner["threads"] and not outer["ends"])
