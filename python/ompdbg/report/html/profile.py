# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a profile: where the time of a run went."""

from __future__ import annotations

import datetime
from posixpath import basename
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ompdbg.report.html import timeline, words
from ompdbg.report.html.drawing import Edge, Node, figure
from ompdbg.report.html.markup import Content, Markup, element, folded, joined, stretched
from ompdbg.report.html.page import Section, facts, whole
from ompdbg.report.html.tables import Cell, Number, definitions, table
from ompdbg.report.html.times import duration
from ompdbg.report.numbers import counted

Object = Dict[str, Any]

_MOST_NODES, _MOST_ROWS = 60, 30
_MOST_TOLD = 24  # tasks of the tree in a row
_PARTS = ("creation", "pool", "execution", "suspension", "completion")


class _Profile:
    def __init__(self, document: Object) -> None:
        self.document = document
        self.constructs: List[Object] = document["constructs"]
        self.names = [_name(one) for one in self.constructs]

    def named(self, index: Optional[int]) -> Content:
        """Return what a construct is, and where."""
        if index is None:
            return "not known"
        one = self.constructs[index]
        return [_kind(one), " ", words.place(one["location"])]

    def place(self, index: Optional[int]) -> Content:
        """Return where a construct is."""
        return None if index is None else words.place(self.constructs[index]["location"])


def _kind(construct: Object) -> str:
    kind = str(construct["kind"])
    return "outside of parallel regions" if kind == "program" else kind


def _name(construct: Object) -> str:
    return " ".join(filter(None, (_kind(construct), words.place_text(construct["location"]))))


def page(document: Object) -> Iterator[str]:
    """Return the lines of an HTML file."""
    profile = _Profile(document)
    command = document["trace"]["command"] or ""
    program = basename(command.split(" ")[0]) or "OpenMP program"
    listed = {name: _listed(profile, name) for name in _LISTINGS}
    listed["path"] = [listed["path"], _graph(profile)]
    listed["tasks"] = [listed["tasks"], _tree(profile)]
    listed["threads"] = [timeline.legend(), listed["threads"]]
    sections: List[Section] = [
        ("timeline", "Timeline", timeline.shown(document, profile.names)),
        *((name, _LISTINGS[name].title, content) for name, content in listed.items()),
    ]
    if document["task"] is not None:
        sections.insert(0, ("task", f"Task {document['task']['id']}", _task(profile)))
    shown = [one for one in sections if one[2] is not None]
    yield from whole(program, _head(document, program), shown, "profile")


def _head(document: Object, program: str) -> Content:
    trace, summary = document["trace"], document["summary"]
    told = [f"Process {trace['pid']}" if trace["pid"] is not None else "Process"]
    if trace["host"]:
        told[0] += f" on {trace['host']}"
    if trace["started"]:
        started = datetime.datetime.fromtimestamp(
            trace["started"] // 10**9, datetime.timezone.utc
        )
        told.append(f"{started:%Y-%m-%d %H:%M:%S} UTC")
    told += [
        trace["runtime"] or "runtime not known",
        f"ended by {trace['ended']}" if trace["ended"] else "",
    ]
    work, span = summary["work"], summary["span"]
    rows = [
        ("Duration", duration(trace["duration"])),
        ("Threads", summary["threads"]),
        ("Tasks", f"{summary['tasks']:,}"),
        ("Regions", f"{summary['regions']:,}"),
        ("Work", _time(work)),
        ("Span", _time(span)),
        ("Parallelism", f"{work / span:.2f}" if work is not None and span else "not known"),
    ]
    notes = list(trace["notes"])
    if trace["lost"]:
        notes.append(f"{counted(trace['lost'], 'event')} of {trace['events']:,} are missing")
    return [
        element("h1", program),
        element("p", ", ".join(filter(None, told)), class_="subtitle"),
        element("p", element("code", trace["command"]), class_="subtitle"),
        facts(rows),
        [element("p", f"Note: {one}", class_="note") for one in notes],
    ]


# ---- Tables ---------------------------------------------------------------------------------


def _as_is(cell: Cell) -> Cell:
    return cell


def _time(value: Optional[float]) -> str:
    return "not known" if value is None else duration(value)


def _ns(value: Optional[float]) -> Number:
    return Number(value, "" if value is None else duration(value))


def _mean(stat: Optional[Object]) -> Number:
    return _ns(stat["sum"] / stat["known"] if stat and stat["known"] else None)


def _sum(stat: Optional[Object]) -> Number:
    return _ns(stat["sum"] if stat else None)


def _max(stat: Optional[Object]) -> Number:
    return _ns(stat["max"] if stat else None)


def _share(pair: Tuple[Optional[float], Optional[float]]) -> Number:
    part, whole = pair
    if part is None or not whole:
        return Number(None)
    return Number(part / whole, f"{100 * part / whole:.1f} %")


def _ratio(pair: Tuple[Optional[float], Optional[float]]) -> Number:
    part, whole = pair
    return (
        Number(part / whole, f"{part / whole:.2f}") if part is not None and whole else Number(None)
    )


