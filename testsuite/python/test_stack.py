# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logical stacks."""

from typing import Any, List, Tuple

import _ompd
from debugger import gomp, libc, signal, user
from hung import REGION_CODE, TASK_CODE, Hung, hung
from ompdbg.model.stack import LogicalStack, logical_stack
from ompdbg.model.stack_groups import Group, grouped, line_of, ranges
from ompdbg.render.stack import Options, group_lines, shown_parts, stack_lines
from ompdbg.services import Variable


def stack(case: Hung, number: int) -> LogicalStack:
    return logical_stack(case.runtime.threads[number - 1])


def shape(found: LogicalStack) -> List[Tuple[int, List[str]]]:
    return [
        (
            part.thread.target.number,
            [f.construct or f.function or "?" for f in part.frames if f.kind == "user"],
        )
        for part in found.parts
    ]


def test_primary_goes_straight_to_main() -> None:
    assert shape(stack(hung(), 1)) == [(1, ["work", "parallel region", "main"])]


def test_worker_goes_on_in_the_thread_that_encountered_the_region() -> None:
    assert shape(stack(hung(), 2)) == [(2, ["parallel region"]), (1, ["main"])]


def test_nested_worker_crosses_both_regions() -> None:
    found = stack(hung(), 5)
    assert shape(found) == [
        (5, ["task", "fib", "parallel region"]),
        (4, ["parallel region"]),
        (1, ["main"]),
    ]
    assert found.note is None
    assert [(p.team.label, p.thread_num) for p in found.parts if p.team] == [
        ("1.3", 1),
        ("1", 3),
        ("-", 0),
    ]


def test_text() -> None:
    lines = stack_lines(stack(hung(), 5), Options(arguments=lambda part, frame: []))
    assert lines == [
        "-- thread 5: OpenMP thread 1 of 2, team 1.3, level 2 --",
        "#0  task of fib at x.c:8, line 9",
        "#2  fib () at x.c:12",
        "#3  parallel region of main at x.c:29, line 31",
        "-- thread 4: OpenMP thread 3 of 4, team 1, level 1 --",
        "#3  parallel region of main at x.c:19, line 30",
        "-- thread 1: outside of parallel regions --",
        "#3  main () at x.c:19",
    ]


def test_limit_counts_user_frames_over_all_parts() -> None:
    lines = stack_lines(stack(hung(), 5), Options(limit=4))
    assert [line for line in lines if line.startswith("#")][-1].startswith("#3  parallel region")
    assert lines[-1] == "(More stack frames follow...)"


def test_raw_shows_the_runtime() -> None:
    lines = stack_lines(stack(hung(), 2), Options(raw=True))
    assert lines[1] == "#0  0x0000000000009202 in ?? () from libgomp.so.1"
    assert lines[4] == "#3  0x0000000000008000 in start_thread () from libc.so.6"


def test_task_run_in_the_barrier_at_the_end_of_a_region() -> None:
    """Task code called from below GOMP_parallel is a task, not the region."""
    case = hung()
    task = _ompd.TaskInfo(0xA40, 0xA10, 0x200, TASK_CODE, thread_num=0, status=0)
    case.space.by_lwp[101].current = _ompd.Task(task)
    case.debugger.stacks[1][0:2] = [user("fib._omp_fn.0", 9, TASK_CODE + 5, TASK_CODE)]
    assert shape(stack(case, 1)) == [(1, ["task", "main"])]


def test_task_run_by_a_worker_at_the_end_of_a_region() -> None:
    case = hung()
    task = _ompd.TaskInfo(0xA40, 0xA10, 0x200, TASK_CODE, thread_num=1, status=0)
    case.space.by_lwp[102].current = _ompd.Task(task)
    frames = [user("fib._omp_fn.0", 9, TASK_CODE + 5, TASK_CODE), gomp(0x9600), gomp(0x9010)]
    case.debugger.stacks[2] = [f._replace(level=i) for i, f in enumerate(frames)]
    assert shape(stack(case, 2)) == [(2, ["task"]), (1, ["main"])]


def test_undeferred_task_by_its_call() -> None:
    case = hung()
    case.space.calls[0x1705] = _ompd.WaitSite(15, 0x101, 0x9700, "GOMP_task")
    frames = [user("g._omp_fn.0", 2, 0x1805), gomp(0x9700), user("g", 5, 0x1705)]
    case.debugger.stacks[1][0:1] = frames
    assert shape(stack(case, 1))[0] == (1, ["task", "g", "parallel region", "main"])


def test_signal_handler_stays_in_the_stack() -> None:
    case = hung()
    case.debugger.stacks[1][0:0] = [user("handler", 50, 0x1905), signal(0x8400)]
    lines = stack_lines(stack(case, 1), Options())
    assert lines[1:4] == [
        "#0  handler () at x.c:50",
        "#0  <signal handler called>",
        "#0  work () at x.c:3",
    ]


def test_stripped_program() -> None:
    case = hung()
    for frames in case.debugger.stacks.values():
        for index, frame in enumerate(frames):
            if frame.object_file is None:
                frames[index] = frame._replace(
                    function=None, symbol=None, file=None, line=None, start=None
                )
    case.debugger.functions.clear()
    lines = stack_lines(stack(case, 2), Options())
    assert lines[1] == f"#1  parallel region of {REGION_CODE + 9:#x} in prog"
    assert lines[3] == "#3  0x1005 in prog"


