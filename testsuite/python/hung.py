# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hung program: six threads, two regions nested, one thread not of OpenMP."""

from typing import NamedTuple

import _ompd
from debugger import FakeDebugger, gomp, libc, user
from ompdbg.model.runtime import Runtime
from ompdbg.services import Function, SymbolAt

LOCK, TABLE_LOCK = 0x5000, 0x5100
REGION_CODE, NESTED_CODE, TASK_CODE = 0x1100, 0x1200, 0x1300
BARRIER, CRITICAL, SET_LOCK, TASKWAIT, PARALLEL = 1, 4, 5, 9, 14


class Hung(NamedTuple):
    runtime: Runtime
    space: _ompd.AddressSpace
    debugger: FakeDebugger
    initial: _ompd.Parallel
    outer: _ompd.Parallel
    inner: _ompd.Parallel


def hung() -> Hung:
    """Team 1: threads 1 (primary), 2 at a lock, 3 in critical, 4 in the nested team 1.3 with
    5, which runs a task of fib in a taskwait. Thread 6 was made by pthread_create."""
    debugger, space = FakeDebugger(), _ompd.AddressSpace()
    initial = _ompd.Parallel(0x100, 1)
    outer = _ompd.Parallel(0x200, 4, initial)
    inner = _ompd.Parallel(0x300, 2, outer)
    initial_task = _ompd.Task(_ompd.TaskInfo(0xA00, 0, 0x100, kind=0, status=1, thread_num=0))
    implicit = [
        _ompd.Task(_ompd.TaskInfo(0xA10 + i, 0xA00, 0x200, kind=1, status=0, thread_num=i))
        for i in range(4)
    ]
    nested = [
        _ompd.Task(_ompd.TaskInfo(0xA20 + i, 0xA13, 0x300, kind=1, status=1, thread_num=i))
        for i in range(2)
    ]
    fib = _ompd.Task(
        _ompd.TaskInfo(0xA30, 0xA21, 0x300, TASK_CODE, kind=2, status=0, thread_num=1), nested[1]
    )
    threads = [_ompd.Thread(0xB00 + i, outer, implicit[i]) for i in range(3)]
    threads.append(_ompd.Thread(0xB03, inner, nested[0]))
    threads.append(_ompd.Thread(0xB04, inner, fib))
    initial.members = [threads[0]]
    outer.members = threads[:4]
    inner.members = [threads[3], threads[4]]
    space.by_lwp = {101 + i: thread for i, thread in enumerate(threads)}
    space.task_infos = [t.info() for t in (initial_task, *implicit, *nested, fib)]

    base = (gomp(0x9010), libc(0x8000), libc(0x8100, "clone3"))
    region = user("main._omp_fn.0", 20, REGION_CODE + 5, REGION_CODE)
    at_lock = user("main._omp_fn.0", 22, REGION_CODE + 9, REGION_CODE)
    at_critical = user("main._omp_fn.0", 24, REGION_CODE + 13, REGION_CODE)
    at_nested = user("main._omp_fn.0", 30, REGION_CODE + 17, REGION_CODE)
    in_nested = user("main._omp_fn.1", 31, NESTED_CODE + 5, NESTED_CODE)
    in_task = user("fib._omp_fn.0", 9, TASK_CODE + 5, TASK_CODE)
    main = user("main", 19, 0x1005, 0x1000)
    fib_frame = user("fib", 12, 0x1405, 0x1400)
    debugger.add_thread(1, user("work", 3, 0x1505), region, gomp(0x9100, "GOMP_parallel"), main)
    debugger.add_thread(2, gomp(0x9202), at_lock, *base)
    debugger.add_thread(3, gomp(0x9302), at_critical, *base)
    debugger.add_thread(4, gomp(0x9402), in_nested, gomp(0x9100), at_nested, *base)
    debugger.add_thread(5, in_task, gomp(0x9500, "GOMP_taskwait"), fib_frame, in_nested, *base)
    debugger.add_thread(6, libc(0x8200, "pause"), user("plain", 40, 0x1605), *base[1:])
    debugger.sleep(2, LOCK)
    debugger.sleep(3, TABLE_LOCK)
    debugger.sleep(4, 0x300 + 8)
    threads[3].futexes[0x308] = _ompd.WaitSite(BARRIER, 0x010)
    debugger.symbols[LOCK] = SymbolAt("mylock", 0, None)
    debugger.symbols[TABLE_LOCK] = SymbolAt(".gomp_critical_user_Table", 0, None)
    for start, symbol, line in (
        (REGION_CODE, "main._omp_fn.0", 19),
        (NESTED_CODE, "main._omp_fn.1", 29),
        (TASK_CODE, "fib._omp_fn.0", 8),
    ):
        debugger.functions[start] = Function(symbol, symbol, start, "x.c", line)
    space.calls = {
        0x1005: _ompd.WaitSite(PARALLEL, 0x101, 0x9100, "GOMP_parallel"),
        REGION_CODE + 17: _ompd.WaitSite(PARALLEL, 0x101, 0x9100, "GOMP_parallel"),
        REGION_CODE + 9: _ompd.WaitSite(SET_LOCK, 0x041, 0x9200, "omp_set_lock"),
        REGION_CODE + 13: _ompd.WaitSite(CRITICAL, 0x042, 0x9300, "GOMP_critical_name_start"),
        NESTED_CODE + 5: _ompd.WaitSite(BARRIER, 0x014, 0x9400, "GOMP_barrier"),
        0x1405: _ompd.WaitSite(TASKWAIT, 0x020, 0x9500, "GOMP_taskwait"),
    }
    return Hung(Runtime(space, debugger), space, debugger, initial, outer, inner)
