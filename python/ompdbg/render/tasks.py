# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks as a tree, as a list of those that wait, and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Set, Tuple, Union

from ompdbg.model import task as model
from ompdbg.model.pool import TaskGroup
from ompdbg.render.palette import PLAIN, Palette
from ompdbg.render.table import Column, cut, cut_place, table, without_empty

if TYPE_CHECKING:
    from ompdbg.model.pool import TaskCount, TaskPool
    from ompdbg.model.task import Task
    from ompdbg.model.team import Team

_INDENT = "  "
_WORDS = {
    "in_taskwait": "in taskwait",
    "in_depend_wait": "waits for dependences",
    "in_taskgroup_wait": "in taskgroup",
}

_QUEUED_COLUMNS = (
    Column("Team", squeeze=8),
    Column("Task", squeeze=28, cut=cut_place, paint=Palette.tasks),
    Column("Status"),
    Column("Created by", squeeze=16, cut=cut_place, paint=Palette.tasks, drop=2),
    Column("Priority", right=True, drop=1),
    Column("Dependences", squeeze=16),
)
_COUNT_COLUMNS = (
    Column("Tasks", right=True),
    Column("Kind"),
    Column("Status"),
    Column("Function", squeeze=20, cut=cut_place, paint=Palette.place),
)


def title(task: "Task") -> str:
    """What a task is: `task of fib at fib.c:9`, `implicit task 2`."""
    if task.info.kind == model.IMPLICIT:
        return f"implicit task {'?' if task.thread_num is None else task.thread_num}"
    if task.info.kind == model.INITIAL:
        return "initial task"
    noun = "target task" if task.info.kind == model.TARGET else "task"
    function = task.function
    return noun if function is None else f"{noun} of {function.place}"


def dependences(task: "Task") -> str:
    """`in: a, out: b`; `at least out: b` where the runtime forgets some."""
    by_kind: Dict[str, List[str]] = {}
    for depend in task.depends:
        name = depend.symbol or ("all memory" if not depend.address else f"{depend.address:#x}")
        by_kind.setdefault(depend.kind, []).append(name)
    found = ", ".join(f"{kind}: {' '.join(names)}" for kind, names in by_kind.items())
    return found if task.depends_complete or not found else f"at least {found}"


def noun(count: int) -> str:
    """`1 task`, `2 tasks`."""
    return f"{count} task" if count == 1 else f"{count} tasks"


# ---- The tree -------------------------------------------------------------------------------


def task_tree(pool: "TaskPool", width: Optional[int], palette: Palette = PLAIN) -> List[str]:
    """Each team with its tasks, the generated ones below their creators."""
    lines: List[str] = []
    by_team: Dict[int, List["Task"]] = {}
    for task in pool.tasks:
        by_team.setdefault(task.info.parallel_id, []).append(task)
    children: Dict[int, List["Task"]] = {}
    known = {task.id for task in pool.tasks}
    for task in pool.tasks:
        if task.info.parent_id in known:
            children.setdefault(task.info.parent_id, []).append(task)
    more: Dict[int, List[TaskGroup]] = {}
    for group in pool.more:
        more.setdefault(group.first.info.parent_id, []).append(group)
    for ident, tasks in sorted(by_team.items(), key=lambda item: _order(item[1][0].team)):
        helpers = tasks[0].is_of_helpers
        lines.append("hidden helper threads" if helpers else _team_line(tasks[0].team, ident))
        shown: Set[int] = set()
        for task in tasks:
            if task.info.parent_id not in known or _begins_tree(task):
                _branch(task, 1, ident, children, more, lines, shown)
        for task in tasks:
            if task.id not in shown:  # parents in a circle: the runtime's memory is damaged
                _branch(task, 1, ident, children, more, lines, shown)
        for parent, groups in more.items():
            if parent not in known:
                lines.extend(
                    _INDENT + _more(g) for g in groups if g.first.info.parallel_id == ident
                )
    lines.append(noun(pool.total) + _unreached(pool) + _damage(pool))
    return [palette.tasks(line if width is None else cut(line, width)) for line in lines]


def _begins_tree(task: "Task") -> bool:
    """Implicit tasks begin a team's tree, though a task of another team generated them."""
    return task.info.kind in (model.IMPLICIT, model.INITIAL)


