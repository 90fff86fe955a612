# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is concluded from who waits for whom: each rule of omp why, on waits that exist as data."""

from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Sequence

import pytest

import _ompd
from ompdbg.model import diagnosis, locks
from ompdbg.model.arrived import is_counted
from ompdbg.model.asleep import SystemCall
from ompdbg.model.detached import unlisted, unlisted_of_region
from ompdbg.model.locks import BY_CODE, RECORDED, Lock
from ompdbg.model.region import Progress
from ompdbg.model.waiting import (
    BARRIER,
    BLOCKED,
    EVENT,
    LOCK,
    QUEUED,
    TASK,
    TURN,
    Edge,
    Waiting,
)
from ompdbg.render.why import headline, why_lines
from ompdbg.render.why_notes import notes

RUNTIME = SimpleNamespace(name="libgomp", services=SimpleNamespace(stack=lambda target: []))


def thread(number: int, kind: Optional[str] = None, line: int = 1, asleep: bool = True) -> Any:
    """A thread that waits at a line, or does not wait."""
    wait = None
    if kind is not None:
        wait = SimpleNamespace(kind=kind, title=kind, symbol="first", address=0x100)
    return SimpleNamespace(
        target=SimpleNamespace(number=number, label=str(number), running=False),
        wait=wait,
        runtime=RUNTIME,
        team=None,
        task=None,
        asleep=asleep,
        in_runtime=wait is not None,
        is_outside=False,
        openmp=True,
        error=None,
        state="work_parallel",
        location=SimpleNamespace(
            function="f", file="f.c", line=line, address=line, object_file=None
        ),
    )


def lock(waiters: Sequence[Any], owner: Any = None, how: Optional[str] = None) -> Lock:
    """A lock that is held."""
    found = Lock(waiters[0].wait.kind, waiters[0])
    found.waiters = list(waiters)
    found.owner, found.how, found.is_held = owner, how, True
    return found


def region(
    members: Sequence[Any], at_barrier: Sequence[int] = (), tasks_left: bool = False
) -> Any:
    """A region of which the members with these numbers are at a barrier."""
    team = SimpleNamespace(id=1, label="1", level=1, size=len(members), runtime=RUNTIME)
    for member in members:
        member.team = team
    return SimpleNamespace(
        team=team,
        members=dict(enumerate(members)),
        at_barrier={number: members[number] for number in at_barrier},
        unseen=0,
        progress=SimpleNamespace(tasks_left=tasks_left),
        opened=None,
        runs_task_at_barrier=lambda member: False,
    )


class Waits:
    """What Waiting offers."""

    def __init__(
        self,
        threads: Sequence[Any],
        edges: Sequence[Edge] = (),
        locks: Sequence[Lock] = (),
        regions: Sequence[Any] = (),
        tasks: Sequence[Any] = (),
        held_up: bool = True,
    ) -> None:
        self.process = SimpleNamespace(
            threads=list(threads), is_seen_whole=not any(one.target.running for one in threads)
        )
        self.edges: Dict[int, List[Edge]] = {
            one.target.number: [] for one in threads if one.wait is not None
        }
        for edge in edges:
            self.edges[edge.waiter.target.number].append(edge)
        self.locks, self.regions, self._tasks = list(locks), list(regions), list(tasks)
        self.mutexes: List[Lock] = []
        self._held_up = held_up

    def is_asleep(self, one: Any) -> bool:
        return bool(one.asleep)

    def is_held_up(self, one: Any) -> bool:
        return self._held_up

    def region_of(self, one: Any) -> Any:
        return next((r for r in self.regions if r.team is one.team), None)

    def tasks_of(self, runtime: Any) -> List[Any]:
        return self._tasks

    def found(self, rule: str) -> List[Any]:
        """The findings of a rule."""
        return [f for f in diagnosis.diagnose(self) if f.rule == rule]  # type: ignore[arg-type]

    def rules(self) -> List[str]:
        return [finding.rule for finding in diagnosis.diagnose(self)]  # type: ignore[arg-type]