def test_tail_called_runtime_function() -> None:
    """GOMP_parallel was jumped to: its caller left no frame, but it has one itself."""
    case = hung()
    del case.space.calls[0x1005]
    case.space.entries[0x9100] = _ompd.WaitSite(14, 0x101, 0x9100, "GOMP_parallel")
    assert shape(stack(case, 2)) == [(2, ["parallel region"]), (1, ["main"])]


def test_region_whose_call_is_not_found() -> None:
    case = hung()
    case.space.calls[0x1005] = _ompd.WaitSite(0, 0x101, 0x9A00, "omp_get_num_threads")
    found = stack(case, 2)
    assert shape(found) == [(2, ["parallel region"])]
    assert found.note == "thread 1 encountered the region; its call was not found"


def test_call_that_cannot_be_followed() -> None:
    """As many calls as regions: the one that cannot be followed opened the region."""
    case = hung()
    del case.space.calls[0x1005]
    assert shape(stack(case, 2)) == [(2, ["parallel region"]), (1, ["main"])]


def test_worker_that_jumped_into_its_nested_region() -> None:
    """Neither the region's code nor GOMP_parallel left a frame on thread 4."""
    case = hung()
    nested = case.debugger.stacks[4][1]
    case.debugger.stacks[4] = [gomp(0x9402), nested, gomp(0x9100), gomp(0x9010), libc(0x8000)]
    found = stack(case, 5)
    assert shape(found) == [(5, ["task", "fib", "parallel region"]), (4, []), (1, ["main"])]
    assert found.note is None


def test_primary_at_the_end_of_its_region() -> None:
    """No user frame is younger than the call that opened the region."""
    case = hung()
    case.debugger.stacks[1] = [gomp(0x9A02), gomp(0x9100), user("main", 19, 0x1005, 0x1000)]
    assert shape(stack(case, 2)) == [(2, ["parallel region"]), (1, ["main"])]


def test_cycle_of_regions_ends() -> None:
    case = hung()
    case.outer.members[0] = case.outer.members[1]
    found = stack(case, 2)
    assert found.parts[0].thread.target.number == 2
    assert len(found.parts) <= 2


def test_thread_without_openmp() -> None:
    case = hung()
    assert shape(stack(case, 6)) == [(6, ["plain"])]
    assert stack_lines(stack(case, 6), Options())[0] == "-- thread 6: no OpenMP thread --"


def test_idle_thread() -> None:
    case = hung()
    case.space.by_lwp[102].region = None
    case.space.by_lwp[102].recorded = (0x100, 0)
    case.debugger.stacks[2] = [gomp(0x9202), gomp(0x9010), libc(0x8000)]
    lines = stack_lines(stack(case, 2), Options())
    assert lines == ["-- thread 2: idle in pool --", "no user frame"]


def test_ranges() -> None:
    assert ranges([5, 1, 2, 3]) == "1-3,5"
    assert ranges([0]) == "0"


def test_each_thread_is_in_one_group() -> None:
    case = hung()
    groups = grouped(case.runtime.threads, logical_stack, lambda s: shown_parts(s, Options()))
    numbers = [thread.target.number for group in groups for thread in group.threads]
    assert sorted(numbers) == [thread.target.number for thread in case.runtime.threads]
    for group in groups:
        assert len({id(thread.team) for thread in group.threads}) == 1


def sizes_of_groups(line: int, *place_of: Any) -> List[int]:
    """Of two threads that are at different addresses, so many lines apart."""
    case = hung()
    for number, count in ((2, 0), (3, 1)):
        case.debugger.stacks[number] = [
            f._replace(pc=f.pc + 4 * count, line=f.line + line * count) if f.line else f
            for f in case.debugger.stacks[2]
        ]
    threads = case.runtime.threads[1:3]

    def parts(found: LogicalStack) -> Any:
        return shown_parts(found, Options())

    return [len(one.threads) for one in grouped(threads, logical_stack, parts, *place_of)]


def test_in_one_line_threads_are_told_together() -> None:
    """A line may have several calls. Not where addresses are told."""
    assert sizes_of_groups(0, line_of) == [2]
    assert sizes_of_groups(1, line_of) == [1, 1]
    assert sizes_of_groups(0) == [1, 1]


def test_arguments_of_several_threads_are_left_out() -> None:
    case = hung()
    found = stack(case, 5)
    options = Options(arguments=lambda part, frame: [Variable("n", "1")])
    threads = [thread for thread in case.runtime.threads if thread.team is found.parts[0].team]
    assert len(threads) == 2
    alone, together = (
        group_lines(Group(some, found), options) for some in ([threads[1]], threads)
    )
    assert alone[2] == "#2  fib (n=1) at x.c:12"
    assert together[2] == "#2  fib (...) at x.c:12"
    assert together[0] == "-- threads 4-5: OpenMP threads 0-1 of 2, team 1.3, level 2 --"
    # What follows is of one thread only.
    assert together[-1] == alone[-1] == "#3  main (n=1) at x.c:19"


def test_headings_are_broken() -> None:
    case = hung()
    found = stack(case, 5)
    lines = stack_lines(found, Options(width=40))
    assert lines[:2] == ["-- thread 5: OpenMP thread 1 of 2,", "   team 1.3, level 2 --"]
