# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each method answers, with the values of the fake library."""

import struct
from pathlib import Path
from typing import Any, Callable

import pytest

import _ompd
from fake import ICV_CONVERT, ICV_GLOBAL, ICV_SCOPE, ICV_WRITE, Fake, FakeServices

LWP = _ompd.THREAD_ID_LWP
PTHREAD = _ompd.THREAD_ID_PTHREAD


def test_library(fake: Fake) -> None:
    library = _ompd.Library(str(fake.path))
    assert library.path == str(fake.path)
    assert library.api_version == 202111
    assert library.version_string == "fake 1.0"
    assert library.extended is True


def test_library_takes_a_path_object(fake: Fake) -> None:
    assert _ompd.Library(fake.path).path == str(fake.path)


def test_two_libraries_of_one_file_share_it(fake: Fake, services: FakeServices) -> None:
    one = _ompd.Library(str(fake.path))
    other = _ompd.Library(f"{fake.path.parent}/../{fake.path.parent.name}/{fake.path.name}")
    assert fake.initialized() == 1
    del one
    assert fake.initialized() == 1
    assert other.open(services).omp_version == 201511
    del other
    assert fake.initialized() == 0


def test_space_keeps_its_library(fake: Fake, services: FakeServices) -> None:
    space = _ompd.Library(str(fake.path)).open(services)
    assert fake.initialized() == 1
    assert space.library.version_string == "fake 1.0"


def test_two_libraries_at_once(
    fakes: Callable[[str], Path], fake: Fake, services: FakeServices
) -> None:
    one = _ompd.Library(str(fake.path)).open(services)
    other = _ompd.Library(str(fakes("other"))).open(services)
    assert one.thread(LWP, 1000) != other.thread(LWP, 1000)
    parallel = other.thread(LWP, 1000).parallel()
    with pytest.raises(_ompd.Error) as caught:
        one.thread(LWP, 1000).thread_num(parallel)
    assert caught.value.code == _ompd.RC_BAD_INPUT


def test_space(space: Any) -> None:
    assert space.omp_version == 201511
    assert space.omp_version_string == "OpenMP 4.5"
    assert space.states() == {
        0: "ompt_state_work_serial",
        0x10: "ompt_state_wait_barrier",
        0x102: "ompt_state_undefined",
    }
    assert space.display_control_vars() == ["OMP_NUM_THREADS=4", "OMP_DYNAMIC=false"]
    assert space.layout() == ("fake", "", 3, 5, 1, 2)
    assert space.layout().probes_agreed == 5


def test_icvs(space: Any) -> None:
    icvs = space.icvs()
    assert [icv.id for icv in icvs] == list(range(1, 11))
    assert icvs[0] == _ompd.Icv(1, "fake-01-var", _ompd.SCOPE_IMPLICIT_TASK)
    assert icvs[1].scope == _ompd.SCOPE_GLOBAL
    assert icvs[9] == (10, "fake-10-var", _ompd.SCOPE_ADDRESS_SPACE)


def test_icv_is_asked_in_the_scope_of_its_home(space: Any) -> None:
    thread = space.thread(LWP, 1000)
    assert thread.icv(ICV_SCOPE) == _ompd.SCOPE_THREAD
    assert thread.parallel().icv(ICV_SCOPE) == _ompd.SCOPE_PARALLEL
    assert thread.task().icv(ICV_SCOPE) == _ompd.SCOPE_IMPLICIT_TASK
    assert thread.task().icv(ICV_GLOBAL) == _ompd.SCOPE_TASK
    assert space.icv(ICV_GLOBAL) == _ompd.SCOPE_GLOBAL
    assert space.icv(icv_id=ICV_SCOPE) == _ompd.SCOPE_ADDRESS_SPACE


def test_thread(space: Any) -> None:
    thread = space.thread(LWP, 1002)
    assert thread.id == 0x700000000002
    assert thread == space.thread(PTHREAD, 0x10000000 + 1002)
    assert thread.thread_id(LWP) == 1002
    assert thread.thread_id(PTHREAD) == 0x10000000 + 1002
    assert thread.state() == (0x10, 0xFEDCBA9876543212)
    assert thread.tool_data() == (-1, 0x5000 + _ompd.SCOPE_THREAD)
    assert thread.thread_num(thread.parallel()) == 2
    assert thread.thread_num(thread.parallel().enclosing()) is None


def test_thread_that_is_no_openmp_thread(space: Any) -> None:
    with pytest.raises(_ompd.Unavailable) as caught:
        space.thread(LWP, 999)
    assert caught.value.code == _ompd.RC_UNAVAILABLE
    assert caught.value.function == "ompd_get_thread_handle"


def test_identifiers_out_of_range(space: Any) -> None:
    for kind, ident in ((LWP, 1 << 31), (PTHREAD, 1 << 64), (PTHREAD, -1), (-1, 1)):
        with pytest.raises(OverflowError):
            space.thread(kind, ident)
    with pytest.raises(_ompd.Unavailable) as caught:
        space.thread(3, 1000)
    assert caught.value.code == _ompd.RC_UNSUPPORTED


