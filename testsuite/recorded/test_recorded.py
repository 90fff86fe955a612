# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Releases of libgomp that this machine need not have, from recorded targets.

What is expected is what the recorded program itself answered, and what its header said.
"""

from collections import Counter
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Tuple

import _ompd
import pytest
import recording
import replay
from conftest import Opened

TABLE = 3  # ompd_ext_layout_table
ABSENT = -9999  # ORACLE_ABSENT
IDLE = 0x100  # ompt_state_idle
LONELY_PAGE = 0xF0D0_0001_0000_0000  # no address of a program
# Releases that nothing in memory tells from the next.
ALIKE = {"LLVM 19": "LLVM 19 or 20"}
# Fewer probes than these would prove little.
LEAST_PROBES = 70
# The program's routines by the control variable that holds their answer.
BY_PROCESS = {
    "cancellation": "cancel-var",
    "max_task_priority": "max-task-priority-var",
    "num_procs": "num-procs-var",
    "max_teams": "nteams-var",
    "teams_thread_limit": "teams-thread-limit-var",
}
BY_THREAD = {
    "thread_num": "thread-num-var",
    "dynamic": "dyn-var",
    "default_device": "default-device-var",
    "place_num": "place-assignment-var",
    "team_num": "team-num-var",
    "num_teams": "league-size-var",
    "default_allocator": "def-allocator-var",
}
BY_REGION = {
    "num_threads": "team-size-var",
    "level": "levels-var",
    "active_level": "active-levels-var",
}
BY_TASK = {
    "in_final": "final-task-var",
    "max_active_levels": "max-active-levels-var",
    "thread_limit": "thread-limit-var",
}
BINDINGS = ["false", "true", "primary", "close", "spread", "intel", "default"]
KINDS = ["static", "dynamic", "guided", "auto"]  # omp_sched_t, from 1 on


def icv(opened: Opened, handle: Any, name: str) -> int:
    """The number of a control variable."""
    (ident,) = [found.id for found in opened.space.icvs() if found.name == name]
    value: int = handle.icv(ident)
    return value


def text(opened: Opened, handle: Any, name: str) -> str:
    """The text of a control variable."""
    (ident,) = [found.id for found in opened.space.icvs() if found.name == name]
    value: str = handle.icv_string(ident)
    return value


def regions(handle: _ompd.Thread) -> List[_ompd.Parallel]:
    """The regions of a thread, innermost first."""
    found = [handle.parallel()]
    while True:
        try:
            found.append(found[-1].enclosing())
        except _ompd.Unavailable:
            return found


def is_idle(handle: _ompd.Thread) -> bool:
    """Whether a thread waits in the pool: the program's routines mean nothing there."""
    try:
        return handle.state()[0] == IDLE
    except _ompd.Unavailable:
        return False


def is_foreign(opened: Opened, thread: recording.Thread) -> bool:
    """Whether a thread has nothing to do with OpenMP."""
    try:
        opened.thread(thread)
    except _ompd.Unavailable:
        return True
    return False


def answers(opened: Opened, handle: _ompd.Thread) -> Dict[str, Callable[[], Any]]:
    """What OMPD has to say to each of the program's answers."""
    around, task = regions(handle), handle.task()
    outermost_first = around[::-1]
    found: Dict[str, Callable[[], Any]] = {
        "in_parallel": lambda: int(icv(opened, around[0], "active-levels-var") > 0),
        "max_threads": lambda: int(text(opened, handle, "nthreads-var").split(",")[0]),
        "proc_bind": lambda: BINDINGS.index(text(opened, task, "bind-var").split(",")[0]),
        "sched_kind": lambda: kind(text(opened, task, "run-sched-var")),
        "sched_chunk": lambda: chunk(text(opened, task, "run-sched-var")),
        "ancestor_thread_num": lambda: [handle.thread_num(r) for r in outermost_first],
        "team_size": lambda: [icv(opened, r, "team-size-var") for r in outermost_first],
    }
    scopes: List[Tuple[Any, Dict[str, str]]] = [
        (opened.space, BY_PROCESS),
        (handle, BY_THREAD),
        (around[0], BY_REGION),
        (task, BY_TASK),
    ]
    for scope, names in scopes:
        for member, name in names.items():
            found[member] = partial(icv, opened, scope, name)
    return found


def kind(schedule: str) -> int:
    """The kind of `monotonic:dynamic,3`, as omp_get_schedule() tells it."""
    modifier, _, rest = schedule.rpartition(":")
    return KINDS.index(rest.partition(",")[0]) + 1 | (0x80000000 if modifier else 0)


def chunk(schedule: str) -> Optional[int]:
    """The chunk size of `dynamic,3`; None if it is not set."""
    return int(schedule.partition(",")[2]) if "," in schedule else None