def _branch(
    root: "Task",
    depth: int,
    team: int,
    children: Dict[int, List["Task"]],
    more: Dict[int, List[TaskGroup]],
    lines: List[str],
    shown: Set[int],
) -> None:
    pending: List[Tuple[Union["Task", TaskGroup], int]] = [(root, depth)]
    while pending:
        item, level = pending.pop()
        if isinstance(item, TaskGroup):
            lines.append(_INDENT * level + _more(item))
            continue
        if item.id in shown:
            continue
        shown.add(item.id)
        lines.append(_INDENT * level + _describe(item))
        below: List[Union["Task", TaskGroup]] = [
            child
            for child in children.get(item.id, ())
            if child.info.parallel_id == team and child.info.kind != model.IMPLICIT
        ]
        below.extend(more.get(item.id, ()))
        pending.extend((one, level + 1) for one in reversed(below))


def _order(team: Optional["Team"]) -> Tuple[int, ...]:
    if team is None:
        return (1 << 31,)
    return (0,) if team.level == 0 else team.path


def _team_line(team: Optional["Team"], ident: int) -> str:
    if team is None:
        return f"team {ident:#x}"
    if team.level == 0:
        where = "" if team.primary is None else f" of thread {team.primary.target.label}"
        league = "in a league, " if team.is_league else ""
        return f"{league}outside of parallel regions{where}"
    size = "?" if team.size is None else str(team.size)
    level = "?" if team.level is None else str(team.level)
    threads = "1 thread" if size == "1" else f"{size} threads"
    return f"team {team.label}: {threads}, level {level}"


def _describe(task: "Task") -> str:
    words = [title(task), task.status]
    if task.info.kind == model.EXPLICIT and task.thread_num is not None:
        words.append(f"thread {task.thread_num}")
    words.extend(_WORDS.get(flag, flag) for flag in task.flags)
    if task.info.priority:
        words.append(f"priority {task.info.priority}")
    depends = dependences(task)
    if depends:
        words.append(depends)
    if task.info.num_predecessors:
        words.append(f"waits for {noun(task.info.num_predecessors)}")
    return ", ".join(words)


def _more(group: TaskGroup) -> str:
    count = "1 more" if group.number == 1 else f"{group.number} more"
    return f"... and {count}: {title(group.first)}, {group.first.status}"


def _unreached(pool: "TaskPool") -> str:
    """The runtime does not keep detached tasks in a list, nor one that is just being made."""
    if not pool.unreached:
        return ""
    return f", and {pool.unreached} that no list leads to (detached, say)"


def _damage(pool: "TaskPool") -> str:
    return "; not all lists of the runtime can be read" if pool.damaged else ""


# ---- Lists ----------------------------------------------------------------------------------


def queued_table(pool: "TaskPool", width: Optional[int], palette: Palette = PLAIN) -> List[str]:
    """The tasks that have not begun."""
    waiting = [task for task in pool.tasks if task.info.status in model.NOT_BEGUN]
    by_id = {task.id: task for task in pool.tasks}
    rows = []
    for task in waiting:
        parent = by_id.get(task.info.parent_id)
        rows.append(
            [
                "?" if task.team is None else task.team.label,
                title(task),
                task.status,
                "" if parent is None else title(parent),
                str(task.info.priority) if task.info.priority else "",
                dependences(task),
            ]
        )
    lines = table(*without_empty(_QUEUED_COLUMNS, rows), width, palette) if rows else []
    count = len(waiting) + sum(group.number for group in pool.more)
    below = [_more(group) for group in pool.more]
    below.append(f"{noun(count)} queued or blocked" + _damage(pool))
    lines.extend(palette.tasks(line if width is None else cut(line, width)) for line in below)
    return lines


def count_table(
    counts: Sequence["TaskCount"], width: Optional[int], palette: Palette = PLAIN
) -> List[str]:
    """Numbers of tasks by function."""
    rows = [
        [
            str(row.number),
            row.kind,
            row.status,
            "" if row.function is None else row.function.place,
        ]
        for row in counts
    ]
    lines = table(_COUNT_COLUMNS, rows, width, palette) if rows else []
    lines.append(noun(sum(row.number for row in counts)))
    return lines