def task(ident: int, status: str = "running") -> Any:
    return SimpleNamespace(
        id=ident, function=None, status=status, info=SimpleNamespace(parallel_id=1, parent_id=7)
    )


def ring(how: str, asleep: bool = True, length: int = 3) -> Waits:
    """Threads each of which wants the next one's lock."""
    threads = [thread(number, "lock", asleep=asleep) for number in range(1, length + 1)]
    after = [*threads[1:], threads[0]]
    locks = [lock([one], owner, how) for one, owner in zip(threads, after)]
    edges = [
        Edge(LOCK, one, owner, how == RECORDED, held)
        for one, owner, held in zip(threads, after, locks)
    ]
    return Waits(threads, edges, locks)


@pytest.mark.parametrize("length", (1, 2, 3, 8))
@pytest.mark.parametrize("how", (RECORDED, BY_CODE))
def test_deadlock(length: int, how: str) -> None:
    waits = ring(how, length=length)
    (found,) = waits.found("deadlock")
    assert [one.target.number for one in found.waiters] == list(range(1, length + 1))
    assert found.certain == (how == RECORDED)
    assert waits.rules() == ["deadlock"]  # its locks are not told again
    assert headline(found).startswith("Deadlock" if how == RECORDED else "Probably a deadlock")


def test_threads_that_may_have_got_their_locks_are_in_no_deadlock() -> None:
    waits = ring(BY_CODE, asleep=False, length=2)
    for held in waits.locks:
        held.is_held = None
    assert "deadlock" not in waits.rules()


def test_who_waits_for_a_deadlock_is_told_behind_it() -> None:
    waits = ring(RECORDED, length=2)
    other = thread(9, "barrier")
    waits.process.threads.append(other)
    waits.edges[9] = [Edge(BARRIER, other, waits.process.threads[0], True)]
    (found,) = waits.found("deadlock")
    assert 9 not in [one.target.number for one in found.waiters]
    lines = why_lines(waits, [found], 80)  # type: ignore[arg-type]
    assert "  Thread 9 waits for them" in lines


def test_lock_whose_owner_has_ended() -> None:
    one = thread(1, "nest_lock")
    held = lock([one])
    held.owner_ended = True
    waits = Waits([one], [Edge(LOCK, one, None, False, held)], [held])
    (found,) = waits.found("owner_ended")
    assert not found.certain and waits.rules() == ["owner_ended"]
    ended = "Nest_lock is probably held by a thread that has ended; thread 1 waits for it"
    assert headline(found) == ended


def test_lock_held_by_a_thread_that_works() -> None:
    one, other = thread(1, "lock"), thread(2)
    held = lock([one], other, BY_CODE)
    waits = Waits([one, other], [Edge(LOCK, one, other, False, held)], [held])
    (found,) = waits.found("lock")
    assert not found.certain and found.others == [other]
    assert headline(found) == "Lock is probably held by thread 2; thread 1 waits for it"


def test_lock_that_is_free_is_not_told() -> None:
    one = thread(1, "lock", asleep=False)
    held = lock([one])
    held.is_held = False
    assert "lock" not in Waits([one], [], [held]).rules()


