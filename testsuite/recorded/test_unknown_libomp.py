# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A libomp that exports something else than the release that it is like, as a later one would: what is
said of its tasks and threads is what is said where the release is known, or that it is unknown."""

from typing import Any, Dict, Iterator, List, Tuple

import _ompd
import pytest
import replay
from conftest import RELEASES, Opened

NAME = b"\0omp_get_wtick_\0"  # that no fixture asks for
NEWEST = max(release.major for release in RELEASES if release.is_llvm)
RUNNING, QUEUED, UNKNOWN = 0, 2, 8  # ompd_ext_task_running and so on
DEPENDS_LOST = 1 << 9  # ompd_ext_task_depends_lost
# What is told of every task, and never guessed.
ALWAYS = ("parent_id", "parallel_id", "function", "taskgroup", "kind", "priority", "thread_num")

TARGETS = [
    pytest.param((release, target), id="{}-{}".format(release.name, target.name))
    for release in RELEASES
    if release.is_llvm
    for target in release.targets
]


def rename(services: replay.Replay) -> None:
    """Gives a function of the runtime another name."""
    (start,) = [start for start, page in services.pages.items() if NAME in page]
    place = services.pages[start].index(NAME)
    services.write(start + place, NAME[:-2] + b"X\0")


@pytest.fixture(params=TARGETS)
def pair(request: Any, library: _ompd.Library) -> Iterator[Tuple[Opened, _ompd.AddressSpace]]:
    """A recorded target, and the same with a runtime of an unknown release."""
    opened = Opened(library, *request.param)
    services: Any = replay.Replay(opened.target)
    rename(services)
    unknown = library.open(services)
    yield opened, unknown
    unknown.close()
    opened.space.close()


def tasks_of(space: _ompd.AddressSpace) -> Dict[int, _ompd.TaskInfo]:
    """Tasks by their identities; each is listed once."""
    found: List[_ompd.TaskInfo] = list(space.tasks())
    by_id = {task.id: task for task in found}
    assert len(by_id) == len(found)
    return by_id


def test_release(pair: Tuple[Opened, _ompd.AddressSpace]) -> None:
    opened, space = pair
    layout = space.layout()
    assert layout is not None and layout.doubted > 0
    if opened.release.major == NEWEST:
        assert layout.release == "an unknown release, newest known {}".format(NEWEST)
    else:
        assert layout.release.startswith("a kin of LLVM {}".format(opened.release.major))
    assert layout.release in space.omp_version_string


def test_tasks(pair: Tuple[Opened, _ompd.AddressSpace]) -> None:
    opened, space = pair
    known, told = tasks_of(opened.space), tasks_of(space)
    # All are found: in deques, on threads, and those that wait for one of these.
    assert set(told) == set(known)
    iterator = space.tasks()
    list(iterator)
    assert iterator.unreached() is None
    for ident, task in told.items():
        for name in ALWAYS:
            assert getattr(task, name) == getattr(known[ident], name), name
        if task.status != known[ident].status:
            assert task.status == UNKNOWN and known[ident].status not in (RUNNING, QUEUED)
        both = task.flags_known & known[ident].flags_known & ~DEPENDS_LOST
        assert task.flags & both == known[ident].flags & both
        assert task.source in (known[ident].source, 0)
        if task.num_depends < known[ident].num_depends:
            assert task.flags & task.flags_known & DEPENDS_LOST


def test_threads(pair: Tuple[Opened, _ompd.AddressSpace]) -> None:
    opened, space = pair
    for thread in opened.target.threads:
        try:
            there = opened.thread(thread)
        except _ompd.Unavailable:
            with pytest.raises(_ompd.Unavailable):
                space.thread(_ompd.THREAD_ID_PTHREAD, thread.pthread)
            continue
        here = space.thread(_ompd.THREAD_ID_PTHREAD, thread.pthread)
        assert here.thread_id(_ompd.THREAD_ID_LWP) == thread.lwp
        for ask in (state_of, task_of):
            answer = ask(here)
            assert answer is None or answer == ask(there)


def state_of(thread: _ompd.Thread) -> Any:
    """What it does; None: unknown."""
    try:
        return thread.state()
    except _ompd.Error:
        return None


def task_of(thread: _ompd.Thread) -> Any:
    """The identity of its task; None: unknown."""
    try:
        return thread.task().info().id
    except _ompd.Error:
        return None
