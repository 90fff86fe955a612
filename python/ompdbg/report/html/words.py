# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the report in words, as the tables of the commands have them."""

from __future__ import annotations

import re
from posixpath import basename
from typing import Any, Container, Dict, Iterator, List, Optional, Sequence, Tuple

from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.numbers import counted, ranges, runs

Object = Dict[str, Any]

# Of locks whose kinds are not what they are called.
_TITLES = {
    "nest_lock": "nest lock",
    "doacross": "ordered depend",
    "mutex": "lock or critical",
    "pthread_mutex": "mutex",
    "pthread_rwlock": "rwlock",
    "pthread_spinlock": "spin lock",
}
_TURNS = ("ordered", "doacross")  # have no name

# What a thread does, as the picture has it.
CRASHED, AT_BARRIER, AT_LOCK, FOR_TASKS, ASLEEP, WORKS, IDLE, OTHER = (
    "crashed",
    "barrier",
    "lock",
    "tasks",
    "asleep",
    "works",
    "idle",
    "other",
)
# By the activities that have colours of their own.
_KINDS = {kind: kind for kind in (CRASHED, AT_BARRIER, AT_LOCK, FOR_TASKS, ASLEEP, WORKS, IDLE)}
_KINDS["spins"] = WORKS


def lock_title(lock: Object) -> str:
    """`lock block_lock[3]`, `mutex this->mutex_ (0x55d0c8)`"""
    title = _TITLES.get(lock["kind"], str(lock["kind"]))
    if lock["kind"] in _TURNS:
        return title
    if lock["symbol"]:
        return f"{title} {lock['symbol']}"
    if lock["variable"]:
        return f"{title} {lock['variable']} ({lock['address']})"
    return f"{title} {lock['address']}" if lock["address"] else title


def does(item: Object) -> str:
    """What a thread, or a group of threads, does."""
    return str(item["does"])


def kind_of(item: Object) -> str:
    """The same, roughly: AT_BARRIER, AT_LOCK, ..."""
    return _KINDS.get(item["activity"], OTHER)


def place_text(location: Optional[Object]) -> str:
    """`solve at hung.c:88`"""
    if location is None:
        return ""
    function = location.get("title") or location["function"]  # older reports have no titles
    if function is None:
        return f"{location['address']} in {basename(location['object'] or '?')}"
    if location["function"] is None:
        return str(function)
    if location["file"] is None or location["line"] is None:
        return str(function)
    return f"{function} at {basename(location['file'])}:{location['line']}"


def place(location: Optional[Object]) -> Content:
    """The same, with the whole path to be seen on it, and the whole name."""
    if location is None:
        return ""
    told = place_text(location)
    name, at, line = told.rpartition(" at ")
    path = location.get("file") or location.get("object")
    if location["function"] and location.get("title"):
        path = f"{location['function']} in {path}"
    if not at:
        return element("code", told, class_="place", title=path)
    return element(
        "code",
        name,
        element("span", at, class_="at"),
        file_and_line(line),
        class_="place",
        title=path,
    )


def file_and_line(name: str) -> Markup:
    """A line may break before the number, but nowhere else."""
    return element("span", name, class_="file")


def place_of(function: Optional[Object]) -> Optional[Object]:
    """Return where a task's code is, as the location of a thread."""
    if function is None:
        return None
    told = {key: function[key] for key in ("symbol", "file", "line")}
    title = function.get("title")
    return {**told, "function": function["name"], "address": None, "object": None, "title": title}


def task_title(task: Object) -> str:
    """`task #17`, `implicit task of thread 3`"""
    if task["kind"] == "implicit":
        return f"implicit task of thread {'?' if task['thread'] is None else task['thread']}"
    told = {"initial": "initial task", "target": "target task"}.get(task["kind"], "task")
    return told if task.get("number") is None else f"{told} #{task['number']}"


def member_text(thread: Object) -> str:
    """`3/8`: the number of a thread in its team; empty if it is in none."""
    if thread.get("helper"):
        return "helper"
    if thread["openmp"] is False:
        return "none"
    if thread["thread_num"] is None:
        return ""
    size = "?" if thread["team_size"] is None else thread["team_size"]
    return f"{thread['thread_num']}/{size}"


def threads_text(numbers: Sequence[int]) -> str:
    """`thread 5`, `threads 2-4, 8`"""
    return f"{'thread' if len(numbers) == 1 else 'threads'} {ranges(numbers)}"


# ---- Links to stacks ------------------------------------------------------------------------

_MOST_RUNS = 8  # of numbers of threads: more are folded
# Of threads, as GDB numbers them, in a text of ours.
_IN_TEXT = re.compile(r"\b([Tt]hreads? )([0-9]+(?:(?:-|, | and )[0-9]+\b)*)")
_NUMBER = re.compile("([0-9]+)")


def anchor(thread: int) -> str:
    """Return the name of the place on the page where the stack of a thread ends."""
    return f"t{thread}"


def thread_link(thread: int, content: Content = None, kind: Optional[str] = None) -> Markup:
    """Return the number of a thread as a link to its stack."""
    told = thread if content is None else content
    return element("a", told, href=f"#{anchor(thread)}", class_=kind)


def thread_links(numbers: Sequence[int]) -> Content:
    """`2-4, 8`, each a link; a long list is folded."""
    found = runs(numbers)
    told = list(_linked_runs(found))
    if len(found) <= _MOST_RUNS:
        return told
    return element(
        "details", element("summary", counted(len(numbers), "thread")), told, class_="fold"
    )


def threads(numbers: Sequence[int]) -> Content:
    """`thread 5`, `threads 2-4, 8`: links, or a list that is folded."""
    told = thread_links(numbers)
    if isinstance(told, Markup):
        return told
    return ["thread " if len(numbers) == 1 else "threads ", told]


def _linked_runs(found: Sequence[Tuple[int, int]]) -> Iterator[Content]:
    for index, (first, last) in enumerate(found):
        yield ", " if index else None
        yield thread_link(first)
        if last != first:
            yield "-"
            yield thread_link(last)


def linked(text: str, known: Container[int]) -> Content:
    """Return a text of ours with numbers of known threads as links."""
    told: List[Content] = []
    at = 0
    for found in _IN_TEXT.finditer(text):
        told.append(text[at : found.start(2)])
        for part in _NUMBER.split(found.group(2)):
            is_known = part.isdigit() and len(part) < 10 and int(part) in known
            told.append(thread_link(int(part)) if is_known else part)
        at = found.end()
    return [told, text[at:]]


def candidates(lock: Object) -> List[int]:
    """Threads that perhaps hold a lock."""
    return sorted({one["thread"] for one in lock.get("candidates") or []})


def merged(
    threads: "Sequence[Object]", anywhere: bool = False
) -> "List[Tuple[Object, List[int]]]":
    """Those that do the same at the same place, or `anywhere`: the first, and the numbers of all.
    What has ended the program comes first."""
    found: "Dict[Tuple[str, str], Tuple[Object, List[int]]]" = {}
    for thread in threads:
        key = (does(thread), "" if anywhere else place_text(thread["location"]))
        found.setdefault(key, (thread, []))[1].append(thread["gdb"])
    return sorted(found.values(), key=lambda one: kind_of(one[0]) != CRASHED)


def badge(kind: str, *content: Content) -> Markup:
    """A short word about the state of something."""
    return element("span", content, class_=f"badge {kind}")
