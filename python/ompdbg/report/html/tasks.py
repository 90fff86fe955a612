# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks: as a graph where they depend on one another, as a tree, and counted by function."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from ompdbg.report.html import words
from ompdbg.report.html.drawing import LETTERS, Edge, Node, figure
from ompdbg.report.html.markup import Content, Markup, element, folded
from ompdbg.report.numbers import counted

Object = Dict[str, Any]

_MOST_NODES, _MOST_NEAR, _MOST_CENTRES = 40, 24, 8
_MOST_ALIKE = 4  # tasks in a row of the tree
_MOST_LISTED = 300
# Those of most interest first.
_STATUSES = ("running", "detached", "suspended", "started", "creating", "blocked", "queued")
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
        _graph(report, tasks["listed"]),
        _counts(report["task_counts"]),
        _tree(report, tasks),
    ]


# ---- The graph ------------------------------------------------------------------------------


def _graph(report: Object, listed: List[Object]) -> Content:
    """Draw tasks that depend on one another; of many, constructs, and the tasks around those that
    run or are blocked."""
    known = {task["id"]: task for task in listed}
    pairs = [
        (task["id"], other)
        for task in listed
        for other in dict.fromkeys(task["dependers"] or ())
        if other in known and other != task["id"]
    ]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    told = "Each task waits for those above it that lead to it."
    if len(names) > _MOST_NODES:
        near = _around(pairs, known)
        told = f"{len(near)} tasks, those that run or are blocked and what is around them. {told}"
        names = near
    label = f"{len(names)} tasks and their dependences"
    edges = [Edge(*pair) for pair in pairs]
    return [
        _by_construct(report, known, pairs) if len(listed) > _MOST_NODES else None,
        figure([_node(known[name]) for name in names], edges, label, told) if names else None,
    ]


def _around(pairs: List[Tuple[str, str]], known: Dict[str, Object]) -> List[str]:
    """Return names of tasks: those of most interest, and in turn those next to them."""
    beside: Dict[str, List[str]] = {}
    for begin, end in pairs:
        beside.setdefault(begin, []).append(end)
        beside.setdefault(end, []).append(begin)
    pending = sorted(beside, key=lambda name: _rank(known[name]))[:_MOST_CENTRES]
    found = dict.fromkeys(pending)
    for name in pending:  # which grows
        for other in beside[name]:
            if other not in found and len(found) < _MOST_NEAR:
                found[other] = None
                pending.append(other)
    return list(found)


def _rank(task: Object) -> int:
    status = task["status"]
    return _STATUSES.index(status) if status in _STATUSES else len(_STATUSES)


def _node(task: Object) -> Node:
    place = words.place_text(words.place_of(task["function"]))
    name, _, line = place.rpartition(" at ")
    status = task["status"]
    if task["thread"] is not None:
        status += f", thread {task['thread']}"
    href = None if task["thread"] is None else f"#{words.anchor(task['thread'])}"
    number = "" if task.get("number") is None else f"#{task['number']} "
    lines = [number + (name or line or "task"), line if name else "", status]
    return Node(task["id"], lines, _tone(task), ", ".join(_described(task)), href)


def _by_construct(
    report: Object, known: Dict[str, Object], pairs: List[Tuple[str, str]]
) -> Content:
    """Draw the constructs: which tasks create those of another, and which wait for them."""
    statuses: Dict[str, Counter[str]] = {}
    for row in report["task_counts"] or []:
        statuses.setdefault(_construct(row), Counter())[row["status"]] += row["count"]
    edges: Dict[Tuple[str, str], str] = {}
    for task in known.values():
        parent = known.get(task["parent"])
        if parent is not None and task["kind"] in _GENERATED:
            edges[(_construct(parent), _construct(task))] = "creates"
    for begin, end in pairs:
        edges[(_construct(known[begin]), _construct(known[end]))] = ""
    names = list(dict.fromkeys(name for pair in edges for name in pair))[:_MOST_NODES]
    nodes = []
    for name in names:
        counts = statuses.get(name, Counter())
        told = ", ".join(f"{count:,} {status}" for status, count in counts.most_common())
        where, _, line = name.rpartition(" at ")
        title = ", ".join(filter(None, (name, told)))
        if len(told) > LETTERS:
            told = counted(sum(counts.values()), "task")
        tone = next((one for one in _STATUSES if counts[one]), "other")
        nodes.append(Node(name, [where or line, line if where else "", told], tone, title))
    if not nodes:
        return None
    told = (
        "Constructs: a line leads to tasks that wait for these; a dashed one, to those that they"
    )
    return [
        element("h3", "By construct"),
        figure(
            nodes,
            [Edge(*pair, tone) for pair, tone in edges.items()],
            "Constructs and their tasks",
            f"{told} create.",
        ),
    ]


def _construct(task: Object) -> str:
    """Return how the construct of a task is called."""
    if task["kind"] not in _GENERATED:
        return f"{task['kind']} tasks"
    return words.place_text(words.place_of(task["function"])) or "code unknown"


