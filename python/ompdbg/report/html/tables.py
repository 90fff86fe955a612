# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report has as plain tables: threads, locks, control variables, the runtime."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.html.times import duration

Object = Dict[str, Any]

_SCOPES = ("process", "thread", "region", "task")
_SOURCES = {
    "none": "unknown",
    "runtime": "told by the runtime itself",
    "debug_info": "from debug information",
    "table": "built-in table",
}


class Number(NamedTuple):
    """A cell with a number, by which the table can be sorted, and how it is written."""

    value: Optional[float]  # None: unknown
    text: str = ""


Cell = Union[Content, Number]


def table(
    titles: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    kind: str = "",
    kinds: Sequence[str] = (),
) -> Markup:
    """Return a table whose rows become blocks on a narrow page: each cell has its title. `kinds`:
    of rows, by which the page can be filtered."""
    rows = list(rows)
    numeric = [all(isinstance(cell, Number) for cell in cells) for cells in zip(*rows)]
    head = [
        element("th", title, scope="col", class_="number" if is_number else None)
        for title, is_number in zip(titles, numeric)
    ]
    body = [
        element("tr", [_cell(cell, title) for title, cell in zip(titles, row)], data_kind=mark)
        for row, mark in zip_longest(rows, kinds)
    ]
    name = f"wide {kind}".strip()
    return element(
        "table", element("thead", element("tr", head)), element("tbody", body), class_=name
    )


def _cell(cell: Cell, title: str) -> Markup:
    if not isinstance(cell, Number):
        return element("td", cell, data_label=title)
    if cell.value is None:
        return element("td", "?", data_label=title, class_="number muted", data_value="-1")
    told = cell.text or f"{cell.value:,}"
    return element("td", told, data_label=title, class_="number", data_value=f"{cell.value:g}")


# ---- Threads, locks -------------------------------------------------------------------------


def threads(report: Object) -> Content:
    """One row for each."""
    labels = {team["id"]: team["label"] for team in report["teams"] or []}
    rows = [
        [
            words.thread_link(
                thread["gdb"], kind="crashed" if words.kind_of(thread) == words.CRASHED else None
            ),
            thread["lwp"],
            words.member_text(thread),
            labels.get(thread["team"], ""),
            element("span", words.does(thread), class_=f"does {words.kind_of(thread)}"),
            thread["task_kind"] or "",
            words.place(thread["location"]),
        ]
        for thread in report["threads"] or []
    ]
    if not rows:
        return element("p", "The threads could not be read.", class_="muted")
    titles = ("Thread", "LWP", "OMP", "Region", "Does", "Task", "Where")
    kinds = [words.kind_of(thread) for thread in report["threads"]]
    return table(titles, rows, "threads", kinds)


def locks(report: Object) -> Content:
    """Who holds what, and who waits."""
    places = {thread["gdb"]: thread["location"] for thread in report["threads"] or []}
    rows: List[Sequence[Content]] = []
    for lock in report["locks"] or []:
        title = words.lock_title(lock)
        rows.append(
            [
                element("code", title),
                _owner(lock),
                words.thread_links(lock["waiters"]),
                words.place(places.get(lock["owner"])),
            ]
        )
    if not rows:
        return element("p", "No thread was found waiting for a lock.", class_="muted")
    return table(("Lock", "Owner", "Waiters", "Where the owner is"), rows)


def _owner(lock: Object) -> Content:
    if lock["owner"] is not None:
        return [words.threads([lock["owner"]]), _taken(lock)]
    if lock["owner_ended"] and lock["known_by"] == "history":
        return str(lock["reason"])
    if lock["owner_ended"]:
        return f"probably a thread that has ended: {lock['reason']}"
    if lock["held"] is False:
        return "free at this moment"
    candidates = words.candidates(lock)
    if candidates:
        return ["perhaps ", words.threads(candidates)]
    return f"unknown: {lock['reason']}" if lock["reason"] else "unknown"


def _taken(lock: Object) -> str:
    """Since when it is held, as recorded."""
    taken = lock.get("recorded")
    if not taken or taken["age"] is None:
        return ""
    where = words.place_text(taken["location"])
    held = f", taken {duration(max(taken['age'], 0))} before the end"
    return held + (where and f" in {where}")


