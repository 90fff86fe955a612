# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who keeps whom alive, and that nothing is used or kept after its end."""

import gc
import os
import subprocess
import sys
import tracemalloc
import weakref
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

import _ompd
from fake import ICV_READ, ICV_STRING, ICV_SYMBOL, PAGE, PYTHON, Fake, FakeServices

LWP = _ompd.THREAD_ID_LWP


def all_calls(space: Any) -> Dict[str, Callable[[], object]]:
    """Something to do with each object; called once before and once after its end."""
    thread = space.thread(LWP, 1000)
    parallel, task, iterator = thread.parallel(), thread.task(), space.tasks()
    return {
        "Thread.parallel": thread.parallel,
        "Thread.task": thread.task,
        "Thread.state": thread.state,
        "Thread.thread_id": lambda: thread.thread_id(LWP),
        "Thread.thread_num": lambda: thread.thread_num(parallel),
        "Thread.classify_futex": lambda: thread.classify_futex(5),
        "Thread.confirm_lock": lambda: thread.confirm_lock(0, 5, b""),
        "Thread.icv": lambda: thread.icv(1),
        "Thread.tool_data": thread.tool_data,
        "Parallel.enclosing": parallel.enclosing,
        "Parallel.thread": lambda: parallel.thread(0),
        "Parallel.implicit_task": lambda: parallel.implicit_task(0),
        "Parallel.tasks": parallel.tasks,
        "Parallel.task_by_id": lambda: parallel.task_by_id(1),
        "Task.parallel": task.parallel,
        "Task.generating": task.generating,
        "Task.function": task.function,
        "Task.frame": task.frame,
        "Task.info": task.info,
        "Task.depends": task.depends,
        "Task.dependers": task.dependers,
        "TaskIterator.unreached": iterator.unreached,
        "TaskIterator.next": lambda: next(iterator),
    }


def calls_of_space(space: Any) -> Dict[str, Callable[[], object]]:
    return {
        "omp_version": lambda: space.omp_version,
        "omp_version_string": lambda: space.omp_version_string,
        "thread": lambda: space.thread(LWP, 1000),
        "states": space.states,
        "icvs": space.icvs,
        "icv": lambda: space.icv(1),
        "display_control_vars": space.display_control_vars,
        "layout": space.layout,
        "classify_call": lambda: space.classify_call(5),
        "call_target": lambda: space.call_target(5),
        "classify_entry": lambda: space.classify_entry(5),
        "tasks": space.tasks,
    }


def assert_stale(calls: Dict[str, Callable[[], object]], reason: str) -> None:
    for name, call in calls.items():
        with pytest.raises(_ompd.Error) as caught:
            call()
        assert caught.value.code == _ompd.RC_STALE_HANDLE, name
        assert reason in caught.value.reason, name


def test_closed_space(space: Any, fake: Fake) -> None:
    fake.tasks(1)
    calls = all_calls(space)
    calls.update(calls_of_space(space))
    space.close()
    assert fake.live() == 0
    assert_stale(calls, "closed")
    space.close()
    space.invalidate()
    space.invalidate_symbols()
    assert space.stats()["requests"] == 0
    assert space.library.version_string == "fake 1.0"


def test_handles_after_the_target_moved(space: Any, fake: Fake) -> None:
    fake.tasks(1)
    calls = all_calls(space)
    space.invalidate()
    assert_stale(calls, "the target has moved")
    for call in calls_of_space(space).values():
        call()
    for name, call in all_calls(space).items():
        if name != "TaskIterator.unreached":
            call()


def test_symbols_moved_and_handles_stay(space: Any) -> None:
    thread = space.thread(LWP, 1000)
    space.invalidate_symbols()
    assert thread.state()[0] == 0x10


def test_comparison_after_the_end(space: Any) -> None:
    thread = space.thread(LWP, 1000)
    key = {thread: 1}
    space.invalidate()
    assert thread == thread and thread.id == 0x700000000000 and key[thread] == 1
    assert thread != space.thread(LWP, 1000), "it may stand for another thing by now"
    space.close()
    assert thread == thread and hash(thread) == hash(thread)


def test_iterator_with_records_left(space: Any, fake: Fake) -> None:
    fake.tasks(10)
    iterator = space.tasks()
    next(iterator)
    space.invalidate()
    with pytest.raises(_ompd.Error):
        next(iterator)
    with pytest.raises(_ompd.Error):
        iterator.by_function()