def same(member: str, told: Any, oracle: Dict[str, Any]) -> bool:
    """Whether an answer of OMPD is that of the program."""
    expected = oracle[member]
    if member == "sched_chunk" and told is None:
        return bool(expected <= 0)
    if member == "sched_kind":  # with the modifier for monotonic schedules in both
        return told & 0xFFFFFFFF == expected & 0xFFFFFFFF
    return bool(told == expected)


def differences(opened: Opened) -> Tuple[List[str], "Counter[str]"]:
    """Where OMPD and the program differ, and how often each answer was compared."""
    found: List[str] = []
    compared: "Counter[str]" = Counter()
    for thread in opened.target.threads:
        if is_foreign(opened, thread):
            continue
        handle = opened.thread(thread)
        if is_idle(handle):
            continue
        oracle = thread.oracle
        assert oracle is not None
        for member, ask in answers(opened, handle).items():
            if oracle[member] == ABSENT:
                continue
            try:
                told = ask()
            except _ompd.Unavailable:
                continue
            compared[member] += 1
            if not same(member, told, oracle):
                line = "thread {}: {}: {}, the program says {}"
                found.append(line.format(thread.number, member, told, oracle[member]))
    return found, compared


# ---- Each target ------------------------------------------------------------------------------


def test_release_is_recognised_and_proven(opened: Opened) -> None:
    layout = opened.space.layout()
    assert layout is not None
    compiler = "LLVM" if opened.release.is_llvm else "GCC"
    name = "{} {}".format(compiler, opened.release.major)
    assert layout.release in (name, ALIKE.get(name))
    assert layout.runtime == opened.release.runtime.partition(".")[0]
    assert layout.doubted <= (1 if opened.release.is_llvm else 0)
    assert layout.source == TABLE
    assert layout.probes_agreed >= LEAST_PROBES
    assert layout.release in opened.space.omp_version_string


def test_answers_are_those_of_the_program(opened: Opened) -> None:
    found, compared = differences(opened)
    assert found == []
    # Every thread answers what every release keeps.
    always = (
        "thread_num",
        "num_threads",
        "level",
        "active_level",
        "in_final",
        "max_active_levels",
    )
    numbers = {compared[member] for member in always}
    assert len(numbers) == 1 and numbers != {0}


def test_both_thread_ids_name_the_same_thread(opened: Opened) -> None:
    for thread in opened.target.threads:
        if is_foreign(opened, thread):
            with pytest.raises(_ompd.Unavailable):
                opened.space.thread(_ompd.THREAD_ID_LWP, thread.lwp)
            continue
        handle = opened.thread(thread)
        assert handle.thread_id(_ompd.THREAD_ID_PTHREAD) == thread.pthread
        assert handle.thread_id(_ompd.THREAD_ID_LWP) == thread.lwp
        assert opened.space.thread(_ompd.THREAD_ID_LWP, thread.lwp) == handle


def test_thread_that_cannot_be_read_is_not_called_absent(opened: Opened) -> None:
    def offset(member: str) -> int:
        """Where glibc's thread descriptor has it."""
        address = opened.services.symbols[("_thread_db_pthread_" + member, None)]
        assert address is not None
        return int.from_bytes(opened.services.read_memory(address + 8, 4), "little")

    def ask() -> int:
        with pytest.raises(_ompd.Error) as error:
            opened.space.thread(_ompd.THREAD_ID_LWP, 1)
        code: int = error.value.code
        return code

    assert ask() == _ompd.RC_UNAVAILABLE
    # Behind the first thread the list gets another, whose kernel id is beyond readable memory.
    link = opened.target.threads[0].pthread + offset("list")
    another = LONELY_PAGE + recording.PAGE - (offset("tid") - offset("list"))
    opened.services.pages[LONELY_PAGE] = bytes(recording.PAGE)
    opened.services.write(another, opened.services.read_memory(link, 8))
    opened.services.write(link, another.to_bytes(8, "little"))
    opened.space.invalidate()
    assert ask() == _ompd.RC_ERROR


def test_members_of_a_region_are_its_threads(opened: Opened) -> None:
    for thread in opened.target.threads:
        if is_foreign(opened, thread) or is_idle(opened.thread(thread)):
            continue
        handle = opened.thread(thread)
        region = handle.parallel()
        number = handle.thread_num(region)
        assert number is not None
        assert region.thread(number) == handle
        with pytest.raises(_ompd.Error) as error:
            region.thread(icv(opened, region, "team-size-var"))
        assert error.value.code == _ompd.RC_BAD_INPUT


def test_variables_in_force_are_displayed(opened: Opened) -> None:
    shown = dict(line.split("=", 1) for line in opened.space.display_control_vars())
    (first,) = [thread for thread in opened.target.threads if thread.selected]
    oracle = first.oracle
    assert oracle is not None
    assert shown["OMP_MAX_TASK_PRIORITY"] == str(oracle["max_task_priority"])
    assert shown["OMP_CANCELLATION"] == ("true" if oracle["cancellation"] else "false")


# ---- Code of another release, and no code of the release --------------------------------------

