# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks: as a graph where they depend on one another, as a tree, and counted by function."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ompdbg.report.numbers import counted
from ompdbg.report.html import words
from ompdbg.report.html.graph import NODE_HEIGHT, NODE_WIDTH, Point, layout
from ompdbg.report.html.markup import Content, Markup, element

Object = Dict[str, Any]

_MOST_NODES = 60
_MOST_LISTED = 400
_LETTERS = 21  # of a function's name in a node
_GENERATED = ("explicit", "target")


def shown(report: Object) -> Content:
    """All that is known of them."""
    tasks = report["tasks"]
    if tasks is None:
        return element("p", "The tasks could not be read.", class_="muted")
    notes: List[str] = []
    if tasks["damaged"]:
        notes.append("Not all lists of the runtime can be read; the rest is shown.")
    if tasks["unreached"]:
        notes.append(f"{tasks['unreached']} more are in no list of the runtime (detached, say).")
    return [
        [element("p", note, class_="note") for note in notes],
        _graph(tasks["listed"]),
        _counts(report["task_counts"]),
        _tree(report, tasks),
    ]


# ---- The graph ------------------------------------------------------------------------------


def _graph(listed: List[Object]) -> Content:
    known = {task["id"]: task for task in listed}
    pairs = [
        (task["id"], other)
        for task in listed
        for other in dict.fromkeys(task["dependers"])
        if other in known and other != task["id"]
    ]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not names:
        return None
    if len(names) > _MOST_NODES:
        told = f"{len(names)} tasks depend on one another: too many to draw."
        return element("p", told, class_="muted")
    index = {name: number for number, name in enumerate(names)}
    plan = layout(len(names), [(index[begin], index[end]) for begin, end in pairs])
    drawing = element(
        "svg",
        [_edge(points) for points in plan.edges],
        [_node(known[name], place) for name, place in zip(names, plan.nodes)],
        viewBox=f"0 0 {plan.width:g} {plan.height:g}",
        width=f"{plan.width:g}",
        height=f"{plan.height:g}",
        role="img",
        aria_label=f"{len(names)} tasks and their dependences; the tree below tells the same",
    )
    told = "Each task waits for those above it that lead to it."
    return element(
        "figure",
        element("div", drawing, class_="scroll", tabindex="0"),
        element("figcaption", told),
        class_="graph",
    )


def _edge(points: List[Point]) -> Markup:
    (x, y), *rest = points
    told = [f"M{x:g} {y:g}"]
    for next_x, next_y in rest:
        middle = (y + next_y) / 2
        told.append(f"C{x:g} {middle:g} {next_x:g} {middle:g} {next_x:g} {next_y:g}")
        x, y = next_x, next_y
    told.append(f"M{x - 4:g} {y - 7:g}L{x:g} {y:g}L{x + 4:g} {y - 7:g}")
    return element("path", d="".join(told), class_="edge")


def _node(task: Object, place: Point) -> Markup:
    x, y = place
    function = task["function"]
    name = "task" if function is None else function["name"]
    if len(name) > _LETTERS:
        name = name[: _LETTERS - 1] + "…"
    line = ""
    if function is not None and function["file"]:
        line = f"{basename(function['file'])}:{function['line']}"
    status = task["status"]
    if task["thread"] is not None:
        status += f", thread {task['thread']}"
    return element(
        "g",
        element("title", ", ".join(_described(task))),
        element("rect", width=str(NODE_WIDTH), height=str(NODE_HEIGHT), rx="4"),
        element("rect", width="4", height=str(NODE_HEIGHT), rx="2", class_="mark"),
        element("text", name, x="14", y="20", class_="name"),
        element("text", line[:_LETTERS], x="14", y="34", class_="line"),
        element("text", status, x="14", y="48", class_="status"),
        transform=f"translate({x:g} {y:g})",
        class_=f"task {_status_class(task)}",
    )


def _status_class(task: Object) -> str:
    return str(task["status"]) if str(task["status"]).isalpha() else "other"


# ---- The tree -------------------------------------------------------------------------------