def _range(pair: Tuple[Optional[int], Optional[int]]) -> Number:
    least, most = pair
    if least is None or most is None:
        return Number(None)
    return Number(most, f"{most:,}" if least == most else f"{least:,}-{most:,}")


def _columns_of(threads: Sequence[Object]) -> Markup:
    """Draw the time of each thread in a loop."""
    most = max((one["time"] or 0 for one in threads), default=0) or 1
    parts, told = [], []
    for index, one in enumerate(threads):
        height = max(24 * (one["time"] or 0) / most, 0.5)
        told.append(f"thread {one['thread']}: {_time(one['time'])}, {one['chunks'] or 0} chunks")
        bar = element("rect", x=index, y=f"{24 - height:.1f}", width="0.8", height=f"{height:.1f}")
        parts.append(element("g", element("title", told[-1]), bar))
    box = f"0 0 {max(len(threads), 4)} 24"
    return stretched(parts, box, "columns", "; ".join(told[:_MOST_TOLD]))


class _Listing(NamedTuple):
    """A section with a table: of each column the title, the member, and how it is written."""

    title: str
    columns: Sequence[Tuple[str, str, Callable[[Any], Cell]]]
    note: str = ""
    nothing: str = ""  # where there are no rows; else the section is left out


_LISTINGS = {
    "path": _Listing(
        "Longest path",
        (("Time", "time", _ns), ("Of the path", "of_path", _share), ("Tasks", "tasks", Number)),
        "With any number of threads, the run takes at least as long as this path.",
        "No path is known.",
    ),
    "tasks": _Listing(
        "Tasks",
        (
            ("Tasks", "instances", Number),
            ("Work", "work", _ns),
            *((part.capitalize(), part, _mean) for part in _PARTS),
            ("Longest", "execution", _max),
            ("Suspended", "suspensions", Number),
        ),
        "Work is the sum of all tasks; creation to completion are means of a task.",
        "No explicit task was created.",
    ),
    "regions": _Listing(
        "Regions",
        (
            ("Entered", "instances", Number),
            ("Time", "time", _sum),
            ("Threads", "sizes", _range),
            ("Parallelism", "parallelism", _ratio),
            ("Imbalance", "lost", _share),
            ("At barriers", "at_barriers", _share),
        ),
        "Imbalance: how much more the busiest thread of a region works than the mean of all, as a"
        " share of its own work.",
        "No parallel region was entered.",
    ),
    "loops": _Listing(
        "Loops",
        (
            ("Schedule", "told_schedule", _as_is),
            ("Entered", "instances", Number),
            ("Iterations", "iterations", Number),
            ("Chunks", "told_chunks", _as_is),
            ("Size", "told_size", _as_is),
            ("Imbalance", "lost", _share),
            ("Threads", "threads", _columns_of),
        ),
        "The columns are the time of each thread in the loop.",
    ),
    "locks": _Listing(
        "Locks",
        (
            ("Taken", "count", Number),
            ("Waiting", "wait", _sum),
            ("Mean", "wait", _mean),
            ("Longest", "wait", _max),
            ("Held", "hold", _sum),
            ("Mean held", "hold", _mean),
            ("Where", "where", lambda places: folded(places, 4, "places")),
        ),
    ),
    "waits": _Listing(
        "Waits",
        (
            ("Visits", "count", Number),
            ("Waiting", "wait", _sum),
            ("Mean", "wait", _mean),
            ("Longest", "wait", _max),
        ),
    ),
    "threads": _Listing(
        "Threads",
        (
            ("LWP", "lwp", str),
            ("Name", "name", lambda name: element("span", name or "", class_="one-line")),
            ("Time", "shares", joined),
            *((told.capitalize(), name, _ns) for name, told in timeline.LANES.items()),
            ("Tasks", "tasks", Number),
        ),
    ),
}


def _more(profile: _Profile, name: str, one: Object) -> Object:
    """Return what follows from the members of a row; `what` is in its first cell."""
    if name == "path":
        return {"of_path": (one["time"], profile.document["summary"]["span"])}
    if name == "regions":
        slowest, average = one["slowest"], one["average"]
        return {
            "sizes": (one["threads_min"], one["threads_max"]),
            "parallelism": (one["work"], one["span"]),
            "lost": (None if average is None else (slowest or 0) - average, slowest),
            "at_barriers": (one["barrier_wait"], one["thread_time"]),
        }
    if name == "loops":
        times = [thread["time"] or 0 for thread in one["threads"]] or [0]
        lost = max(times) - sum(times) / len(times)
        is_loop = profile.constructs[one["construct"]]["kind"] == "loop"
        untold = Number(None) if is_loop else Number(0, "none")
        return {
            "told_schedule": one["schedule"] or ("not known" if is_loop else "none"),
            "told_chunks": Number(one["chunks"]) if one["chunks"] else untold,
            "told_size": _range((one["chunk_min"], one["chunk_max"])) if one["chunks"] else untold,
            "lost": (lost, max(times)),
        }
    if name == "locks":
        places = [
            element("div", profile.place(place["construct"]), f", {place['count']:,} times")
            for place in one["places"]
        ]
        lock = element("code", one["symbol"] or one["address"] or "not known")
        return {"where": places, "what": [one["kind"], " ", lock]}
    if name == "threads":
        return {
            "shares": timeline.shares(one),
            "what": Number(one["thread"], f"thread {one['thread']}"),
        }
    return {}


