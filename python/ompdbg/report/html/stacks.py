# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stacks of all threads as one tree, from main inwards, with source lines and variables."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element, folded
from ompdbg.report.html.source import Sources
from ompdbg.report.numbers import counted, ranges

Object = Dict[str, Any]
_Key = Tuple[Any, ...]
_Values = Dict[str, Dict[str, Dict[int, None]]]  # by name and value the threads

_DEEP = 12  # branches from there on are not indented
_LONGEST_TURN, _LEAST_TURNS = 32, 16  # of a recursion: the first turn and the last are drawn
_MOST_TOLD = 32  # threads whose stacks end at the same place: more are folded
_LOST = {"<optimized out>", "<synthetic pointer>"}
_MOST_BRANCHES, _LETTERS = 24, 60
_MOST_VALUES = 8  # of a variable: more are folded


class Node:
    """A frame, and what was called from it."""

    def __init__(self, frame: Object) -> None:
        self.frame = frame
        self.inner: Dict[_Key, Node] = {}
        self.threads: List[int] = []  # those that are in it
        self.ends: List[int] = []  # those whose stack ends here
        self.notes: List[str] = []
        self.variables: _Values = {}
        self.sharing: Dict[str, str] = {}  # of these variables that a construct shares, or not


def key_of(frame: Object) -> _Key:
    """Return what is equal for frames that are drawn as one."""
    if frame["line"] is None:
        return (frame["function"], frame["symbol"], frame["address"], frame["construct"])
    return (frame["function"], frame["file"], frame["line"], frame["construct"])