def _tree(report: Object, tasks: Object) -> Content:
    listed = tasks["listed"]
    generated = sum(task["kind"] in _GENERATED for task in listed)
    if not generated:
        return element("p", "There are no explicit tasks.", class_="muted")
    if len(listed) > _MOST_LISTED:
        return element("p", f"{len(listed)} tasks are too many for a tree.", class_="muted")
    known = {task["id"] for task in listed}
    more = {one["like"]: one["count"] for one in tasks["more"]}
    children: Dict[Optional[str], List[Object]] = {}
    roots: Dict[Optional[str], List[Object]] = {}
    for task in listed:
        if task["kind"] in _GENERATED and task["parent"] in known:
            children.setdefault(task["parent"], []).append(task)
        else:
            roots.setdefault(task["team"], []).append(task)
    labels = {team["id"]: f"Region {team['label']}" for team in report["teams"] or []}
    parts = [
        element(
            "details",
            element("summary", labels.get(team, "Outside of parallel regions")),
            element("ul", list(_branches(tops, children, more)), class_="tasks"),
            open=True,
        )
        for team, tops in roots.items()
        if any(task["id"] in children or task["kind"] in _GENERATED for task in tops)
    ]
    total = element(
        "p", f"{counted(tasks['total'], 'task')} with the implicit ones.", class_="note"
    )
    return [element("h3", "Who created whom"), parts, total]


def _branches(
    tops: List[Object], children: Dict[Optional[str], List[Object]], more: Dict[str, int]
) -> Iterator[Markup]:
    """Without recursion: a chain of tasks may be long. Deep branches are indented by a class."""
    seen = set()
    pending: List[Tuple[Object, int]] = [(task, 0) for task in reversed(tops)]
    while pending:
        task, depth = pending.pop()
        if task["id"] in seen:
            continue
        seen.add(task["id"])
        below = children.get(task["id"], [])
        if task["kind"] not in _GENERATED and not below:
            continue  # an implicit task that created none
        yield element(
            "li",
            element("span", _title(task), class_="who"),
            words.badge(_status_class(task), task["status"]),
            " ",
            words.function_place(task["function"]),
            [element("span", word, class_="more") for word in _more_words(task)],
            class_=f"depth{min(depth, 12)}",
        )
        if task["id"] in more:
            yield element(
                "li",
                f"… and {more[task['id']]} more like it",
                class_=f"muted depth{min(depth, 12)}",
            )
        pending.extend((child, depth + 1) for child in reversed(below))


def _title(task: Object) -> str:
    if task["kind"] == "implicit":
        number = "?" if task["thread"] is None else task["thread"]
        return f"implicit task of thread {number}"
    return {"initial": "initial task", "target": "target task"}.get(task["kind"], "task")


def _more_words(task: Object) -> List[str]:
    told: List[str] = []
    if task["kind"] in _GENERATED and task["thread"] is not None:
        told.append(f"on thread {task['thread']}")
    told += [flag.replace("_", " ") for flag in task["flags"]]
    if task["priority"]:
        told.append(f"priority {task['priority']}")
    by_kind: Dict[str, List[str]] = {}
    for depend in task["depends"]:
        name = depend["symbol"] or depend["address"] or "all memory"
        by_kind.setdefault(depend["kind"], []).append(name)
    told += [f"{kind}: {' '.join(names)}" for kind, names in by_kind.items()]
    if task["predecessors"]:
        told.append(f"waits for {counted(task['predecessors'], 'task')}")
    return told


def _described(task: Object) -> List[str]:
    function = task["function"]
    head = _title(task) if function is None else f"{_title(task)} of {function['name']}"
    return [head, str(task["status"]), *_more_words(task)]


# ---- By function ----------------------------------------------------------------------------


def _counts(counts: Optional[List[Object]]) -> Content:
    """How many there are of each function, where there are many."""
    rows = [row for row in counts or [] if row["kind"] in _GENERATED]
    if not rows:
        return None
    most = max(row["count"] for row in rows)
    body = [
        element(
            "tr",
            element("td", f"{row['count']:,}".replace(",", "\u202f"), class_="number"),
            element("td", _bar(row["count"] / most), class_="bar", aria_hidden="true"),
            element("td", words.badge(_status_class(row), row["status"])),
            element("td", words.function_place(row["function"]) or "not known"),
        )
        for row in rows
    ]
    head = [element("th", name, scope="col") for name in ("Tasks", "", "Status", "Function")]
    table = element("table", element("thead", element("tr", head)), element("tbody", body))
    return [element("h3", "By function"), element("div", table, class_="scroll", tabindex="0")]


def _bar(share: float) -> Markup:
    width = max(round(100 * share), 1)
    bar = element("rect", width=f"{width}%", height="8", rx="2", class_="come")
    return element("svg", bar, width="100%", height="8")
