# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps into the code of constructs, and out of it, staying with the logical thread.

GDB's `step` passes over what the runtime does, and with it over every construct. Here a step is
GDB's own, with breakpoints where compiled code hands the code of a construct to the runtime. Where
a step ends up in the runtime, the code of a construct is over: then it goes on in the user's code
that called the runtime, if need be on the thread that encountered the region.

Each place at which a run may stop has what is to be done there. That gives None if the step is to
go on from there.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, List, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.console import encoding
from ompdbg.execution import runs, source_lines
from ompdbg.execution.events import thread_number
from ompdbg.execution.runs import Ended, Place
from ompdbg.inferior import selection, session

# The function that tells Clang's code where a task has its variables.
_COPIES = ".omp_task_privates_map."
# Stops elsewhere than before without a word of where that is; here it shall be said.
_STEP, _STEP_AND_SAY = "step", "with print frame-info source-and-location -- step"
# A step that finds itself in the runtime this often has gone astray.
_MAX_ROUNDS = 64

_ARRIVED = Ended(False, "")
_Then = Callable[[], Optional[Ended]]


class Failed(Exception):
    """A step is not possible; the message says why."""


def step(tell: Callable[[_ompdbg.Thread], None]) -> Ended:
    """Do one step of the selected thread. `tell` says in which region a thread is that goes on in
    the middle of a line: GDB says where that leads to."""
    for count in range(_MAX_ROUNDS):
        thread = _thread()
        ways, command = _ways(thread), _STEP
        if not ways.is_in_users_code:
            ended = _back(None)
        else:
            if count:
                command = _STEP if thread.frames[0].construct else _STEP_AND_SAY
                tell(thread)
            ended = _step(thread, ways, command)
        if ended is not None:
            return ended
        if source_lines.is_at_line():
            return _ARRIVED
    raise Failed("the runtime's code does not end")


def _step(thread: _ompdbg.Thread, ways: _ompdbg.Ways, command: str) -> Optional[Ended]:
    """Step once in the user's code. None: that led out of a construct, or past one."""
    number, after = thread_number(), _place(ways.after_region)
    places = [
        Place(at, partial(_enter, name), number, wanted=partial(_has_lines, name))
        for at, name in runs.handovers(session.services(), "region", "task", "taskloop")
    ]
    places += _places_out(thread, ways, after)
    line = source_lines.current()  # GDB says nothing of a step that ends in the same one
    stopped = runs.run(command, places)
    if stopped.place is not None:
        return stopped.place.then()
    if not stopped.stepped:
        return Ended(True, stopped.text)
    thread = _thread()
    if not _ways(thread).is_in_users_code:
        return _back(after)
    if (encoding.of(gdb.newest_frame(), "name") or "").startswith(_COPIES):
        caller = gdb.newest_frame().older()
        assert caller is not None
        place = Place(caller.pc(), _go_on, number, runs.stack_pointer(caller))
        return _run([place]) or _step(_thread(), _ways(_thread()), command)
    return _ARRIVED if source_lines.current() == line else Ended(True, stopped.text)


def _places_out(thread: _ompdbg.Thread, ways: _ompdbg.Ways, after: Optional[Place]) -> List[Place]:
    """Return the place to which the function returns that the thread is in, if that is the runtime
    or the code of a construct: GDB would call that as the compiler does."""
    is_over = ways.out_to in ("runtime", "end of task")
    then: _Then = _arrive if ways.out_to == "construct" else _go_on
    if is_over:
        then = partial(_to_parent if ways.out_to == "end of task" else _back, after)
    left = _place(ways.out, then)
    if left is None:
        return []
    # The last call of optimized code is a jump: GDB takes that for the beginning of something new.
    jumps = thread.last_jumps(gdb.newest_frame().pc()) if is_over else []
    return [left, *(Place(at, partial(_run, [left]), left.thread) for at in jumps)]


def finish() -> Tuple[str, Callable[[], Optional[Ended]]]:
    """Return what the selected thread's innermost construct is, and a run to its end."""
    thread = _thread()
    ways = _ways(thread)
    construct, task = ways.construct, thread.task
    if construct is None:
        raise Failed("the thread is in no construct")
    if construct.is_task and construct.is_own and task is not None:
        return construct.title, partial(_run_to_own_end, task.id)
    then: _Then = _arrive
    if construct.is_task:
        then = partial(_to_parent, _place(ways.after_region))
    place = _place(construct.after, then)
    if place is None:
        raise Failed(f"end of the {construct.title} unknown")
    return construct.title, partial(_run, [place])


# ---- Where a thread is ----------------------------------------------------------------------