class Tree:
    """The stacks of a report."""

    def __init__(self, report: Object) -> None:
        self._sources = Sources(report)
        self._threads = {thread["gdb"]: thread for thread in report["threads"] or []}
        self._root = Node({})
        self._variables = {one["thread"]: one["frames"] for one in report.get("variables") or []}
        self._levels: Dict[int, Dict[int, List[Object]]] = {}
        for thread, frames in self._variables.items():
            levels = self._levels.setdefault(thread, {})
            for frame in frames:
                levels.setdefault(frame["level"], []).append(frame)
        for stack in report["stacks"] or []:
            self._add(stack)

    def shown(self, linked: Iterable[int]) -> Content:
        """Draw the tree. `linked`: threads to which links on the page lead."""
        if not self._root.ends and not self._root.inner:
            told = element("p", "The stacks could not be read.", class_="muted")
        else:
            told = element("div", self._below(self._root, 0), class_="stacks")
        has_stack = {number for node in self._nodes() for number in node.ends}
        missing = sorted(set(linked) - has_stack)
        rows = [
            element("li", f"Thread {number}: its stack is unknown", id=words.anchor(number))
            for number in missing
        ]
        newer = [
            element("p", f"{basename(file)} is newer than the program: lines may have moved.")
            for file in self._sources.newer
        ]
        return [
            element("div", newer, class_="note") if newer else None,
            told,
            element("ul", rows, class_="muted") if rows else None,
        ]

    def innermost(self, thread: int) -> Content:
        """Return the source around the place where a thread stopped."""
        for one in (node for node in self._nodes() if thread in node.ends):
            if one.frame:
                return self._sources.around(one.frame["file"], one.frame["line"])
        return None

    def _nodes(self) -> Iterable[Node]:
        pending = [self._root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(node.inner.values())

    # ---- What is in it ----------------------------------------------------------------------

    def _add(self, stack: Object) -> None:
        node = self._root
        frames = [
            (index, number, part["thread"], frame)
            for number, part in enumerate(stack["parts"])
            for index, frame in enumerate(part["frames"])
        ]
        for index, number, thread, frame in reversed(frames):
            node = node.inner.setdefault(key_of(frame), Node(frame))
            node.threads += stack["threads"]
            if number:
                levels = self._levels.get(thread, {})
                self._add_variables(node, thread, levels.get(frame["level"], []))
                continue
            for one in stack["threads"]:
                self._add_variables(node, one, self._variables.get(one, [])[index : index + 1])
        node.ends += stack["threads"]
        if stack["note"]:
            node.notes.append(stack["note"])

    @staticmethod
    def _add_variables(node: Node, thread: int, frames: Sequence[Object]) -> None:
        for frame in frames:
            for one in frame["arguments"] + frame["locals"]:
                values = node.variables.setdefault(one["name"], {})
                values.setdefault(one["value"], {})[thread] = None
                if one.get("sharing"):
                    node.sharing[one["name"]] = one["sharing"]

    # ---- How it is drawn --------------------------------------------------------------------

    def _below(self, node: Node, depth: int) -> Content:
        """Draw what is called from a node, the most threads first."""
        inner = sorted(node.inner.values(), key=lambda one: (-len(one.threads), min(one.threads)))
        branches = [self._branch(one, depth) for one in inner]
        return [self._ends(node), folded(branches, _MOST_BRANCHES, "branches")]

    def _branch(self, node: Node, depth: int) -> Markup:
        """Draw a node, and those after it as long as the way does not part."""
        way = [node]
        while len(way[-1].inner) == 1 and not way[-1].ends:
            way.extend(way[-1].inner.values())
        last = way[-1]
        count = element("span", counted(len(node.threads), "thread"), class_="count")
        inside = [
            self._details(node),
            without_turns(
                [one.frame for one in way[1:]],
                lambda index: element(
                    "div",
                    frame(way[index + 1].frame),
                    self._details(way[index + 1]),
                    class_="call",
                ),
                lambda told: element("div", told, class_="call muted"),
            ),
            self._below(last, depth + 1),
        ]
        head = [frame(node.frame), count]
        deep = "deep" if depth >= _DEEP else None
        return element("details", element("summary", head), inside, open=True, class_=deep)

    def _details(self, node: Node) -> Content:
        """Show the source of a frame, and its variables; of where threads stopped more of it."""
        file, line = node.frame["file"], node.frame["line"]
        told = self._sources.around(file, line) if node.ends else self._sources.line(file, line)
        if not node.variables:
            return told
        lost = [name for name, values in node.variables.items() if set(values) <= _LOST]
        rows = [
            element("div", element("dt", _name(node, name)), element("dd", _values(values)))
            for name, values in node.variables.items()
            if name not in lost
        ]
        more = element("p", ", ".join(lost), ": optimized out", class_="note") if lost else None
        title = element("summary", counted(len(node.variables), "variable"))
        variables = [element("dl", rows, class_="values"), more]
        is_open = bool(node.ends and rows)
        return [told, element("details", title, variables, open=is_open, class_="fold")]

    def _ends(self, node: Node) -> Content:
        known = [self._threads[number] for number in node.ends if number in self._threads]
        rows = [
            element(
                "li",
                element("span", _targets(numbers), class_="who"),
                element("span", words.does(first), class_=f"does {words.kind_of(first)}"),
                data_kind=words.kind_of(first),
            )
            for first, numbers in words.merged(known, anywhere=True)
        ]
        others = [number for number in node.ends if number not in self._threads]
        rows += [element("li", _targets([number])) for number in others]
        notes = [element("li", note, class_="muted") for note in dict.fromkeys(node.notes)]
        told = folded([*rows, *notes], _MOST_BRANCHES, "groups of threads", "ul")
        return element("ul", told, class_="ends") if told else None


def _turns_at(keys: Sequence[_Key], index: int) -> Tuple[int, int]:
    """Return how many frames from an index on recur, and how often."""
    for length in range(1, _LONGEST_TURN + 1):
        end = index + length
        while end < len(keys) and keys[end] == keys[end - length]:
            end += 1
        if (end - index) // length >= _LEAST_TURNS:
            return length, (end - index) // length
    return 1, 1


def without_turns(
    frames: Sequence[Object], drawn: Callable[[int], Markup], told: Callable[[str], Markup]
) -> List[Markup]:
    """Draw frames by their index, but for the middle of a recursion: a line says how many."""
    keys = [key_of(one) for one in frames]
    found = []
    index = 0
    while index < len(keys):
        length, times = _turns_at(keys, index)
        found += [drawn(one) for one in range(index, index + length)]
        index += length
        if times > 1:
            what = "this frame" if length == 1 else f"these {length} frames"
            found.append(told(f"... {what} {times - 2:,} more times"))
            index += length * (times - 2)
    return found


def _targets(numbers: Sequence[int]) -> Content:
    """List threads, each the end of links."""
    told = [
        [", " if index else None, element("b", number, id=words.anchor(number), tabindex="-1")]
        for index, number in enumerate(sorted(numbers))
    ]
    if len(numbers) == 1:
        return ["thread ", told]
    if len(numbers) <= _MOST_TOLD:
        return ["threads ", told]
    known = ranges(numbers)
    title = element(
        "summary", f"{len(numbers)} threads" + (f": {known}" if len(known) < _LETTERS else "")
    )
    return element("details", title, told, class_="fold")


def _name(node: Node, name: str) -> Content:
    """The name of a variable, and what it is to its construct."""
    sharing = node.sharing.get(name)
    told = element("span", f" {sharing}", class_="muted") if sharing else None
    return [element("code", name), told]


def _values(values: Dict[str, Dict[int, None]]) -> Content:
    """Show what a variable is; where it differs between threads, the rarest value first."""
    if len(values) == 1:
        return element("code", next(iter(values)))
    rows = [
        element(
            "div",
            element("code", value),
            " ",
            element("span", words.threads(list(threads)), class_="muted"),
        )
        for value, threads in sorted(values.items(), key=lambda one: len(one[1]))
    ]
    return folded(rows, _MOST_VALUES, "values")


def frame(frame: Object) -> Content:
    """Return its function, or the construct, and the line."""
    if frame["kind"] == "signal":
        return element("span", "signal handler called", class_="construct")
    name = frame.get("title") or frame["function"] or frame["symbol"] or frame["address"]
    code = element("code", name, class_="function", title=frame.get("title") and frame["function"])
    where = _at(frame["file"], frame["line"])
    if frame["construct"] is None:
        return [code, where]
    place = frame["construct_at"] or {"file": None, "line": None}
    opened = _at(place["file"], place["line"])
    if frame["line"] is not None and frame["line"] != place["line"]:
        opened = [opened, element("span", f", at line {frame['line']}", class_="muted")]
    return [
        element("span", frame["construct"], class_="construct"),
        " of ",
        code,
        opened,
    ]


def _at(file: Any, line: Any) -> Content:
    if not file:
        return None
    told = basename(file) if line is None else f"{basename(file)}:{line}"
    return [" ", element("code", told, class_="file", title=file)]
