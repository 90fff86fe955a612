# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads of the model and their table."""

import json

import _ompd
from hung import LOCK, hung
from ompdbg.render import json as render_json
from ompdbg.render.threads import thread_table
from ompdbg.services import TargetThread


def test_place_in_teams() -> None:
    runtime = hung().runtime
    places = [(t.thread_num, t.team_size, t.level, t.active_level) for t in runtime.threads]
    assert places == [(0, 4, 1, 1), (1, 4, 1, 1), (2, 4, 1, 1), (0, 2, 2, 2), (1, 2, 2, 2)] + [
        (None, None, None, None)
    ]
    assert [t.team.label if t.team else None for t in runtime.threads] == [
        "1",
        "1",
        "1",
        "1.3",
        "1.3",
        None,
    ]
    assert [team.label for team in runtime.teams] == ["1", "1.3"]
    assert [t.openmp for t in runtime.threads] == [True] * 5 + [False]


def test_states_and_waits() -> None:
    threads = hung().runtime.threads
    assert [t.state for t in threads] == [
        "work_parallel",
        "wait_lock",
        "wait_critical",
        "wait_barrier_explicit",
        "work_parallel",
        None,
    ]
    titles = [t.wait.title if t.wait else None for t in threads]
    assert titles == [None, "lock mylock", "critical Table", "barrier", None, None]
    assert threads[1].wait is not None
    assert (threads[1].wait.function, threads[1].wait.address) == ("omp_set_lock", LOCK)


def test_stacks_are_unwound_only_as_far_as_needed() -> None:
    case = hung()
    for thread in case.runtime.threads:
        assert thread.location is not None
    assert [case.debugger.walked[n] for n in range(1, 7)] == [1, 2, 2, 2, 1, 2]


def test_task_kinds() -> None:
    kinds = [t.task.kind if t.task else None for t in hung().runtime.threads]
    assert kinds == ["implicit"] * 4 + ["explicit", None]


def test_a_failed_thread_leaves_the_others() -> None:
    case = hung()
    case.space.by_lwp[102].failure = _ompd.Error(_ompd.RC_ERROR, "team at 0x200 is damaged")
    lines = thread_table(case.runtime.threads, None)
    assert case.runtime.threads[1].state is None
    assert case.runtime.threads[2].state == "wait_critical"
    assert lines[-1] == "? thread 2: team at 0x200 is damaged"


def test_running_threads_are_not_asked() -> None:
    case = hung()
    case.debugger.target_threads[1] = TargetThread(2, "2", 102, True, False)
    thread = case.runtime.threads[1]
    assert (thread.openmp, thread.state, thread.location, thread.team) == (None, None, None, None)
    assert "running" in thread_table(case.runtime.threads, None)[2]


def test_wide_table() -> None:
    lines = thread_table(hung().runtime.threads, None)
    head, rows = lines[0], lines[1:-1]
    assert (
        head == "Thread  OMP  Level  Team  State                  Waits for       Task      Where"
    )
    starts = [0, *(head.index(t) for t in ("OMP", "Lev", "Team", "State", "Wai", "Task", "Whe"))]
    cells = [[row[i:j].strip() for i, j in zip(starts, [*starts[1:], len(row)])] for row in rows]
    barrier = "wait_barrier_explicit"
    assert cells == [
        ["* 1", "0/4", "1", "1", "work_parallel", "", "implicit", "work at x.c:3"],
        ["2", "1/4", "1", "1", "wait_lock", "lock mylock", "implicit", "main at x.c:22"],
        ["3", "2/4", "1", "1", "wait_critical", "critical Table", "implicit", "main at x.c:24"],
        ["4", "0/2", "2", "1.3", barrier, "barrier", "implicit", "main at x.c:31"],
        ["5", "1/2", "2", "1.3", "work_parallel", "", "explicit", "fib at x.c:9"],
        ["6", "", "", "", "no OpenMP thread", "", "", "plain at x.c:40"],
    ]
    assert lines[-1] == (
        "6 threads: 2 work_parallel, 1 wait_lock, 1 wait_critical, 1 wait_barrier_explicit,"
        " 1 no OpenMP thread"
    )


def test_narrow_tables_merge_before_they_drop() -> None:
    lines = thread_table(hung().runtime.threads, 80)
    assert lines[0] == "Thread  OMP  Level  Team  State             Task      Where"
    assert lines[2] == "     2  1/4      1  1     lock mylock       implicit  main at x.c:22"
    assert max(map(len, lines)) <= 80
    for width in range(20, 90):
        narrow = thread_table(hung().runtime.threads, width)
        assert max(map(len, narrow)) <= width
        assert len(narrow) >= 8


def test_json() -> None:
    runtime = hung().runtime
    text = "\n".join(render_json.lines("threads", map(render_json.thread, runtime.threads)))
    document = json.loads(text)
    assert document["schema"] == "ompdbg/1"
    assert document["threads"][1] == {
        "gdb": 2,
        "lwp": 102,
        "name": "prog",
        "selected": False,
        "running": False,
        "openmp": True,
        "helper": False,
        "runtime": "libgomp",
        "thread_num": 1,
        "team_size": 4,
        "level": 1,
        "active_level": 1,
        "team": "0x200",
        "task": "0xa11",
        "task_kind": "implicit",
        "state": "wait_lock",
        "state_reason": None,
        "wait": {
            "kind": "lock",
            "function": "omp_set_lock",
            "address": "0x5000",
            "symbol": "mylock",
        },
        "location": {
            "function": "main",
            "symbol": "main._omp_fn.0",
            "file": "x.c",
            "line": 22,
            "address": "0x1109",
            "object": "/home/prog",
        },
    }
    assert document["threads"][5]["openmp"] is False
    assert document["threads"][5]["wait"] is None


def test_empty_list_is_json() -> None:
    assert json.loads("\n".join(render_json.lines("threads", []))) == {
        "schema": "ompdbg/1",
        "threads": [],
    }