def _thread() -> _ompdbg.Thread:
    thread = session.selected_thread()
    if thread is None:
        raise Failed("no thread is selected")
    if thread.is_running:
        raise Failed(f"thread {thread.label} is running")
    connection = gdb.selected_inferior().connection
    if connection is not None and connection.type == "core":
        raise Failed("nothing runs in a core file")
    return thread


def _ways(thread: _ompdbg.Thread) -> _ompdbg.Ways:
    with selection.kept():
        ways = thread.ways
    assert ways is not None
    return ways


# ---- What is done at places -----------------------------------------------------------------


def _arrive() -> Optional[Ended]:
    return _ARRIVED


def _go_on() -> Optional[Ended]:
    return None


def _place(way: Optional[_ompdbg.Way], then: _Then = _go_on) -> Optional[Place]:
    """Return the place to which a way leads; None if it leads nowhere."""
    if way is None:
        return None
    with selection.kept():
        frame = session.services().frame_of(way.thread.number, way.level)
        if frame is None:
            return None
        return Place(way.pc, then, thread_number(), runs.stack_pointer(frame))


def _run(places: List[Place]) -> Optional[Ended]:
    """Run on to one of several places, and do what is to be done there."""
    stopped = runs.run("continue", places)
    if stopped.place is not None:
        return stopped.place.then()
    return Ended(True, stopped.text.replace("Continuing.\n", "", 1))


def _back(after: Optional[Place]) -> Optional[Ended]:
    """Run on to the user's code that called the runtime, else to `after`. None: arrived."""
    place = _place(_ways(_thread()).back) or after
    if place is None:
        raise Failed("the thread is in none of the user's code")
    return _run([place])


def _to_parent(after: Optional[Place]) -> Optional[Ended]:
    """Run on from the end of a task to where the task goes on that generated it."""
    task = _thread().task
    with selection.kept():
        way = task.way_to_parent if task is not None else None
    place = _place(way)
    if way is None or place is None:
        return _back(after)
    if way.level == 0:
        session.services().frame_of(way.thread.number, 0)  # selects the thread
        return None
    return _run([place])


def _run_to_own_end(task: int) -> Optional[Ended]:
    """Run on to where compiled code says that it has executed a task itself."""

    def is_it() -> bool:
        with session.stopping_thread() as thread:
            return thread is not None and thread.task is not None and thread.task.id == task

    return _run(_own_ends(is_it))


def _own_ends(wanted: Optional[Callable[[], bool]] = None) -> List[Place]:
    """Return the places where compiled code says so."""
    ends = runs.handovers(session.services(), "task ends")
    return [Place(at, partial(_back, None), thread_number(), wanted=wanted) for at, _ in ends]


# ---- Ways in --------------------------------------------------------------------------------


def _has_lines(name: str) -> bool:
    """Check that the code that a function of the runtime is given has a line to stop at. If not,
    the step goes on, as GDB's does where it meets a function without lines."""
    with session.stopping_thread() as thread:
        return thread is not None and bool(
            source_lines.of_body(thread, thread.handover(name).code)
        )


def _enter(name: str) -> Optional[Ended]:
    """Run from the beginning of a function of the runtime into the code that it was given. None:
    the thread came back without having been there."""
    thread, number = _thread(), thread_number()
    given = thread.handover(name)
    body = source_lines.of_body(thread, given.code)
    if given.kind == "region":
        places = [Place(at, _in_body, number) for at in body]
        if given.back is not None:
            places.append(Place(given.back, _go_on, number, given.stack_pointer))
        return _run(places)
    places = [Place(at, _in_body, wanted=_is_child(thread)) for at in body]
    # Where there is none any more, for none may come of it.
    ways = _ways(thread)
    end = _place(ways.back if given.waits else ways.after_innermost)
    if end is not None:
        places.append(end)
    own = [
        Place(at, partial(_begin_own, begins, places), number)
        for at, begins in runs.handovers(session.services(), "task begins")
    ]
    return _run([*places, *own])


def _in_body() -> Ended:
    source_lines.enter_inlined()
    return _ARRIVED


def _is_child(thread: _ompdbg.Thread) -> Callable[[], bool]:
    """Make the check for a thread that executes a task which `thread` is about to generate."""
    task = thread.task
    parent, existing = (task.id, set(task.children)) if task is not None else (0, set())

    def is_new() -> bool:
        with session.stopping_thread() as current:
            task = current.task if current is not None else None
            return task is not None and task.parent_id == parent and task.id not in existing

    return is_new


def _begin_own(name: str, places: List[Place]) -> Optional[Ended]:
    """Run on from where compiled code says that it executes a task itself, to the task's code."""
    if _thread().handover(name).is_called:
        return _run([*places, *_own_ends()])
    return _back(None)  # it contains that code
