# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `omp tasks` says with the `//~` rows of a fixture's header."""

import re
from collections import Counter
from typing import Any, Dict, List, Optional, Set, Tuple

from harness.cases import Case
from harness.snapshots import Snapshot

import build  # from fixtures/
import states

# Flags that headers tell. libgomp treats untied tasks as tied ones and does not record the word.
FLAGS = ("final", "undeferred")

# In these states a task is with a thread, which headers name unless it may be any.
ON_A_THREAD = ("running", "suspended")

# Kinds of dependences that libgomp does not tell apart.
_KINDS = {"inout": "out", "mutexinoutset": "out"}

# What a row tells of one task, or a task of `omp tasks -json` in the same form.
Told = Tuple[Any, ...]


def explicit(snapshot: Snapshot) -> List[Dict[str, Any]]:
    """The explicit tasks."""
    return [task for task in snapshot["tasks"]["tasks"] if task["kind"] == "explicit"]


def expected(case: Case, has_lines: bool) -> "Counter[Told]":
    """How many tasks of each form the header declares. Rows whose number is a word are left out:
    their program has a test of its own."""
    found: "Counter[Told]" = Counter()
    for row in case.state.tasks:
        if row.count.isdigit():
            found[_of_row(case, row, has_lines)] += int(row.count)
    return found


def _of_row(case: Case, row: "states.ExpectedTask", has_lines: bool) -> Told:
    parent = row.parent
    if parent is not None and not parent.startswith("implicit:"):
        line = next(_line(r, has_lines) for r in case.state.tasks if r.mark == parent)
        parent = "task:{}".format(line)
    depends = clauses(row) if knows_all_depends(case) else []
    return (
        _line(row, has_lines),
        row.status,
        row.thread,
        tuple(sorted(flag for flag in row.flags if flag in FLAGS)),
        row.priority or 0,
        parent,
        tuple(depends) if has_lines else len(depends),
    )


def knows_all_depends(case: Case) -> bool:
    """LLVM's runtime forgets what a later task of the same parent names again."""
    return "llvm" not in build.VARIANTS[case.variant].traits


def clauses(row: "states.ExpectedTask") -> List[Tuple[str, str]]:
    """The elements of the depend clauses."""
    return sorted(_depend(text.split(":")[0], text.split(":")[1]) for text in row.depends)


def _line(row: "states.ExpectedTask", has_lines: bool) -> Optional[int]:
    return row.line if has_lines else None


def _depend(kind: str, variable: str) -> Tuple[str, str]:
    # An element of an array in the heap has no symbol.
    name = "" if "[" in variable else variable
    return _KINDS.get(kind, kind), name


def found(case: Case, snapshot: Snapshot, has_lines: bool) -> "Counter[Told]":
    """How many explicit tasks of each form there are."""
    by_id = {task["id"]: task for task in snapshot["tasks"]["tasks"]}
    anywhere = {
        (row.line if has_lines else None, row.status)
        for row in case.state.tasks
        if row.thread is None and row.status in ON_A_THREAD
    }
    whole = knows_all_depends(case)
    return Counter(
        _of_task(task, by_id, has_lines, anywhere, whole) for task in explicit(snapshot)
    )


def _of_task(
    task: Dict[str, Any],
    by_id: Dict[str, Any],
    has_lines: bool,
    anywhere: Set[Tuple[Any, str]],
    whole: bool,
) -> Told:
    depends = depends_of(task) if whole else []
    line = _line_of(task, has_lines)
    is_told = task["status"] in ON_A_THREAD and (line, task["status"]) not in anywhere
    return (
        line,
        task["status"],
        task["thread_num"] if is_told else None,
        tuple(sorted(flag for flag in task["flags"] if flag in FLAGS)),
        task["priority"],
        _parent(by_id.get(task["parent"]), has_lines),
        tuple(depends) if has_lines else len(depends),
    )


def depends_of(task: Dict[str, Any]) -> List[Tuple[str, str]]:
    """The elements of its depend clauses that are told."""
    return sorted(_depend(d["kind"], _variable(d["symbol"])) for d in task["depends"])


def _line_of(task: Dict[str, Any], has_lines: bool) -> Optional[int]:
    return (task["function"] or {}).get("line") if has_lines else None


def _variable(symbol: Optional[str]) -> str:
    return re.sub(r"\.\d+$", "", symbol or "")  # of a static variable of a function


def _parent(parent: Optional[Dict[str, Any]], has_lines: bool) -> Optional[str]:
    if parent is None:
        return None
    if parent["kind"] == "explicit":
        return "task:{}".format(_line_of(parent, has_lines))
    return "{}:{}".format(parent["kind"], parent["thread_num"])
