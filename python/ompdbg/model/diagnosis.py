# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a program does not go on: what can be said of that at one stop.

Each rule is a function that looks at the graph of waits and tells of what it has found. A finding
is certain if nothing but what was read leads to it; else it says what was concluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ompdbg.model.locks import BY_CODE, Lock
from ompdbg.model.region import BARRIERS
from ompdbg.model.spinning import spin_of
from ompdbg.model.waiting import BLOCKED, EVENT, LOCK, QUEUED, TASK, Edge, Waiting

if TYPE_CHECKING:
    from ompdbg.model.region import Region
    from ompdbg.model.task import Task
    from ompdbg.model.thread import Thread

# Names of the rules, in the order in which they are told.
DEADLOCK = "deadlock"
ENDED_OWNER = "owner_ended"
LOST_THREADS = "lost_threads"
DIFFERENT_BARRIERS = "different_barriers"
UNFULFILLED_EVENT = "event"
HELD_LOCK = "lock"
ORDERED_TURN = "ordered"
TASK_WAIT = "task"
QUEUED_TASKS = "queued"
INCOMPLETE_BARRIER = "barrier"
SPIN = "spin"
UNKNOWN = "unknown"


class Finding(NamedTuple):
    """Something that threads wait for."""

    rule: str
    certain: bool
    waiters: "List[Thread]"
    edges: List[Edge]  # why; of a deadlock, in the order of the cycle
    region: "Optional[Region]" = None
    lock: Optional[Lock] = None
    task: "Optional[Task]" = None
    others: "Sequence[Thread]" = ()  # for whom they wait


def diagnose(waiting: Waiting) -> List[Finding]:
    """All findings, causes first."""
    found: List[Finding] = []
    for rule in _RULES:
        found.extend(rule(waiting))
    return found + spins(waiting, found)


def of_thread(waiting: Waiting, thread: "Thread") -> "List[Thread]":
    """The thread, and all for which it waits, directly or not; the nearest first."""
    found = {thread.target.number: thread}
    pending = [thread]
    while pending:
        for edge in waiting.edges.get(pending.pop(0).target.number, []):
            if edge.thread is not None and edge.thread.target.number not in found:
                found[edge.thread.target.number] = edge.thread
                pending.append(edge.thread)
    return list(found.values())


def behind(waiting: Waiting, threads: "Sequence[Thread]") -> "List[Thread]":
    """The threads that wait for these, directly or not."""
    numbers = {thread.target.number for thread in threads}
    return [
        thread
        for thread in waiting.process.threads
        if thread.target.number not in numbers
        and thread.target.number in waiting.edges
        and any(t.target.number in numbers for t in of_thread(waiting, thread))
    ]


# ---- Threads that wait for one another ------------------------------------------------------


def deadlocks(waiting: Waiting) -> List[Finding]:
    """Cycles: each thread waits until the next has done something."""
    graph = {
        number: [edge for edge in edges if edge.thread is not None and _holds(waiting, edge)]
        for number, edges in waiting.edges.items()
    }
    found: List[Finding] = []
    told: Set[int] = set()
    for start in sorted(graph):
        if start in told:
            continue
        cycle = _cycle(graph, start)
        if not cycle or told.intersection(edge.waiter.target.number for edge in cycle):
            continue
        told.update(edge.waiter.target.number for edge in cycle)
        certain = all(edge.certain for edge in cycle)
        found.append(Finding(DEADLOCK, certain, [edge.waiter for edge in cycle], cycle))
    return found


def _holds(waiting: Waiting, edge: Edge) -> bool:
    """What is not certain of a lock's owner is an inference that may be told; a thread that may
    have been let go by its barrier is not in a deadlock."""
    if edge.kind == LOCK and edge.lock is not None and edge.lock.how == BY_CODE:
        return waiting.is_asleep(edge.waiter) or edge.lock.is_held is True
    return edge.certain


def _cycle(graph: "Dict[int, List[Edge]]", start: int) -> List[Edge]:
    """A shortest way from a thread back to it; [] if there is none."""
    ways: List[List[Edge]] = [[edge] for edge in graph[start]]
    seen: Set[int] = set()
    while ways:
        longer: List[List[Edge]] = []
        for way in ways:
            last = way[-1].thread
            assert last is not None
            number = last.target.number
            if number == start:
                return way
            if number not in seen:
                seen.add(number)
                longer.extend([*way, edge] for edge in graph.get(number, []))
        ways = longer
    return []


# ---- Locks ----------------------------------------------------------------------------------