def test_parallel(space: Any) -> None:
    parallel = space.thread(LWP, 1000).parallel()
    assert parallel.id == 0x700000000001
    outer = parallel.enclosing()
    assert outer.id == 0x700000000000
    with pytest.raises(_ompd.Unavailable):
        outer.enclosing()
    assert parallel.thread(3) == space.thread(LWP, 1003)
    assert parallel.implicit_task(2).id == 0x70000000000C
    assert parallel.task_by_id(2) == parallel.implicit_task(2)
    with pytest.raises(_ompd.Error) as caught:
        parallel.thread(thread_num=4)
    assert caught.value.code == _ompd.RC_BAD_INPUT
    with pytest.raises(OverflowError):
        parallel.thread(1 << 31)


def test_what_a_region_and_a_thread_are(space: Any) -> None:
    thread = space.thread(LWP, 1000)
    assert thread.info() == _ompd.ThreadInfo(kind=2, global_num=-1)
    assert thread.parallel().info() == _ompd.ParallelInfo(
        kind=2, serialized=True, function=0x401000, source=0xFFFF000000402000
    )


def test_task(space: Any) -> None:
    task = space.thread(LWP, 1001).task()
    assert task.id == 0x70000000000B
    assert task.parallel() == space.thread(LWP, 1000).parallel()
    assert task.generating().id == 0x700000000007
    assert task.function() == 0x40100B
    assert task.frame() == ((0x7FFFFFFFF000, 0x20), (0xFFFF800000000000, 0x11))
    assert task.info().id == 11
    assert task.info()._replace(id=0) == (0,) * 14


def test_lists_of_a_task(space: Any) -> None:
    task = space.thread(LWP, 1001).task()
    elements = [(0xFFFF000000000000 + i, i % 4) for i in range(100)]
    assert task.depends() == (elements, True)
    assert task.parallel().implicit_task(3).depends() == (elements, False)
    assert task.dependers() == [11, (1 << 64) - 1]


def test_list_of_implausible_length(space: Any, fake: Fake) -> None:
    task = space.thread(LWP, 1001).task()
    fake.fail("dependers", 0)
    with pytest.raises(_ompd.Error, match="more elements than plausible"):
        task.dependers()


def test_equality_and_hash(space: Any) -> None:
    thread, again, other = (space.thread(LWP, lwp) for lwp in (1000, 1000, 1001))
    assert thread == again and hash(thread) == hash(again)
    assert thread != other
    assert len({thread, again, other}) == 2
    # The same number, but another kind of thing.
    assert thread.parallel().id == other.id and thread.parallel() != other
    assert thread != thread.id
    with pytest.raises(TypeError):
        assert thread < other


def test_waited_lock(space: Any) -> None:
    assert space.lock_argument(2) == (7, None, 24, 0, -4, -4)
    assert space.lock_argument(return_address=0x400) == (0x405, "rbx", 24, 1, -4, -4)
    assert space.lock_argument(0) is None
    with pytest.raises(_ompd.Error):
        space.lock_argument(1)
    thread = space.thread(LWP, 1000)
    in_use = struct.pack("<3Q", 1 << 63, 0x5000, 7)
    assert thread.confirm_lock(0, 0x5000, in_use) is True
    assert thread.confirm_lock(kind=2, variable=1 << 63, in_use=in_use) is True
    assert thread.confirm_lock(1, 0x5008, in_use) is False
    assert thread.confirm_lock(1, 0x5008, b"") is False
    with pytest.raises(_ompd.Error):
        thread.confirm_lock(3, 0x5000, in_use)
    with pytest.raises(TypeError):
        thread.confirm_lock(0, 0x5000, [0x5000])


def test_wait_sites(space: Any) -> None:
    assert space.classify_call(0x401234) == (1, 0x10, 0x401234, "GOMP_barrier")
    assert space.classify_entry(entry=0x50).function == "omp_set_lock"
    assert space.thread(LWP, 1000).classify_futex(0x60) == _ompd.WaitSite(1, 0x10, 0x60, None)
    assert space.call_target(return_address=0x401239) == 0x401234
    for classify in (
        space.classify_call,
        space.call_target,
        space.classify_entry,
        space.thread(LWP, 1000).classify_futex,
    ):
        assert classify(0) is None
        with pytest.raises(_ompd.Error):
            classify(1)


def test_progress(space: Any, fake: Fake) -> None:
    thread = space.thread(LWP, 1000)
    assert thread.parallel().barrier() == (8, 5, 1, 1)
    assert thread.ordered_turn() == 3
    assert thread.loop() == (0x600, 100, 40, 3, 2, 4)
    assert thread.task().counts() == (7, 9, True)
    for function, ask in (
        ("ompd_ext_get_barrier_info", thread.parallel().barrier),
        ("ompd_ext_get_ordered_turn", thread.ordered_turn),
        ("ompd_ext_get_loop_info", thread.loop),
        ("ompd_ext_get_task_counts", thread.task().counts),
    ):
        fake.fail(function, _ompd.RC_UNAVAILABLE)
        with pytest.raises(_ompd.Unavailable):
            ask()


