# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the report in words, as the tables of the commands have them."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ompdbg.report.numbers import ranges
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.marking import DOES, ENDED_BY, SLEEPS

Object = Dict[str, Any]

# Of waits whose names are not what they are called.
_TITLES = {
    "barrier_workshare": "end of worksharing",
    "barrier_parallel": "end of region",
    "nest_lock": "nest lock",
    "single": "single copyprivate",
    "doacross": "ordered depend",
    "idle": "idle in pool",
    "runtime_lock": "runtime's lock",
    "mutex": "lock or critical",
}
_NAMED = ("critical", "lock", "nest_lock", "mutex", "atomic", "runtime_lock")
_STATES = {
    "work_serial": "works, outside of regions",
    "work_parallel": "works",
    "idle": "idle",
    "overhead": "in the runtime",
}

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
_BARRIERS = ("barrier", "barrier_workshare", "barrier_parallel", "reduction", "single")
_FOR_TASKS = ("taskwait", "taskgroup", "dependences")
_AT_LOCKS = ("critical", "lock", "nest_lock", "mutex", "atomic", "ordered", "doacross")


def wait_title(wait: Object) -> str:
    """`lock block_lock[3]`, `end of region`"""
    title = _TITLES.get(wait["kind"], wait["kind"])
    if wait["kind"] in _NAMED and (wait["symbol"] or wait["address"]):
        return f"{title} {wait['symbol'] or wait['address']}"
    return title


def does(item: Object) -> str:
    """What a thread, or a group of threads, does."""
    if item.get(ENDED_BY):
        return f"{item[ENDED_BY]} here"
    if item["wait"] is not None:
        return wait_title(item["wait"])
    if item.get("openmp") is False:
        return ", ".join(filter(None, ("no OpenMP thread", item.get(DOES))))
    if item.get(DOES):
        return str(item[DOES])
    if item.get("running"):
        return "running"
    state = item["state"]
    return "not known" if state is None else _STATES.get(state, state.replace("_", " "))


def kind_of(item: Object) -> str:
    """The same, roughly: AT_BARRIER, AT_LOCK, ..."""
    if item.get(ENDED_BY):
        return CRASHED
    wait = item["wait"]
    if wait is not None:
        for kinds, name in (
            (_BARRIERS, AT_BARRIER),
            (_FOR_TASKS, FOR_TASKS),
            (_AT_LOCKS, AT_LOCK),
        ):
            if wait["kind"] in kinds:
                return name
        return IDLE if wait["kind"] == "idle" else OTHER
    if item.get(SLEEPS) and item.get("openmp") is not False:
        return ASLEEP
    if item["state"] in ("work_serial", "work_parallel"):
        return WORKS
    return IDLE if item["state"] == "idle" else OTHER


def place_text(location: Optional[Object]) -> str:
    """`solve at hung.c:88`"""
    if location is None:
        return ""
    function = location["function"]
    if function is None:
        return f"{location['address']} in {basename(location['object'] or '?')}"
    if location["file"] is None or location["line"] is None:
        return str(function)
    return f"{function} at {basename(location['file'])}:{location['line']}"


def place(location: Optional[Object]) -> Content:
    """The same, with the whole path to be seen on it."""
    if location is None:
        return ""
    told = place_text(location)
    name, at, line = told.rpartition(" at ")
    path = location.get("file") or location.get("object")
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


def function_place(function: Optional[Object]) -> Content:
    """Where a task's code is."""
    if function is None:
        return ""
    return place(
        {
            "function": function["name"],
            "file": function["file"],
            "line": function["line"],
            "address": None,
            "object": None,
        }
    )


def threads_text(numbers: Sequence[int]) -> str:
    """`thread 5`, `threads 2-4, 8`"""
    return f"{'thread' if len(numbers) == 1 else 'threads'} {ranges(numbers)}"


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