def test_handle_keeps_its_space(fake: Fake, services: FakeServices) -> None:
    thread = _ompd.Library(str(fake.path)).open(services).thread(LWP, 1000)
    gc.collect()
    assert fake.live() == 2
    assert thread.task().parallel().thread(0) == thread
    del thread
    assert fake.live() == 0


def test_space_keeps_its_services(fake: Fake) -> None:
    services = FakeServices()
    reference = weakref.ref(services)
    space = _ompd.Library(str(fake.path)).open(services)
    del services
    gc.collect()
    assert reference() is not None
    space.close()
    assert reference() is None


def test_cycle_is_collected(fake: Fake) -> None:
    class Cyclic(FakeServices):
        space: Any = None
        handles: Any = None

    services = Cyclic()
    reference = weakref.ref(services)
    space = services.space = _ompd.Library(str(fake.path)).open(services)
    thread = space.thread(LWP, 1000)
    services.handles = [thread, thread.parallel(), thread.task(), space.tasks()]
    assert fake.live() == 5
    del services, space, thread
    gc.collect()
    assert reference() is None
    assert fake.live() == 0


def test_exceptions_do_not_keep_the_space(fake: Fake) -> None:
    services = FakeServices()
    reference = weakref.ref(services)
    space = _ompd.Library(str(fake.path)).open(services)
    fake.reads((0x100, 8))
    for _ in range(3):
        with pytest.raises(_ompd.Error):
            space.icv(ICV_READ)
    del services, space
    gc.collect()
    assert reference() is None


def round_of_everything(library: Any, services: FakeServices, fake: Fake) -> None:
    space = library.open(services)
    fake.reads((0x20000, 16))
    fake.tasks(3)
    calls = [*all_calls(space).values(), *calls_of_space(space).values()]
    calls += [lambda: space.icv(ICV_READ), lambda: space.icv(ICV_SYMBOL)]
    calls += [lambda: space.icv_string(ICV_STRING), lambda: space.icv(99)]
    calls += [lambda: list(space.tasks()), lambda: space.tasks().by_function()]
    calls += [lambda: space.thread(LWP, 1), lambda: space.thread(9, 9)]
    failed = 0
    for call in calls:
        try:
            call()
        except _ompd.Error:
            failed += 1
    assert failed == 4  # icv(99), the last two, and TaskIterator.unreached() before the end


def rounds(count: int, services: FakeServices, fake: Fake) -> None:
    for _ in range(count):
        # A library is initialized and finalized each time.
        round_of_everything(_ompd.Library(str(fake.path)), services, fake)
        services.log.clear()
        services.symbol_log.clear()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def test_nothing_leaks(fake: Fake, services: FakeServices) -> None:
    memory = bytes(PAGE)
    services.data = lambda address, size: memory[:size]
    services.symbols["name"] = 1
    rounds(50, services, fake)
    counted = [_ompd.Thread, _ompd.AddressSpace, services]
    if sys.version_info < (3, 12):  # later, None is immortal
        counted.append(None)
    counts = [sys.getrefcount(thing) for thing in counted]
    before = resident()
    tracemalloc.start()
    rounds(50, services, fake)
    first = tracemalloc.take_snapshot()
    rounds(2000, services, fake)
    second = tracemalloc.take_snapshot()
    tracemalloc.stop()
    grown = [
        entry
        for entry in second.compare_to(first, "lineno")
        if entry.count_diff > 1000 and "tracemalloc" not in str(entry.traceback)
    ]
    assert grown == []
    for thing, count in zip(counted, counts):
        assert abs(sys.getrefcount(thing) - count) < 500, thing
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps what was freed
        assert resident() - before < 8 << 20
    assert fake.live() == 0
    assert fake.initialized() == 0
    assert _ompd.live_allocations() == 0


def test_library_is_unloaded(fakes: Callable[[str], Path]) -> None:
    program = (
        "import sys, _ompd\n"
        "maps = lambda: sys.argv[1] in open('/proc/self/maps').read()\n"
        "library = _ompd.Library(sys.argv[1])\n"
        "assert maps()\n"
        "space = library.open(object())\n"
        "del library\n"
        "assert maps()\n"
        "space.thread(1, 1000)\n"
        "del space\n"
        "assert not maps()\n"
        "print('unloaded')\n"
    )
    result = subprocess.run(
        [PYTHON, "-c", program, str(fakes("full"))],
        env={**os.environ, "PYTHONPATH": str(Path(_ompd.__file__).parent)},
        stdout=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    )
    assert result.stdout == "unloaded\n"