GETTERS = (
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_get_level",
    "omp_get_team_size",
    "omp_get_ancestor_thread_num",
    "omp_get_max_threads",
    "omp_in_final",
    "omp_get_dynamic",
)
# The instructions of a getter that lead to its field, and what is flipped in each byte.
CODE_BYTES = 40
FLIPS = (0x08, 0x40)
BEGIN_BYTES = 8


def flipped(opened: Opened, address: int, flip: int) -> bool:
    """Flips a bit of recorded code. False if that code was not recorded."""
    page = opened.services.pages.get(address - address % recording.PAGE)
    if page is None:
        return False
    byte = page[address % recording.PAGE]
    opened.services.write(address, bytes([byte ^ flip]))
    return True


def target_of(release: recording.Release, name: str) -> recording.Target:
    """A target by its name."""
    (found,) = [target for target in release.targets if target.name == name]
    return found


@pytest.mark.parametrize("getter", GETTERS)
def test_changed_code_is_refused_or_changes_nothing(
    library: _ompd.Library, release: recording.Release, getter: str
) -> None:
    target = target_of(release, "nested-2-2-2-O2")
    refused = 0
    opened = Opened(library, release, target)
    opened.space.close()
    address = opened.services.symbols[(getter, "libgomp.so.1")]
    assert address is not None
    for offset in range(CODE_BYTES):
        for flip in FLIPS:
            assert flipped(opened, address + offset, flip)
            services: Any = opened.services
            try:
                opened.space = library.open(services)
            except _ompd.Error as error:
                assert error.code in (_ompd.RC_INCOMPATIBLE, _ompd.RC_UNAVAILABLE), error
                assert error.reason
                refused += error.code == _ompd.RC_INCOMPATIBLE
            else:
                assert differences(opened)[0] == []
                opened.space.close()
            flipped(opened, address + offset, flip)
    assert refused > 0


# A function that each release was the first to have.
NEWCOMERS = {
    11: "omp_fulfill_event",
    12: "omp_display_env",
    13: "GOMP_taskwait_depend_nowait",
    14: "GOMP_add_alloc",
    15: "GOMP_interop",
    16: "omp_target_memset",
}


def pretend(opened: Opened, major: int) -> None:
    """Gives the library the symbols of another release."""
    symbols = opened.services.symbols
    for first, name in NEWCOMERS.items():
        key = (name, "libgomp.so.1")
        if first > major:
            symbols[key] = None
        elif symbols[key] is None:
            symbols[key] = symbols[("GOMP_parallel", "libgomp.so.1")]


@pytest.mark.parametrize("other", [10, *NEWCOMERS])
def test_code_of_one_release_with_symbols_of_another(
    library: _ompd.Library, release: recording.Release, other: int
) -> None:
    opened = Opened(library, release, target_of(release, "nested-2-2-2-O2"))
    opened.space.close()
    pretend(opened, other)
    services: Any = opened.services
    if other == release.major:
        opened.space = library.open(services)
        assert differences(opened)[0] == []
        opened.space.close()
        return
    with pytest.raises(_ompd.Error) as error:
        library.open(services)
    assert error.value.code == _ompd.RC_INCOMPATIBLE
    assert "libgomp of an unknown release" in error.value.reason


NOT_LATER = "linked statically, and nothing tells that it is not later than GCC 16"


@pytest.mark.parametrize(
    "newest, words", [(None, NOT_LATER), (16, ""), (17, "into what has parts of GCC 17")]
)
def test_static_libgomp_that_may_be_a_later_one(
    library: _ompd.Library, release: recording.Release, newest: Optional[int], words: str
) -> None:
    """One that has all that the latest known release has is refused unless nothing in the program
    is of a later GCC; an earlier one lacks what came after it."""
    static = [target for target in release.targets if target.name == "hung-static"]
    for target in static:
        services: Any = replay.Replay(target)
        services.tell_newest_gcc(newest)
        if release.major == max(NEWCOMERS) and words:
            with pytest.raises(_ompd.Error) as error:
                library.open(services)
            assert error.value.code == _ompd.RC_INCOMPATIBLE
            assert words in error.value.reason
        else:
            space = library.open(services)
            layout = space.layout()
            assert layout is not None and layout.release == "GCC {}".format(release.major)
            space.close()
    assert len(static) == (release.major % 2 == 0)


@pytest.mark.parametrize("getter", GETTERS[:3])
def test_code_that_is_no_code_is_refused(
    library: _ompd.Library, release: recording.Release, getter: str
) -> None:
    opened = Opened(library, release, target_of(release, "hung-O2"))
    opened.space.close()
    address = opened.services.symbols[(getter, "libgomp.so.1")]
    assert address is not None
    for offset in range(BEGIN_BYTES):
        opened.services.write(address + offset, b"\x06")  # no instruction in 64-bit mode
    services: Any = opened.services
    with pytest.raises(_ompd.Error) as error:
        library.open(services)
    assert error.value.code == _ompd.RC_INCOMPATIBLE
    assert getter in error.value.reason
