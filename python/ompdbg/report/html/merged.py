# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of many processes."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Dict, Iterator, List

from ompdbg.report.numbers import counted
from ompdbg.report import merging
from ompdbg.report.html import tables, words
from ompdbg.report.html.diagnosis import SEVERITIES
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.html.page import Section, whole

Object = Dict[str, Any]

_MOST_TILES = 1024


def page(document: Object) -> Iterator[str]:
    """The lines of an HTML file."""
    groups = document["groups"]
    programs = {basename(group["program"] or "?") for group in groups}
    title = ", ".join(sorted(programs)) or "No process"
    head = [
        element("h1", title),
        element("p", merging.headline(document), class_="subtitle"),
        [element("p", note, class_="note") for note in merging.notes(document)],
    ]
    sections: List[Section] = [("overview", "Overview", [_overview(groups)])]
    for number, group in enumerate(groups, 1):
        sections.append((f"group{number}", f"Group {number}", _group(group, document)))
    yield from whole(title, head, sections)


def _overview(groups: List[Object]) -> Markup:
    """Each group with a tile for each process."""
    rows = [
        element(
            "li",
            element("a", f"Group {number}", href=f"#group{number}"),
            element("span", _tiles(group), class_="ranks"),
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
    """The crash or what was found, and below that what is of less interest."""
    first = str(group["findings"][0]) if group["findings"] else "No thread waits for another."
    if group["crash"]:
        return [element("strong", group["crash"]), element("span", first, class_="below muted")]
    return [first, [element("span", one, class_="below muted") for one in merging.causes(group)]]


def _tiles(group: Object) -> List[Markup]:
    return [
        element(
            "b",
            process["rank"] or process["pid"] or "",
            class_=f"tile {group['severity']}",
            title=process["source"],
        )
        for process in group["processes"][:_MOST_TILES]
    ]


def _group(group: Object, document: Object) -> List[Markup]:
    rows = [
        [
            counted(one["count"], "thread"),
            element("strong", one["does"]),
            element("code", one["where"], class_="place"),
            one["region"],
        ]
        for one in group["threads"]
    ]
    processes = [
        [process["rank"] or "", process["pid"] or "", process["host"] or "", process["source"]]
        for process in group["processes"]
    ]
    severity = group["severity"]
    return [
        element(
            "div",
            element("p", SEVERITIES[severity][0], class_="word"),
            element("p", merging.who(group, document), class_="headline"),
            [element("p", told, class_="meaning") for told in merging.causes(group)],
            [element("p", text, class_="meaning") for text in group["findings"]],
            class_=f"verdict {severity}",
        ),
        tables.table(("Threads", "Do", "Where", "Region"), rows),
        element(
            "details",
            element("summary", "Where this was read"),
            tables.table(("Rank", "Process", "Host", "Report"), processes),
        ),
    ]
