# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks: pool, tree, list, counts."""

import json
from typing import List

import _ompd
from debugger import gomp, user
from hung import TASK_CODE, Hung, hung
from ompdbg.model.pool import AllTasks, TaskPool, count_by_function
from ompdbg.render import json as render_json
from ompdbg.render.tasks import count_table, queued_table, task_tree
from ompdbg.services import SymbolAt


def with_queue(number: int) -> Hung:
    case = hung()
    case.space.task_infos.extend(
        _ompd.TaskInfo(0xC00 + i, 0xA11, 0x200, TASK_CODE, priority=2) for i in range(number)
    )
    return case


def tree(case: Hung, keep: int = 5) -> List[str]:
    return task_tree(TaskPool(case.runtime, keep), None)


def test_tree() -> None:
    assert tree(hung()) == [
        "outside of parallel regions of thread 1",
        "  initial task, suspended",
        "team 1: 4 threads, level 1",
        "  implicit task 0, running",
        "  implicit task 1, running",
        "  implicit task 2, running",
        "  implicit task 3, running",
        "team 1.3: 2 threads, level 2",
        "  implicit task 0, suspended",
        "  implicit task 1, suspended",
        "    task of fib at x.c:8, running, thread 1",
        "8 tasks",
    ]


def test_many_tasks_alike_collapse() -> None:
    lines = tree(with_queue(995))
    assert lines.count("    task of fib at x.c:8, queued, priority 2") == 5
    last = lines.index("    ... and 990 more: task of fib at x.c:8, queued")
    assert lines[last - 1] == "    task of fib at x.c:8, queued, priority 2"
    assert lines[-1] == "1003 tasks"


def test_collapsed_tasks_are_not_kept() -> None:
    pool = TaskPool(with_queue(995).runtime, 5)
    assert (len(pool.tasks), pool.total) == (13, 1003)
    assert [group.number for group in pool.more] == [990]


def test_queued() -> None:
    lines = queued_table(TaskPool(with_queue(3).runtime, 2), None)
    assert lines == [
        "Team  Task                  Status  Created by       Priority",
        "1     task of fib at x.c:8  queued  implicit task 1         2",
        "1     task of fib at x.c:8  queued  implicit task 1         2",
        "... and 1 more: task of fib at x.c:8, queued",
        "3 tasks queued or blocked",
    ]


def test_nothing_queued() -> None:
    assert queued_table(TaskPool(hung().runtime, 2), 80) == ["0 tasks queued or blocked"]


def test_counts() -> None:
    rows = count_by_function(with_queue(7).runtime)
    assert [(r.number, r.kind, r.status) for r in rows] == [
        (7, "explicit", "queued"),
        (4, "implicit", "running"),
        (2, "implicit", "suspended"),
        (1, "explicit", "running"),
        (1, "initial", "suspended"),
    ]
    lines = count_table(rows, 80)
    assert lines[1] == "    7  explicit  queued     fib at x.c:8"
    assert lines[-1] == "15 tasks"


def test_dependences() -> None:
    case = hung()
    info = _ompd.TaskInfo(
        0xD00, 0xA11, 0x200, TASK_CODE, status=3, flags=3, num_depends=3, num_predecessors=1
    )
    task = _ompd.Task(info)
    task.depend_list = [(0x6000, 0), (0x6008, 1), (0x7000, 1)]
    case.outer.task_objects[0xD00] = task
    case.space.task_infos.append(info)
    case.debugger.symbols[0x6000] = SymbolAt("a", 0, None)
    case.debugger.symbols[0x6008] = SymbolAt("a", 8, None)
    expected = (
        "    task of fib at x.c:8, blocked, final, undeferred,"
        " out: a, in: a+8 0x7000, waits for 1 task"
    )
    assert expected in tree(case)
    task.depends_complete = False
    assert expected.replace("out: a", "at least out: a") in tree(case)