def _listed(profile: _Profile, name: str) -> Content:
    """Show a section's table, a long one with most of its rows folded; None: there is nothing."""
    listing = _LISTINGS[name]
    titles = ["Thread" if name == "threads" else "Lock" if name == "locks" else "Construct"]
    titles += [title for title, _, _ in listing.columns]
    rows: List[Sequence[Cell]] = []
    for one in profile.document[name]:
        row = {**one, **_more(profile, name, one)}
        first = row["what"] if "what" in row else profile.named(row["construct"])
        rows.append([first, *(write(row[member]) for _, member, write in listing.columns)])
    if not rows:
        return element("p", listing.nothing, class_="muted") if listing.nothing else None
    told = [table(titles, rows[:_MOST_ROWS])]
    if rows[_MOST_ROWS:]:
        more = element("summary", f"{len(rows) - _MOST_ROWS:,} more {listing.title.lower()}")
        told.append(element("details", more, table(titles, rows[_MOST_ROWS:])))
    note = element("p", listing.note, class_="note") if listing.note else None
    return [note, element("div", told, class_="scroll", tabindex="0")]


# ---- The graph and the tree -----------------------------------------------------------------


def _graph(profile: _Profile) -> Content:
    """Draw which constructs lead to which."""
    document = profile.document
    # What depends is drawn over what creates.
    edges = [
        Edge(one["from"], one["to"], "creates" if one["kind"] == "creates" else "")
        for one in sorted(document["edges"], key=lambda one: str(one["kind"]))
    ]
    wanted: Dict[int, None] = {}
    for one in document["edges"]:
        wanted.update({one["from"]: None, one["to"]: None})
    on_path = {one["construct"] for one in document["path"]}
    tasks = {one["construct"]: one for one in document["tasks"]}
    nodes = []
    for index in list(wanted)[:_MOST_NODES]:
        construct, task = profile.constructs[index], tasks.get(index)
        place = words.place_text(construct["location"])
        where, at, line = place.rpartition(" at ")
        told = "" if task is None else f"{task['instances']:,} in {_time(task['work'])}"
        lines = [f"{_kind(construct)} {where if at else place}".strip(), line if at else "", told]
        tone = "critical" if index in on_path else "other"
        nodes.append(Node(index, lines, tone, f"{profile.names[index]}: {told}"))
    told = (
        "A dashed line leads to tasks that are created there, a solid line to tasks that wait for"
        " these by their dependences. Marked: constructs on the longest path."
    )
    return figure(nodes, edges, "Constructs and their tasks", told) if nodes else None


def _tree(profile: _Profile) -> Content:
    """Show who created whom, of some tasks: each with those that it created below it."""
    found = profile.document["tree"]
    ids = {task["id"] for task in found["tasks"]}
    children: Dict[int, List[Object]] = {}
    for task in reversed(found["tasks"]):
        children.setdefault(task["parent"] if task["parent"] in ids else 0, []).append(task)
    rows = []
    waiting = [(task, 0) for task in children.get(0, [])]
    while waiting:
        task, depth = waiting.pop()
        rows.append(_tree_row(profile, task, depth))
        waiting += ((child, depth + 1) for child in children.get(task["id"], []))
    if not rows:
        return None
    left = found["left_out"]
    more = element("p", f"{counted(left, 'task')} are left out.", class_="note") if left else None
    told = element("ul", folded(rows, _MOST_TOLD, "tasks", "ul"), class_="tasks")
    return [element("h3", "Who created whom"), told, more]


def _tree_row(profile: _Profile, task: Object, depth: int) -> Markup:
    told = [f"{part} {duration(task[part])}" for part in _PARTS if task[part] is not None]
    if task["thread"] is not None:
        told.insert(0, f"on thread {task['thread']}")
    if task["below"]:
        told.append(f"{counted(task['below'], 'task')} below it")
    return element(
        "li",
        element("span", f"task {task['id']}", class_="who"),
        profile.place(task["construct"]),
        [element("span", word, class_="more") for word in told],
        class_=f"depth{min(depth, 12)}",
    )


def _task(profile: _Profile) -> Content:
    """Show the one that was asked for."""
    task = profile.document["task"]
    moments = [_time(task[key]) for key in ("created", "begun", "ended")]
    parent = f"task {task['parent']}" if task["parent"] else "an implicit task"
    children = ", ".join(map(str, task["child_ids"]))
    rows: List[Tuple[str, Content]] = [
        ("Construct", profile.named(task["construct"])),
        ("Flags", ", ".join(task["flags"]) or "none"),
        ("Created by", f"thread {task['creator']}, in {parent}"),
        ("Run by threads", ", ".join(map(str, task["threads"])) or "none"),
        ("Created, begun, ended", ", ".join(moments)),
        *((part.capitalize(), _time(task[part])) for part in _PARTS),
        ("Children", f"{task['children']:,}: {children}" if children else "none"),
    ]
    return definitions(rows)
