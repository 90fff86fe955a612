# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report has as plain tables: threads, locks, control variables, the runtime."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ompdbg.report.numbers import ranges
from ompdbg.report.html import moments, words
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.marking import ENDED_BY

Object = Dict[str, Any]

_SCOPES = ("process", "thread", "region", "task")
_SOURCES = {
    "none": "not known",
    "runtime": "told by the runtime itself",
    "debug_info": "from debug information",
    "table": "built-in table",
}


def table(titles: Sequence[str], rows: Iterable[Sequence[Content]], kind: str = "") -> Markup:
    """A table whose rows become blocks where the page is narrow: each cell has its title."""
    head = element("tr", [element("th", title, scope="col") for title in titles])
    body = [
        element("tr", [element("td", cell, data_label=title) for title, cell in zip(titles, row)])
        for row in rows
    ]
    name = f"wide {kind}".strip()
    return element("table", element("thead", head), element("tbody", body), class_=name)


# ---- Threads, locks -------------------------------------------------------------------------


def threads(report: Object) -> Content:
    """One row for each."""
    labels = {team["id"]: team["label"] for team in report["teams"] or []}
    rows = [
        [
            element("b", thread["gdb"], class_="crashed" if thread.get(ENDED_BY) else None),
            thread["lwp"],
            _member(thread),
            labels.get(thread["team"], ""),
            element("span", words.does(thread), class_=f"does {words.kind_of(thread)}"),
            thread["task_kind"] or "",
            words.place(thread["location"]),
        ]
        for thread in report["threads"] or []
    ]
    if not rows:
        return element("p", "The threads could not be read.", class_="muted")
    titles = ("Thread", "LWP", "OpenMP number", "Region", "Does", "Task", "Where")
    return table(titles, rows, "threads")


def _member(thread: Object) -> str:
    if thread["thread_num"] is None:
        return ""
    size = "?" if thread["team_size"] is None else thread["team_size"]
    return f"{thread['thread_num']} of {size}"


def locks(report: Object) -> Content:
    """Who holds what, and who waits."""
    places = {thread["gdb"]: thread["location"] for thread in report["threads"] or []}
    rows: List[Sequence[Content]] = []
    for lock in report["locks"] or []:
        title = words.wait_title(lock)
        rows.append(
            [
                element("code", title),
                _owner(lock),
                ranges(lock["waiters"]),
                words.place(places.get(lock["owner"])),
            ]
        )
    if not rows:
        return element("p", "No thread waits for a lock.", class_="muted")
    return table(("Lock", "Owner", "Waiting threads", "Where the owner is"), rows)


def _owner(lock: Object) -> str:
    if lock["owner"] is not None:
        return f"thread {lock['owner']}{_taken(lock)}"
    if lock["owner_ended"] and lock["known_by"] == "history":
        return str(lock["reason"])
    if lock["owner_ended"]:
        return f"probably a thread that has ended: {lock['reason']}"
    if lock["held"] is False:
        return "free at this moment"
    candidates = words.candidates(lock)
    if candidates:
        return f"perhaps {words.threads_text(candidates)}"
    return f"not known: {lock['reason']}" if lock["reason"] else "not known"


def _taken(lock: Object) -> str:
    """Since when it is held, as recorded."""
    taken = lock.get("recorded")
    if not taken or taken["age"] is None:
        return ""
    where = words.place_text(taken["location"])
    held = f", taken {moments.duration(max(taken['age'], 0))} before the end"
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
            parts.append(element("h3", f"Of the {scope}"))
            parts.append(table(*shown, "variables"))
    return parts


def _icv(row: Object, everyone: int) -> Sequence[Content]:
    setting = row["environment"]
    value = row["value"]
    known: Content = value if value is not None else _not_known(row["reason"])
    return [
        element("code", row["name"]),
        known,
        ranges(row["threads"]) if len(row["threads"]) < everyone else "",
        row["initial"] if row["initial"] is not None and row["initial"] != value else "",
        "" if setting is None else element("code", f"{setting['name']}={setting['value']}"),
    ]


def _not_known(reason: Optional[str]) -> Markup:
    return element("span", "not known", f": {reason}" if reason else "", class_="muted")


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
    rows += [("Cannot be told", f"{', '.join(names)}: {why}") for why, names in reasons.items()]
    return definitions(rows)


def definitions(rows: Iterable[Tuple[str, Content]]) -> Markup:
    """Names and what they stand for."""
    return element(
        "dl", [element("div", element("dt", name), element("dd", told)) for name, told in rows]
    )