def ended_owners(waiting: Waiting) -> List[Finding]:
    """Return locks that name an owner which does not exist. It may have ended, or the lock be
    damaged: neither is certain."""
    return [
        Finding(ENDED_OWNER, False, list(lock.waiters), [], lock=lock)
        for lock in waiting.locks
        if lock.owner_ended
    ]


def held_locks(waiting: Waiting) -> List[Finding]:
    """Locks, and ordered regions, that are not told of in a deadlock."""
    told = {id(edge.lock) for finding in deadlocks(waiting) for edge in finding.edges if edge.lock}
    return [
        Finding(
            ORDERED_TURN if lock.kind in ("ordered", "doacross") else HELD_LOCK,
            lock.owner is not None and lock.how != BY_CODE,
            list(lock.waiters),
            [edge for t in lock.waiters for edge in waiting.edges[t.target.number]],
            lock=lock,
            others=_others(waiting, lock),
        )
        for lock in (*waiting.locks, *waiting.mutexes)
        if not lock.owner_ended and lock.is_held is not False and id(lock) not in told
    ]


def _others(waiting: Waiting, lock: Lock) -> "List[Thread]":
    """For whom the waiters of a lock wait; of an ordered region, if it is not known whose turn it
    is: who may have it."""
    if lock.owner is not None:
        return [lock.owner]
    region = waiting.region_of(lock.waiters[0])
    if region is None or lock.kind not in ("ordered", "doacross"):
        return []
    return [
        thread
        for number, thread in region.members.items()
        if number not in region.at_barrier and thread not in lock.waiters
    ]


# ---- Barriers -------------------------------------------------------------------------------


def lost_threads(waiting: Waiting) -> List[Finding]:
    """Regions of which the process has not all threads: they were another process's, and fork()
    left them there. Those that are in the runtime wait for them, or will."""
    found: List[Finding] = []
    for region in waiting.regions:
        if not region.unseen or not waiting.process.is_seen_whole or not region.team.lost:
            continue
        waiters = [thread for thread in region.members.values() if thread.in_runtime]
        if waiters:
            found.append(Finding(LOST_THREADS, True, waiters, [], region))
    return found


_END = ("end of region",)


def barrier_place(thread: "Thread") -> Tuple[object, ...]:
    """At which barrier of the source a thread is."""
    wait, place = thread.wait, thread.location
    if wait is not None and wait.kind == "barrier_parallel":
        return _END
    if place is None:
        return ("",)
    return (place.function, place.file, place.line if place.line else place.address)


def at_several_places(region: "Region") -> bool:
    """Not all that are seen at its barriers are at the same one, or some were just let go."""
    places = {barrier_place(thread) for thread in region.at_barrier.values()}
    if ("",) not in places:
        return len(places) > 1
    if region.team.level != 1:
        return False  # at the end of a nested region, workers of libgomp wait twice
    progress = region.progress
    return _END in places and progress is not None and progress.counted and progress.arrived > 0


def different_barriers(waiting: Waiting) -> List[Finding]:
    """Threads of one team that wait at different barriers: not all will come to either."""
    found: List[Finding] = []
    for region in waiting.regions:
        if not at_several_places(region) or not waiting.is_held_up(region):
            continue
        if region.progress is not None and region.progress.tasks_left:
            continue
        waiters = list(region.at_barrier.values())
        missing = [t for n, t in region.members.items() if n not in region.at_barrier]
        found.append(Finding(DIFFERENT_BARRIERS, True, waiters, [], region, others=missing))
    return found


def incomplete_barriers(waiting: Waiting) -> List[Finding]:
    """Barriers to which not all threads have come."""
    told = {id(f.region) for f in (*lost_threads(waiting), *different_barriers(waiting))}
    found: List[Finding] = []
    for region in waiting.regions:
        missing = [t for n, t in region.members.items() if n not in region.at_barrier]
        if not region.at_barrier or id(region) in told or not (missing or region.unseen):
            continue
        waiters = list(region.at_barrier.values())
        certain = waiting.is_held_up(region)
        found.append(Finding(INCOMPLETE_BARRIER, certain, waiters, [], region, others=missing))
    return found


# ---- Tasks ----------------------------------------------------------------------------------


def _by_task(waiting: Waiting, kinds: Sequence[str]) -> "Dict[int, List[Edge]]":
    found: Dict[int, List[Edge]] = {}
    for edges in waiting.edges.values():
        for edge in edges:
            if edge.kind in kinds and edge.task is not None:
                found.setdefault(edge.task.id, []).append(edge)
    return found


def _waiters(edges: Sequence[Edge]) -> "List[Thread]":
    return list({edge.waiter.target.number: edge.waiter for edge in edges}.values())