def _tone(task: Object) -> str:
    return str(task["status"]) if str(task["status"]).isalpha() else "other"


# ---- The tree -------------------------------------------------------------------------------


def _tree(report: Object, tasks: Object) -> Content:
    """Draw who created whom; of many tasks, those of most interest and what created them."""
    listed = tasks["listed"]
    if not any(task["kind"] in _GENERATED for task in listed):
        return element("p", "There are no explicit tasks.", class_="muted")
    known = {task["id"]: task for task in listed}
    shown = _chosen(listed, known)
    left = Counter(task["parent"] for task in listed if task["id"] not in shown)
    more = {one["like"]: one["count"] for one in tasks["more"]}
    children: Dict[Optional[str], List[Object]] = {}
    roots: Dict[Optional[str], List[Object]] = {}
    for task in listed:
        if task["id"] not in shown:
            continue
        if task["kind"] in _GENERATED and task["parent"] in known:
            children.setdefault(task["parent"], []).append(task)
        else:
            roots.setdefault(task["team"], []).append(task)
    labels = {team["id"]: f"Region {team['label']}" for team in report["teams"] or []}
    parts = [
        element(
            "details",
            element("summary", labels.get(team, "Outside of parallel regions")),
            element("ul", list(_branches(tops, children, more, left)), class_="tasks"),
            open=True,
        )
        for team, tops in roots.items()
        if any(task["id"] in children or task["kind"] in _GENERATED for task in tops)
    ]
    total = element(
        "p", f"{counted(tasks['total'], 'task')} with the implicit ones.", class_="note"
    )
    return [element("h3", "Who created whom"), parts, total]


def _chosen(listed: List[Object], known: Dict[str, Object]) -> Set[str]:
    """Return the identities of the tasks that the tree shows."""
    found: Set[str] = set()
    for task in sorted(listed, key=_rank):
        if len(found) >= _MOST_LISTED:
            break
        above: Optional[Object] = task
        while above is not None and above["id"] not in found:
            found.add(above["id"])
            above = known.get(above["parent"]) if above["kind"] in _GENERATED else None
    return found


def _branches(
    tops: List[Object],
    children: Dict[Optional[str], List[Object]],
    more: Dict[str, int],
    left: Dict[Optional[str], int],
) -> Iterator[Markup]:
    """Draw branches without recursion: a chain of tasks may be long. Of tasks that are alike, most
    are folded."""
    seen: Set[str] = set()
    pending: List[Tuple[List[Object], int]] = [(alike, 0) for alike in _alike(tops, children)]
    while pending:
        alike, depth = pending.pop()
        alike = [task for task in alike if task["id"] not in seen]
        seen.update(task["id"] for task in alike)
        first = alike[0] if alike else {"id": None, "kind": None}
        below = children.get(first["id"], [])
        if first["kind"] not in _GENERATED and not below and not left[first["id"]]:
            continue  # an implicit task that created none
        yield from folded([_row(task, depth) for task in alike], _MOST_ALIKE, "like these", "ul")
        hidden = sum(more.get(task["id"], 0) for task in alike)
        for count, told, deeper in ((hidden, "more like it", 0), (left[first["id"]], "more", 1)):
            if count:
                kind = f"muted depth{min(depth + deeper, 12)}"
                yield element("li", f"… and {count:,} {told}", class_=kind)
        pending.extend((one, depth + 1) for one in _alike(below, children))


def _alike(tasks: List[Object], children: Dict[Optional[str], List[Object]]) -> List[List[Object]]:
    """Group tasks that stand in a row and have created none, the last group first."""
    found: List[List[Object]] = []
    before: Any = None
    for task in tasks:
        key: Any = (task["kind"], task["status"], _construct(task))
        key = None if task["id"] in children or task["thread"] is not None else key
        if found and key is not None and key == before:
            found[-1].append(task)
        else:
            found.append([task])
        before = key
    return found[::-1]


def _row(task: Object, depth: int) -> Markup:
    return element(
        "li",
        element("span", _linked_title(task), class_="who"),
        words.badge(_tone(task), task["status"]),
        " ",
        words.place(words.place_of(task["function"])),
        [element("span", word, class_="more") for word in _more_words(task)],
        class_=f"depth{min(depth, 12)}",
    )


def _linked_title(task: Object) -> Content:
    if task["kind"] == "implicit" and task["thread"] is not None:
        return ["implicit task of ", words.threads([task["thread"]])]
    return words.task_title(task)


def _more_words(task: Object) -> List[Content]:
    told: List[Content] = []
    if task["kind"] in _GENERATED and task["thread"] is not None:
        told.append(["on ", words.threads([task["thread"]])])
    return [*told, *_properties(task)]


def _properties(task: Object) -> List[str]:
    told = [flag.replace("_", " ") for flag in task["flags"]]
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
    title = words.task_title(task)
    head = title if function is None else f"{title} of {function.get('title') or function['name']}"
    return [head, str(task["status"]), *_properties(task)]


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
            element("td", words.badge(_tone(row), row["status"])),
            element("td", words.place(words.place_of(row["function"])) or "unknown"),
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