# ---- Control variables ----------------------------------------------------------------------


def icvs(report: Object) -> Content:
    """By scope, each value with the threads that have it."""
    found = report["icvs"]
    if not found:
        return element("p", "The control variables could not be read.", class_="muted")
    everyone = max(len(row["threads"]) for row in found)
    parts: List[Markup] = []
    for scope in _SCOPES:
        rows = [_icv(row, everyone) for row in found if row["scope"] == scope]
        if rows:
            titles = ("Variable", "Value", "Threads", "Initially", "Environment")
            shown = _without_empty(titles, rows)
            parts.append(element("h3", f"{scope.capitalize()} scope"))
            parts.append(table(*shown, "variables"))
    return parts


def _icv(row: Object, everyone: int) -> Sequence[Content]:
    setting = row["environment"]
    value = row["value"]
    known: Content = value if value is not None else _not_known(row["reason"])
    return [
        element("code", row["name"]),
        known,
        words.thread_links(row["threads"]) if len(row["threads"]) < everyone else "",
        row["initial"] if row["initial"] is not None and row["initial"] != value else "",
        "" if setting is None else element("code", f"{setting['name']}={setting['value']}"),
    ]


def _not_known(reason: Optional[str]) -> Markup:
    return element("span", "unknown", f": {reason}" if reason else "", class_="muted")


def environment(report: Object) -> Content:
    """What steers each runtime."""
    found = report["environment"]
    if not found:
        return element("p", "The environment could not be read.", class_="muted")
    parts: List[Markup] = []
    for runtime in found:
        rows = [
            [element("code", one["name"]), one["value"] or "", _set_to(one)]
            for one in runtime["variables"]
            if one["value"] is not None or one["set_to"] is not None
        ]
        if len(found) > 1:
            parts.append(element("h4", runtime["runtime"]))
        left = len(runtime["variables"]) - len(rows)
        parts.append(table(*_without_empty(("Variable", "Value", "Set to"), rows), "variables"))
        if left:
            parts.append(element("p", f"{left} more are not set.", class_="muted"))
    return parts


def _set_to(variable: Object) -> str:
    told = variable["set_to"]
    return "" if told is None or told == variable["value"] else str(told)


def _without_empty(
    titles: Sequence[str], rows: Sequence[Sequence[Content]]
) -> Tuple[Sequence[str], Sequence[Sequence[Content]]]:
    kept = [n for n in range(len(titles)) if n < 2 or any(row[n] != "" for row in rows)]
    return [titles[n] for n in kept], [[row[n] for n in kept] for row in rows]


# ---- The runtime ----------------------------------------------------------------------------


def runtime(report: Object) -> Content:
    """How it is known, and what cannot be told."""
    status = report["status"]
    if status is None:
        return element("p", "The runtime could not be looked at.", class_="muted")
    rows: List[Tuple[str, Content]] = []
    for one in status["runtimes"]:
        layout = one["layout"]
        told = one["name"] if layout is None else f"{layout['runtime']}, {layout['release']}"
        if one["openmp"]["version"]:
            told += f", OpenMP {one['openmp']['version']}"
        rows.append(("Runtime", told))
        if layout is not None:
            proof = _SOURCES[layout["source"]]
            if layout["probes_agreed"]:
                proof += f", confirmed by {layout['probes_agreed']} code probes"
            if layout["doubted"]:
                proof += f"; {layout['doubted']} fields not proven, and not used"
            rows.append(("Its structures", proof))
        rows.append(("OMPD library", one["library"]["version"]))
    reasons: Dict[str, List[str]] = {}
    for missing in status["unavailable"]:
        reasons.setdefault(missing["reason"], []).append(missing["what"])
    rows += [("Unknown", f"{', '.join(names)}: {why}") for why, names in reasons.items()]
    return definitions(rows)


def definitions(rows: Iterable[Tuple[str, Content]]) -> Markup:
    """Names and what they stand for."""
    return element(
        "dl", [element("div", element("dt", name), element("dd", told)) for name, told in rows]
    )
