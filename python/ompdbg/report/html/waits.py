# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws who waits for whom: threads, the locks, barriers and tasks for which they wait, and the
threads that hold these up."""

from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ompdbg.report.html import words
from ompdbg.report.html.drawing import Edge, Node, figure
from ompdbg.report.html.markup import Content
from ompdbg.report.numbers import counted

Object = Dict[str, Any]

_MOST_NODES = 60
_MOST_TASKS = 6  # more that are queued share a box
# Of a long circle of threads, those that are drawn at its beginning and its end.
_LONGEST, _FIRST, _LAST = 8, 3, 2
_HIDDEN = "hidden"
_UNSURE = "unsure"


class _Thing(NamedTuple):
    """What threads wait for, and threads wait by: a lock, a barrier, tasks; or hidden threads."""

    kind: str
    name: Hashable


class _Graph:
    def __init__(self, report: Object) -> None:
        self.report = report
        self.threads = {one["gdb"]: one for one in report["threads"] or []}
        self.labels = {team["id"]: team["label"] for team in report["teams"] or []}
        self.locks = {
            waiter: index
            for index, lock in enumerate(report["locks"] or [])
            for waiter in lock["waiters"]
        }
        self.hidden: Dict[int, _Thing] = {}
        self.edges: Dict[Tuple[Hashable, Hashable], str] = {}

    def add(
        self, waiters: Iterable[int], thing: _Thing, others: Iterable[int], sure: bool
    ) -> None:
        """Add threads that wait for a thing, and those that hold it up."""
        waiting = [self.hidden.get(one, one) for one in waiters]
        holding = [self.hidden.get(one, one) for one in others]
        if waiting and all(one in self.hidden.values() for one in waiting + holding):
            return
        for one in waiting:
            self.edges[(one, thing)] = ""
        for one in holding:
            if self.edges.get((thing, one)) != "":
                self.edges[(thing, one)] = "" if sure else _UNSURE

    def lock_of(self, waiter: int, otherwise: Any) -> _Thing:
        """Return the lock for which a thread waits."""
        return _Thing("lock", self.locks.get(waiter, otherwise))


def graph(report: Object) -> Content:
    """Draw all waits; None if there are none."""
    found = _Graph(report)
    findings = report["findings"] or []
    for finding in findings:
        _hide_middle(found, finding)
    for finding in findings:
        _add_finding(found, finding)
    for index, lock in enumerate(report["locks"] or []):
        owner = lock["owner"]
        others = words.candidates(lock) if owner is None else [owner]
        if lock["held"] is not False:
            found.add(lock["waiters"], _Thing("lock", index), others, owner is not None)
    if not found.edges:
        return None
    return _drawn(found)


def _hide_middle(found: _Graph, finding: Object) -> None:
    """Put one node in place of most threads of a long circle."""
    circle = [edge["thread"] for edge in finding["chain"]]
    if finding["rule"] == "deadlock" and len(circle) > _LONGEST:
        middle = circle[_FIRST:-_LAST]
        found.hidden.update(dict.fromkeys(middle, _Thing(_HIDDEN, tuple(middle))))


def _add_finding(found: _Graph, finding: Object) -> None:
    rule, waiters, others = finding["rule"], finding["waiters"], finding["waits_for"]
    are_many = rule == "queued" and len(finding["chain"]) > _MOST_TASKS
    for edge in () if are_many else finding["chain"]:
        _add_edge(found, edge)
    if rule in ("barrier", "different_barriers", "lost_threads"):
        found.add(waiters, _Thing("barrier", finding["region"]), others, True)
    elif rule in ("lock", "ordered", "owner_ended") and waiters:
        found.add(waiters, found.lock_of(waiters[0], finding["lock"]), others, finding["certain"])
    elif rule in ("event", "queued"):
        name = finding["region"] if are_many else finding["task"] or finding["region"]
        found.add(waiters, _Thing("task", name), others, finding["certain"])


def _add_edge(found: _Graph, edge: Object) -> None:
    thread, kind = edge["thread"], edge["kind"]
    others = [] if edge["waits_for"] is None else [edge["waits_for"]]
    if kind in ("lock", "turn"):
        thing = found.lock_of(thread, edge["lock"])
    elif kind == "barrier":
        thing = _Thing(kind, found.threads.get(thread, {}).get("team"))
    else:
        thing = _Thing("task", edge["task"] or found.threads.get(thread, {}).get("team"))
    found.add([thread], thing, others, edge["certain"])


# ---- The picture ----------------------------------------------------------------------------


def _drawn(found: _Graph) -> Content:
    members = _groups(found)
    group_of = {one: key for key, alike in members.items() for one in alike}
    nodes = [_node(found, key, alike) for key, alike in members.items()]
    edges = [
        Edge(group_of[begin], group_of[end], tone) for (begin, end), tone in found.edges.items()
    ]
    told = [
        "Arrows lead from who waits to what it waits for, and from there to who holds it up;",
        " one that is inferred is dashed.",
    ]
    left_out = len(nodes) - _MOST_NODES
    if left_out > 0:
        told.append(f" {left_out} more boxes are not drawn.")
    return figure(nodes[:_MOST_NODES], edges, "Who waits for whom", told)


def _groups(found: _Graph) -> Dict[Hashable, List[Hashable]]:
    """Group threads that do the same, wait for the same, and hold up the same."""
    leaving: Dict[Hashable, Set[Hashable]] = {}
    coming: Dict[Hashable, Set[Hashable]] = {}
    for begin, end in found.edges:
        leaving.setdefault(begin, set()).add(end)
        coming.setdefault(end, set()).add(begin)
    members: Dict[Hashable, List[Hashable]] = {}
    for one in dict.fromkeys(name for edge in found.edges for name in edge):
        key: Hashable = one
        thread = found.threads.get(one) if isinstance(one, int) else None
        if thread is not None:
            place = words.place_text(thread["location"])
            neighbours = frozenset(leaving.get(one, ())), frozenset(coming.get(one, ()))
            key = (neighbours, words.does(thread), place)
        members.setdefault(key, []).append(one)
    return members


def _node(found: _Graph, key: Hashable, alike: Sequence[Any]) -> Node:
    first = alike[0]
    if isinstance(first, int):
        return _thread_node(found, key, sorted(alike))
    if first.kind == _HIDDEN:
        told = counted(len(first.name), "more thread")
        return Node(key, [told, "wait in the same way"], "other", told)
    if first.kind == "lock":
        return _lock_node(found, key, first.name)
    if first.kind == "barrier":
        label = found.labels.get(first.name)
        regions: List[Object] = found.report["regions"] or []
        progress = next((one["progress"] for one in regions if one["id"] == first.name), None)
        lines = ["barrier", f"region {label}" if label else ""]
        if progress:
            there = "at different ones" if progress.get("several") else "there"
            lines.append(f"{_come(progress)} of {progress['total']} are {there}")
        return Node(key, lines, "barrier", ", ".join(lines), "#regions")
    return _task_node(found, key, first.name)


def _come(progress: Object) -> int:
    return min(int(progress["arrived"] + progress["arrived_end"]), int(progress["total"]))


def _thread_node(found: _Graph, key: Hashable, numbers: List[int]) -> Node:
    thread = found.threads.get(numbers[0])
    told = words.threads_text(numbers)
    href = f"#{words.anchor(numbers[0])}"
    if thread is None:
        return Node(key, [told], "other", told, href)
    lines = [told, words.place_text(thread["location"]).rpartition(" at ")[2], words.does(thread)]
    if len(told) > 22:
        lines[0] = counted(len(numbers), "thread")
    title = f"{told}: {words.does(thread)}, {words.place_text(thread['location'])}"
    return Node(key, lines, words.kind_of(thread), title, href)


def _lock_node(found: _Graph, key: Hashable, index: Any) -> Node:
    if not isinstance(index, int):
        return Node(key, [str(index or "lock")], "lock", str(index or "lock"))
    lock = found.report["locks"][index]
    title = words.lock_title(lock)
    held = f"held by thread {lock['owner']}"
    if lock["owner"] is None:
        perhaps = words.candidates(lock)
        held = f"perhaps of thread {perhaps[0]}" if len(perhaps) == 1 else "owner unknown"
        held = "owner has ended" if lock["owner_ended"] else held
    waiting = counted(len(lock["waiters"]), "thread") + " waiting"
    return Node(key, [title, held, waiting], "lock", f"{title}, {held}", "#locks")


def _task_node(found: _Graph, key: Hashable, name: Any) -> Node:
    listed = (found.report["tasks"] or {}).get("listed", [])
    task: Optional[Object] = next((one for one in listed if one["id"] == name), None)
    if task is None:
        label = found.labels.get(name)
        return Node(
            key, ["tasks", f"of region {label}" if label else ""], "tasks", "tasks", "#tasks"
        )
    place = words.place_text(words.place_of(task["function"]))
    lines = [words.task_title(task), place.rpartition(" at ")[2], task["status"]]
    return Node(key, lines, "tasks", f"{lines[0]}, {place}, {task['status']}", "#tasks")