def test_environment(space: Any) -> None:
    assert space.environment("OMP_NUM_THREADS") == "4"
    assert space.environment("OMP_PLACES") is None
    with pytest.raises(TypeError):
        space.environment(1)


def test_tasks(space: Any, fake: Fake) -> None:
    fake.tasks(2500)
    iterator = space.thread(LWP, 1000).parallel().tasks()
    records = list(iterator)
    assert [record.id for record in records] == list(range(1, 2501))
    assert records[1] == _ompd.TaskInfo(
        id=2,
        parent_id=1,
        parallel_id=(1 << 64) - 1,
        function=0x401001,
        taskgroup=3,
        kind=2,
        status=1,
        flags=0x80000001,
        flags_known=0xFF,
        priority=-5,
        thread_num=-1,
        num_depends=2,
        num_predecessors=1,
        source=0x402000,
    )
    assert iterator.damaged is False
    assert iterator.unreached() == 9
    assert list(iterator) == []


def test_tasks_of_nothing(space: Any) -> None:
    assert list(space.tasks()) == []
    assert space.tasks().by_function() == {}


def test_unreached_is_unknown(space: Any, fake: Fake) -> None:
    iterator = space.tasks()
    fake.fail("ompd_ext_tasks_unreached", _ompd.RC_UNAVAILABLE)
    assert iterator.unreached() is None


def test_damaged_list_goes_on(space: Any, fake: Fake) -> None:
    for damaged_at in (1, 1024, 1500):
        fake.tasks(2000, damaged_at=damaged_at)
        iterator = space.tasks()
        assert len(list(iterator)) == 2000
        assert iterator.damaged is True


def test_by_function_counts(space: Any, fake: Fake) -> None:
    fake.tasks(10000)
    expected: Any = {}
    for index in range(10000):
        key = (0x401000 + index % 7, 0x402000, 2, index % 2)
        expected[key] = expected.get(key, 0) + 1
    assert space.tasks().by_function() == expected


def test_by_function_counts_what_is_left(space: Any, fake: Fake) -> None:
    fake.tasks(3000)
    iterator = space.tasks()
    for _ in range(1500):
        next(iterator)
    assert sum(iterator.by_function().values()) == 1500


def test_conversions(space: Any) -> None:
    assert space.icv(ICV_CONVERT) == 1


def test_nothing_is_written(space: Any) -> None:
    assert space.icv(ICV_WRITE) == _ompd.RC_UNSUPPORTED


def test_types_are_not_for_python_code_to_make() -> None:
    for kind in (_ompd.AddressSpace, _ompd.Thread, _ompd.Parallel, _ompd.Task, _ompd.TaskIterator):
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            object.__new__(kind)


# ---- Libraries that lack something -----------------------------------------------------------


@pytest.fixture
def plain(fakes: Callable[[str], Path], services: FakeServices) -> Any:
    """An address space of a library of the standard alone."""
    return _ompd.Library(str(fakes("plain"))).open(services)


def test_library_without_extensions(plain: Any) -> None:
    assert plain.library.extended is False
    assert plain.layout() is None
    assert plain.classify_call(5) is None
    assert plain.call_target(5) is None
    assert plain.thread(LWP, 1000).classify_futex(5) is None
    assert plain.lock_argument(5) is None
    assert plain.thread(LWP, 1000).confirm_lock(0, 5, b"") is False
    thread = plain.thread(LWP, 1000)
    for call in (
        plain.tasks,
        thread.parallel().tasks,
        lambda: thread.parallel().task_by_id(1),
        thread.task().info,
        thread.task().depends,
        lambda: thread.thread_num(thread.parallel()),
    ):
        with pytest.raises(_ompd.Unavailable) as caught:
            call()
        assert caught.value.code == _ompd.RC_UNSUPPORTED


def test_identity_without_extensions(plain: Any) -> None:
    threads = [plain.thread(LWP, lwp) for lwp in (1000, 1001, 1000, 1001, 1002)]
    assert threads[0] == threads[2] and threads[1] == threads[3]
    assert len({thread.id for thread in threads}) == 3
    assert hash(threads[0]) == hash(threads[2])
    assert threads[0].parallel() == threads[1].parallel()
    assert threads[0].task() != threads[1].task()
    assert 0 not in {thread.id for thread in threads}


def test_function_that_is_missing(fakes: Callable[[str], Path], services: FakeServices) -> None:
    space = _ompd.Library(str(fakes("sparse"))).open(services)
    thread = space.thread(LWP, 1000)
    assert thread.thread_id(LWP) == 1000
    with pytest.raises(_ompd.Unavailable) as caught:
        thread.state()
    assert caught.value.function == "ompd_get_state"
    assert caught.value.reason == "the OMPD library lacks this function"
