# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stacks of all threads as one tree, from main inwards."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Dict, List, Tuple

from ompdbg.report.numbers import counted
from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element

Object = Dict[str, Any]
_Key = Tuple[Any, ...]

# Deeper branches than this are drawn on one level.
_DEEPEST = 40


class Node:
    """A frame, and what was called from it."""

    def __init__(self, frame: Object) -> None:
        self.frame = frame
        self.inner: Dict[_Key, Node] = {}
        self.threads: List[int] = []  # those that are in it
        self.ends: List[int] = []  # those whose stack ends here
        self.notes: List[str] = []


def tree(report: Object) -> Content:
    """The whole tree."""
    stacks = report["stacks"]
    if not stacks:
        return element("p", "The stacks could not be read.", class_="muted")
    root = Node({})
    for stack in stacks:
        _add(root, stack)
    threads = {thread["gdb"]: thread for thread in report["threads"] or []}
    return element("div", _below(root, threads, 0), class_="stacks")


def _add(root: Node, stack: Object) -> None:
    node = root
    frames = [frame for part in stack["parts"] for frame in part["frames"]]
    for frame in reversed(frames):
        key = _key(frame)
        node = node.inner.setdefault(key, Node(frame))
        node.threads += stack["threads"]
    node.ends += stack["threads"]
    if stack["note"]:
        node.notes.append(stack["note"])


def _key(frame: Object) -> _Key:
    if frame["line"] is None:
        return (frame["function"], frame["symbol"], frame["address"], frame["construct"])
    return (frame["function"], frame["file"], frame["line"], frame["construct"])


def _below(node: Node, threads: Dict[int, Object], depth: int) -> Content:
    """What is called from a node, the most threads first."""
    inner = sorted(node.inner.values(), key=lambda one: (-len(one.threads), min(one.threads)))
    return [_ends(node, threads), [_branch(one, threads, depth) for one in inner]]


def _branch(node: Node, threads: Dict[int, Object], depth: int) -> Markup:
    """A node, and those after it as long as the way does not part."""
    way = [node]
    while len(way[-1].inner) == 1 and not way[-1].ends:
        way.extend(way[-1].inner.values())
    told = [frame(one.frame) for one in way]
    last = way[-1]
    count = element("span", counted(len(node.threads), "thread"), class_="count")
    inside = _below(last, threads, depth + 1)
    head, *rest = told
    calls = element("ol", [element("li", one) for one in rest], class_="calls") if rest else None
    if depth >= _DEEPEST:
        return element("div", head, count, calls, inside)
    return element("details", element("summary", head, count), calls, inside, open=True)


def frame(frame: Object) -> Content:
    """Its function, or the construct, and the line."""
    if frame["kind"] == "signal":
        return element("span", "signal handler called", class_="construct")
    name = frame["function"] or frame["symbol"] or frame["address"]
    where = _at(frame["file"], frame["line"])
    if frame["construct"] is None:
        return [element("code", name, class_="function"), where]
    place = frame["construct_at"] or {"file": None, "line": None}
    opened = _at(place["file"], place["line"])
    if frame["line"] is not None and frame["line"] != place["line"]:
        opened = [opened, element("span", f", now in line {frame['line']}", class_="muted")]
    return [
        element("span", frame["construct"], class_="construct"),
        " of ",
        element("code", name, class_="function"),
        opened,
    ]


def _at(file: Any, line: Any) -> Content:
    if not file:
        return None
    told = basename(file) if line is None else f"{basename(file)}:{line}"
    return [" ", element("code", told, class_="file", title=file)]


def _ends(node: Node, threads: Dict[int, Object]) -> Content:
    known = [threads[number] for number in node.ends if number in threads]
    rows = [
        element(
            "li",
            element("span", words.threads_text(numbers), class_="who"),
            element("span", words.does(first), class_=f"does {words.kind_of(first)}"),
        )
        for first, numbers in words.merged(known, anywhere=True)
    ]
    notes = [element("li", note, class_="muted") for note in dict.fromkeys(node.notes)]
    return element("ul", rows, notes, class_="ends") if rows or notes else None