def with_undeferred() -> Hung:
    """Thread 1 executes an undeferred task of fib that g has generated."""
    case = hung()
    info = _ompd.TaskInfo(0xD00, 0xA10, 0x200, 0, status=0, flags=2, thread_num=0)
    case.space.task_infos.append(info)
    case.space.by_lwp[101].current = _ompd.Task(info)
    code = user("fib._omp_fn.0", 9, TASK_CODE + 5, TASK_CODE)
    case.debugger.stacks[1][:0] = [code, gomp(0x9700), user("g", 5, 0x1705)]
    case.space.calls[0x1705] = _ompd.WaitSite(15, 0x101, 0x9700, "GOMP_task")
    return case


def test_undeferred_task_is_named_by_the_stack() -> None:
    assert "    task of fib at x.c:8, running, thread 0, undeferred" in tree(with_undeferred())


def test_undeferred_task_without_a_frame_has_no_name() -> None:
    case = with_undeferred()
    del case.debugger.stacks[1][0]  # its code jumped to another function
    assert "    task, running, thread 0, undeferred" in tree(case)


def with_started(call: int) -> Hung:
    """Thread 5 executes a task of fib in a call of its parent, another task of fib."""
    case = hung()
    parent = _ompd.TaskInfo(0xD00, 0xA21, 0x300, TASK_CODE, status=7)
    child = _ompd.TaskInfo(0xD01, 0xD00, 0x300, TASK_CODE, status=0, thread_num=1)
    case.space.task_infos[-1:] = [parent, child]
    current = case.space.by_lwp[105].current = _ompd.Task(child)
    current.parent = _ompd.Task(parent)
    code = user("fib._omp_fn.0", 9, TASK_CODE + 5, TASK_CODE)
    case.debugger.stacks[5][:0] = [code, gomp(0x9600), user("fib", 12, 0x1805)]
    case.space.calls[0x1805] = _ompd.WaitSite(call, 0x020, 0x9600, "called")
    return case


def test_task_below_a_taskwait_is_suspended() -> None:
    assert "    task of fib at x.c:8, suspended, thread 1" in tree(with_started(9))


def test_counts_know_what_stacks_tell() -> None:
    rows = count_by_function(with_started(9).runtime)
    assert [(r.number, r.status) for r in rows if r.kind == "explicit"] == [
        (1, "running"),
        (1, "suspended"),
    ]


def test_task_below_a_taskgroup_is_not_known() -> None:
    assert "    task of fib at x.c:8, started" in tree(with_started(10))


def test_taskwait_with_priorities_may_execute_any_task() -> None:
    case = with_started(9)
    case.space.max_task_priority = 10
    assert "    task of fib at x.c:8, started" in tree(case)


def test_task_without_a_recorded_parent() -> None:
    case = hung()
    case.space.task_infos.append(_ompd.TaskInfo(0xE00, 0, 0x200, TASK_CODE, status=4))
    assert "  task of fib at x.c:8, detached" in tree(case)


def test_parents_in_a_circle() -> None:
    case = hung()
    case.space.task_infos += [
        _ompd.TaskInfo(0xE00, 0xE01, 0x200, TASK_CODE),
        _ompd.TaskInfo(0xE01, 0xE00, 0x200, TASK_CODE),
    ]
    assert tree(case)[-1] == "10 tasks"
    assert "  task of fib at x.c:8, queued" in tree(case)


def test_json() -> None:
    case = hung()
    tasks = AllTasks(case.runtime)
    lines = render_json.lines(
        "tasks", map(render_json.task, tasks), lambda: {"damaged": tasks.damaged}
    )
    document = json.loads("\n".join(lines))
    assert document["damaged"] is False
    assert document["tasks"][-1] == {
        "id": "0xa30",
        "runtime": "libgomp",
        "kind": "explicit",
        "status": "running",
        "team": "0x300",
        "thread": 5,
        "thread_num": 1,
        "parent": "0xa21",
        "function": {"name": "fib", "symbol": "fib._omp_fn.0", "file": "x.c", "line": 8},
        "flags": [],
        "priority": 0,
        "taskgroup": None,
        "predecessors": 0,
        "depends": [],
        "depends_complete": True,
    }