def unfulfilled_events(waiting: Waiting) -> List[Finding]:
    """Detached tasks whose code is done and whose event nobody has fulfilled."""
    found = [
        Finding(UNFULFILLED_EVENT, True, _waiters(edges), edges, task=edges[0].task)
        for edges in _by_task(waiting, (EVENT,)).values()
    ]
    unlisted: Dict[int, List[Edge]] = {}
    for number, edges in waiting.edges.items():
        for edge in edges:
            if edge.kind == EVENT and edge.task is None:
                team = edge.waiter.team
                at_barrier = edge.waiter.wait is not None and edge.waiter.wait.kind in BARRIERS
                key = team.id if at_barrier and team is not None else -number
                unlisted.setdefault(key, []).append(edge)
    for edges in unlisted.values():
        found.append(Finding(UNFULFILLED_EVENT, False, _waiters(edges), edges))
    return found


def awaited_tasks(waiting: Waiting) -> List[Finding]:
    """Tasks that run on another thread, or are blocked for a reason that is not known."""
    found: List[Finding] = []
    for edges in _by_task(waiting, (TASK, BLOCKED)).values():
        others = [edges[0].thread] if edges[0].thread is not None else []
        certain = all(edge.certain for edge in edges)
        task = edges[0].task
        found.append(Finding(TASK_WAIT, certain, _waiters(edges), edges, task=task, others=others))
    return found


def queued_tasks(waiting: Waiting) -> List[Finding]:
    """Tasks that are ready and that nobody runs: all threads of their team wait where they can't
    run any, for locks and the like."""
    found: List[Finding] = []
    for region in waiting.regions:
        ready = [
            task
            for task in waiting.tasks_of(region.team.runtime)
            if task.status == "queued" and task.info.parallel_id == region.team.id
        ]
        stuck = [t for t in region.members.values() if _cannot_run_tasks(waiting, t)]
        if ready and stuck and len(stuck) == len(region.members) + region.unseen:
            edges = [Edge(QUEUED, stuck[0], None, True, task=task) for task in ready]
            found.append(Finding(QUEUED_TASKS, True, stuck, edges, region, task=ready[0]))
    return found


def _cannot_run_tasks(waiting: Waiting, thread: "Thread") -> bool:
    """It sleeps, and not where the runtime lets it run tasks."""
    if thread.wait is not None:
        return thread.wait.kind in ("lock", "nest_lock", "critical", "mutex", "ordered")
    return not thread.in_runtime and waiting.is_asleep(thread)


def unknown_causes(waiting: Waiting) -> List[Finding]:
    """Threads that wait, and nothing is known for what: if they are at a barrier, all of the
    region's are. `region`: that. Certain, if something is known of every thread."""
    found: "Dict[Tuple[int, str], List[Thread]]" = {}
    told_of = (*lost_threads(waiting), *different_barriers(waiting), *incomplete_barriers(waiting))
    told = {t.target.number for f in told_of for t in f.waiters}
    certain = waiting.process.is_seen_whole
    for thread in waiting.process.threads:
        edges = waiting.edges.get(thread.target.number)
        if edges or edges is None or thread.wait is None or thread.target.number in told:
            continue
        if any(thread in lock.waiters for lock in waiting.locks):
            continue
        kind = "" if thread.wait.kind in BARRIERS else thread.wait.kind
        key = 0 if thread.team is None else thread.team.id, kind
        found.setdefault(key, []).append(thread)
    return [
        Finding(UNKNOWN, certain, threads, [], None if kind else waiting.region_of(threads[0]))
        for (_, kind), threads in found.items()
    ]


# ---- Threads that spin ----------------------------------------------------------------------


def spins(waiting: Waiting, told: "Sequence[Finding]") -> List[Finding]:
    """Loops that only look at memory, of threads of which nothing was told."""
    known = {t.target.number for finding in told for t in (*finding.waiters, *finding.others)}
    found: "Dict[Tuple[object, ...], List[Thread]]" = {}
    for thread in waiting.process.threads:
        if thread.target.number in known or thread.openmp is False:
            continue
        spin, place = spin_of(thread), thread.location
        if spin is not None and place is not None:
            line = place.line if place.line else place.address
            found.setdefault((spin, place.file, line), []).append(thread)
    return [Finding(SPIN, True, threads, []) for threads in found.values()]


_RULES = (
    deadlocks,
    ended_owners,
    lost_threads,
    different_barriers,
    unfulfilled_events,
    held_locks,
    awaited_tasks,
    queued_tasks,
    incomplete_barriers,
    unknown_causes,
)