@pytest.mark.parametrize("asleep", (True, False))
def test_owner_that_code_does_not_tell(asleep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock is handed on to a thread that still is where it waited, if that does not sleep."""
    monkeypatch.setattr(
        locks, "system_call", lambda one: SystemCall(202, True) if asleep else None
    )
    held = lock([thread(1, "lock")])
    held.waiters[0].wait.function = None
    monkeypatch.setattr(locks.CodeReader, "held", lambda self, one: [])
    process = SimpleNamespace(threads=held.waiters, is_seen_whole=True)
    locks._told_by_code(process, held, locks.CodeReader())
    assert held.owner is None and held.reason is not None
    assert held.reason.endswith("thread has ended" if asleep else "that waits has just got it")


def test_ordered() -> None:
    first, others = thread(1), [thread(2, "ordered"), thread(3, "ordered")]
    turn = lock(others, first, RECORDED)
    edges = [Edge(TURN, one, first, True, turn) for one in others]
    waits = Waits([first, *others], edges, [turn])
    (found,) = waits.found("ordered")
    assert found.certain and found.others == [first]
    wanted = "Threads 2, 3 wait for an ordered region: it is the turn of thread 1"
    assert headline(found) == wanted


@pytest.mark.parametrize("at", ([0, 1], [0]))
def test_barrier_to_which_not_all_have_come(at: List[int]) -> None:
    threads = [thread(1, "barrier"), thread(2, "barrier" if 1 in at else None), thread(3)]
    one = region(threads, at)
    edges = [Edge(BARRIER, threads[n], threads[2], True) for n in at]
    (found,) = Waits(threads, edges, regions=[one]).found("barrier")
    assert found.certain
    assert found.others == [t for number, t in enumerate(threads) if number not in at]
    (found,) = Waits(threads, edges, regions=[one], held_up=False).found("barrier")
    assert not found.certain


def test_different_barriers() -> None:
    threads = [thread(1, "barrier", 10), thread(2, "barrier", 20)]
    waits = Waits(threads, regions=[region(threads, [0, 1])])
    assert waits.rules() == ["different_barriers"]  # and not that nobody knows why
    # While threads leave a barrier, some are at the next one.
    assert (
        "different_barriers"
        not in Waits(threads, regions=[region(threads, [0, 1])], held_up=False).rules()
    )
    # Waiting threads run the tasks that are left.
    left = Waits(threads, regions=[region(threads, [0, 1], tasks_left=True)])
    assert "different_barriers" not in left.rules()


class Sleepers(Waiting):
    """Of threads that say themselves whether they sleep."""

    def __init__(self) -> None:
        """There is no process."""

    def is_asleep(self, thread: Any) -> bool:
        return bool(thread.asleep)


def is_held_up(
    asleep: bool = False, progress: Optional[Progress] = None, task_kind: int = 1
) -> bool:
    """Two of three threads are seen at a barrier, the third one runs a task of that kind."""
    members = [thread(1, "barrier", asleep=asleep), thread(2, "barrier", asleep=asleep), thread(3)]
    one = region(members, [0, 1])
    one.progress = progress or Progress(3, 2, 0, False, False, False)  # seen, not counted
    for member in members:
        member.handle = None
        member.task = SimpleNamespace(info=SimpleNamespace(kind=task_kind))
    return Sleepers().is_held_up(one)


def test_what_shows_that_no_thread_was_let_go_from_a_barrier() -> None:
    def counted(at: int, at_end: int = 0, tasks_left: bool = False) -> Progress:
        return Progress(3, at, at_end, True, tasks_left, False)

    assert not is_held_up() and is_held_up(asleep=True)
    assert is_held_up(progress=counted(2)) and is_held_up(progress=counted(1, 1))
    assert not is_held_up(progress=counted(1))  # the other one may have been let go
    # Tasks that are left prove nothing: threads that were let go may have made them.
    assert not is_held_up(progress=counted(0, tasks_left=True))
    assert not is_held_up(progress=counted(1, tasks_left=True))
    assert not is_held_up(progress=counted(2)._replace(cancelled=True))
    # The second that is counted may be the one that runs a task, at the next barrier.
    assert not is_held_up(progress=counted(2), task_kind=2)
    assert is_held_up(progress=counted(3), task_kind=2)


@pytest.mark.parametrize("state, has_tool", ((0x010, False), (0x001, False), (0x010, True)))
def test_threads_that_llvm_counts_were_not_let_go(state: int, has_tool: bool) -> None:
    def tool_data() -> int:
        if not has_tool:
            raise _ompd.Unavailable()
        return 0

    member = thread(1, "barrier")
    member.runtime = SimpleNamespace(space=SimpleNamespace(library=SimpleNamespace(extended=True)))
    member.handle = SimpleNamespace(state=lambda: (state, 0), tool_data=tool_data)
    assert is_counted(member) == (state == 0x010 and not has_tool)


def test_end_of_region_and_a_barrier_that_was_its_last_call() -> None:
    threads = [thread(1, "barrier"), thread(2, "barrier_parallel", 20)]
    threads[0].location = None
    one = region(threads, [0, 1])
    one.progress = Progress(2, 1, 1, True, False, False)
    assert Waits(threads, regions=[one]).rules() == ["different_barriers"]
    one.team.level = 2
    assert "different_barriers" not in Waits(threads, regions=[one]).rules()
    one.team.level = 1
    one.progress = Progress(2, 1, 1, False, False, False)  # only seen
    assert "different_barriers" not in Waits(threads, regions=[one]).rules()


def test_not_all_at_the_same_barrier_or_just_let_go() -> None:
    threads = [thread(1, "barrier", 10), thread(2, "barrier", 20), thread(3)]
    one = region(threads[:2], [0, 1])
    (found,) = Waits(threads[:2], regions=[one], held_up=False).found("unknown")
    wanted = "Region 1: all 2 threads are at a barrier, or just were, but not at the same one"
    assert headline(found) == wanted
    (found,) = Waits(threads, regions=[region(threads, [0, 1])], held_up=False).found("barrier")
    wanted = "Region 1: 2 of 3 threads are at a barrier, or just were, but not at the same one"
    assert headline(found) == wanted


def test_threads_that_may_run_their_tasks_at_the_barrier() -> None:
    threads = [thread(1, "barrier"), thread(2), thread(3)]
    one = region(threads, [0])
    one.runs_task_at_barrier = lambda member: None if member is threads[1] else False
    (found,) = Waits(threads, regions=[one]).found("barrier")
    wanted = "Region 1: 1 of 3 threads has come to a barrier, 1 has not, 1 runs a task"
    assert headline(found) == wanted
    one.runs_task_at_barrier = lambda member: None
    (found,) = Waits(threads, regions=[one]).found("barrier")
    assert headline(found) == "Region 1: 1 of 3 threads has come to a barrier, 2 run tasks"


def test_threads_that_have_left_their_region_or_not_begun_it() -> None:
    threads = [thread(1, "barrier")]
    one = region(threads, [0])
    one.team.size = 2
    (found,) = Waits(threads, regions=[one]).found("unknown")
    wanted = "Region 1: 1 of 2 threads is at a barrier, of the other nothing is known"
    assert headline(found) == wanted
    threads = [thread(1, "barrier"), thread(2), thread(3, "idle")]
    one = region(threads, [0])
    one.team.size, one.opened, threads[2].location = 5, threads[0].location, None
    waits = Waits(threads, regions=[one])
    (found,) = waits.found("barrier")
    assert headline(found) == "Region 1: 1 of 5 threads has come to a barrier, 2 have not"


def test_tasks_that_are_left_when_all_have_come() -> None:
    threads = [thread(1, "barrier"), thread(2)]
    one = region(threads, [0], tasks_left=True)
    (found,) = Waits(threads, regions=[one]).found("barrier")
    assert headline(found) == "Region 1: all 2 threads have come to a barrier, tasks run"


def test_place_of_a_wait_that_is_the_last_call_of_a_region() -> None:
    threads = [thread(1, "barrier"), thread(2, "barrier"), thread(3, "lock")]
    one = region(threads, [0, 1])
    one.opened = threads[0].location
    threads[1].location = None
    waits = Waits(threads, regions=[one])
    lines = why_lines(waits, waits.found("barrier"), 80)  # type: ignore[arg-type]
    assert lines[1].split() == ["threads", "1,", "2", "barrier", "f", "at", "f.c:1"]


def test_doacross_that_nobody_is_left_to_go_on_with() -> None:
    threads = [thread(1, "doacross"), thread(2, "doacross"), thread(3, "barrier")]
    turn = lock(threads[:2])
    waits = Waits(threads, [], [turn], [region(threads, [2])])
    (found,) = waits.found("ordered")
    (note,) = notes(waits, found)  # type: ignore[arg-type]
    assert note.endswith("one of them is just about to go on, or none ever will")
    waits = Waits([*threads[:2], thread(3)], [], [turn], [region([*threads[:2], thread(3)])])
    assert not notes(waits, waits.found("ordered")[0])  # type: ignore[arg-type]


def test_same_barrier_is_no_finding_of_different_ones() -> None:
    threads = [thread(1, "barrier", 10), thread(2, "barrier", 10)]
    waits = Waits(threads, regions=[region(threads, [0, 1])])
    assert waits.rules() == ["unknown"]


def test_event() -> None:
    one = thread(1, "taskwait")
    (found,) = Waits([one], [Edge(EVENT, one, None, True, task=task(5))]).found("event")
    assert found.certain and found.task.id == 5
    (found,) = Waits([one], [Edge(EVENT, one, None, False)]).found("event")
    assert not found.certain and found.task is None
    wanted = "Probably the event of a detached task is not fulfilled: thread 1 waits for it"
    assert headline(found) == wanted


def test_tasks() -> None:
    one, runner = thread(1, "taskwait"), thread(2)
    (found,) = Waits([one, runner], [Edge(TASK, one, runner, True, task=task(5))]).found("task")
    assert found.others == [runner]
    assert headline(found) == "Thread 1 waits for a task that thread 2 runs"
    edge = Edge(TASK, one, runner, True, task=task(5), through=task(6))
    (found,) = Waits([one, runner], [edge]).found("task")
    assert "before it comes one that thread 2 runs" in headline(found)
    (found,) = Waits([one], [Edge(BLOCKED, one, None, True, task=task(5))]).found("task")
    assert "a task that is blocked" in headline(found)


def test_queued_tasks() -> None:
    threads = [thread(1, "lock"), thread(2, "critical")]
    one = region(threads)
    ready = [task(5, "queued"), task(6, "queued")]
    (found,) = Waits(threads, regions=[one], tasks=ready).found("queued")
    assert (
        headline(found) == "2 tasks of region 1 are queued, and all of its threads sleep elsewhere"
    )
    assert found.waiters == threads
    # Somebody who may run them:
    threads[1] = thread(2, "taskwait")
    edges = [Edge(QUEUED, threads[1], None, True, task=ready[0])]
    assert not Waits(threads, edges, regions=[region(threads)], tasks=ready).found("queued")


def test_unknown_and_nothing() -> None:
    one = thread(1, "barrier")
    (found,) = Waits([one]).found("unknown")
    assert found.waiters == [one]
    assert Waits([thread(1), thread(2)]).rules() == []
    nothing = why_lines(Waits([]), [], 80)  # type: ignore[arg-type]
    assert nothing == ["No thread waits for another."]
    two = [thread(1), thread(2)]
    two[1].target.running = True
    assert why_lines(Waits(two), [], 80) == [  # type: ignore[arg-type]
        "No thread that is stopped waits for another.",
        "Nothing is known of 1 thread that runs.",
    ]
    two[0].target.running = True
    assert why_lines(Waits(two), [], 80) == [  # type: ignore[arg-type]
        "Nothing is known of 2 threads that run."
    ]


def test_nothing_is_known_of_threads() -> None:
    two = [thread(1), thread(2)]
    two[0].error = "its memory is damaged"
    assert why_lines(Waits(two), [], 80) == [  # type: ignore[arg-type]
        "No thread of which something is known waits for another.",
        "Nothing is known of 1 thread: its memory is damaged.",
    ]
    two[1].error = two[0].error
    assert why_lines(Waits(two), [], 80) == [  # type: ignore[arg-type]
        "Nothing is known of 2 threads: its memory is damaged."
    ]


def test_of_threads_that_run_nothing_is_concluded() -> None:
    """They may have come to the barrier, may hold the lock, may run the tasks."""
    stopped, runs, other = thread(1, "barrier"), thread(2), thread(3)
    runs.target.running = True
    one = region([stopped], [0])
    one.team.size, one.unseen = 2, 1
    waits = Waits([stopped, runs], regions=[one])
    (found,) = waits.found("barrier")
    assert waits.rules() == ["barrier"]  # and not that all have come to it
    wanted = "Region 1: 1 of 2 threads has come to a barrier, nothing is known of 1"
    assert headline(found) == wanted
    one = region([stopped, other], [0])
    one.team.size, one.unseen = 3, 1
    (found,) = Waits([stopped, runs, other], regions=[one]).found("barrier")
    wanted = "Region 1: 1 of 3 threads has come to a barrier, 1 has not, nothing is known of 1"
    assert headline(found) == wanted
    for_task = thread(1, "taskwait")
    (found,) = Waits([for_task, runs]).found("unknown")
    assert headline(found) == "Thread 1 waits, or just did: for what is not known"
    at_lock = thread(1, "lock")
    one = region([at_lock])
    one.team.size, one.unseen = 2, 1
    assert not Waits([at_lock, runs], regions=[one], tasks=[task(5, "queued")]).found("queued")


def counted(children: int, group: int, detached: bool, kind: int = 1) -> Any:
    """A thread whose task has so many children that are not done."""
    one = thread(1, "taskwait")
    info = SimpleNamespace(kind=kind, id=7)
    one.task = SimpleNamespace(counts=(children, group, detached), info=info)
    return one


def test_tasks_that_are_in_no_list() -> None:
    assert unlisted(counted(3, 0, True), [task(1), task(2)], False) == 1
    assert unlisted(counted(2, 0, True), [task(1), task(2)], False) == 0
    assert unlisted(counted(1, 4, True), [task(1)], True) == 3
    # A task that is about to begin or to end is in no list either.
    assert unlisted(counted(3, 0, False), [], False) == 0
    assert unlisted(thread(1, "taskwait"), [], False) == 0
    members = [counted(1, 0, True), counted(2, 0, True)]
    assert unlisted_of_region(region(members), []) == 3
    explicit = region([counted(1, 0, True, kind=2)])
    assert unlisted_of_region(explicit, []) == 0


def test_spins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of threads of which nothing else was told, those in the same loop together."""
    from ompdbg.model import severity
    from ompdbg.model.spinning import Spin
    from ompdbg.render import why

    threads = [
        thread(1, "barrier"),
        *(thread(n) for n in (2, 3, 4)),
        thread(5, line=7, asleep=False),
    ]
    loops = {2: Spin(("go_on",), False), 3: Spin(("go_on",), False), 4: Spin((), True)}
    for module in (diagnosis, severity, why):
        monkeypatch.setattr(module, "spin_of", lambda one: loops.get(one.target.number))
    alone = Waits(threads[1:])
    found = diagnosis.diagnose(alone)
    assert [headline(one) for one in found] == [
        "Threads 2, 3 spin until somebody else changes go_on",
        "Thread 4 is in an endless loop",
    ]
    # Thread 5 may end them.
    assert {severity.severity(alone, one) for one in found} == {severity.WAITING}
    assert why_lines(alone, found, None)[1:4] == [
        "  threads 2, 3  spin on go_on  f at f.c:1",
        "Thread 4 is in an endless loop",
        "  thread 4  in an endless loop  f at f.c:1",
    ]
    without = Waits(threads[1:4])
    assert severity.severity(without, found[0]) == severity.HELD_UP
    # The others of a barrier are told with it.
    waits = Waits(threads[:4], regions=[region(threads[:4], [0])])
    told, *others = diagnosis.diagnose(waits)
    assert told.rule == diagnosis.INCOMPLETE_BARRIER
    assert diagnosis.SPIN not in {one.rule for one in others}
    assert severity.severity(waits, told) == severity.HELD_UP
    assert "  threads 2, 3  spin on go_on       f at f.c:1" in why_lines(waits, [told], None)
