# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps into the code of constructs, and out of it, staying with the logical thread.

GDB's `step` passes over what the runtime does, and with it over every construct. Here a step is
GDB's own, with the places armed at which the thread hands the code of a construct to the runtime.
Where it ends up in the runtime the code of a construct is over: then it goes on in the user's code
that called the runtime, if need be on the thread that encountered the region.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Callable, List, NamedTuple, Optional, Set

import _ompd
import gdb

from ompdbg import frames
from ompdbg.gdb_services import (
    after_task,
    at_line,
    entries,
    leaving,
    points,
    quiet,
    selection,
    session,
    texts,
    undeferred,
)
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.points import Place, Stopped
from ompdbg.model.constructs import PARALLEL, TARGET, TASK, TASKLOOP, TEAMS
from ompdbg.model.walk import logical_frames
from ompdbg.model.stack import logical_stack

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame

_ENTRY, _BODY, _BACK, _UNDEFERRED = "entry", "body", "back", "undeferred"
_HOME, _GONE, _OVER = "home", "gone", "over"
# What Clang calls by a pointer where a task begins that has variables of its own.
_COPIES = ".omp_task_privates_map."
# Stops elsewhere than before without a word of where that is; here it shall be said.
_STEP, _STEP_AND_SAY = "step", "with print frame-info source-and-location -- step"
_TASKS = (TASK, TASKLOOP)
_CONSTRUCTS = (PARALLEL, TEAMS, TARGET, *_TASKS)
# A step that finds itself in the runtime this often has gone astray.
_MAX_ROUNDS = 64


class Failed(Exception):
    """A step is not possible; the message says why."""


class Ended(NamedTuple):
    """How a step or a run ended."""

    shown: bool  # GDB has said what happened, as far as it is not in `text`
    text: str


_ARRIVED = Ended(False, "")


class _Way(NamedTuple):
    """Where the user's code goes on after the runtime."""

    thread: gdb.InferiorThread
    address: int
    stack_pointer: int

    @property
    def place(self) -> Place:
        return Place(self.address, _BACK, self.thread.global_num, self.stack_pointer)


def step(tell: "Callable[[Thread], None]") -> Ended:
    """One step of the selected thread. `tell` says in which region a thread is that goes on there
    in the middle of a line: GDB says where that leads to."""
    for count in range(_MAX_ROUNDS):
        thread = _thread()
        if not _is_in_users_code(thread):
            ended = _run_back(_way_back(thread))
        elif not count:
            ended = _step(thread)
        else:
            tell(thread)
            ended = _step(thread, _STEP if in_construct(thread) else _STEP_AND_SAY)
        if ended is not None:
            return ended
        if at_line.is_at_line():
            return _ARRIVED
    raise Failed("the runtime's code does not end")


def _step(thread: "Thread", command: str = _STEP) -> Optional[Ended]:
    """Steps once in the user's code. None: that led out of a construct, or past one."""
    after = _way_after_region(thread)
    services = _services(thread)
    armed = entries.entry_points(services)
    number = _selected().global_num
    places = [
        Place(at, _ENTRY, number, wanted=partial(_has_lines, services, entry))
        for at, entry in armed.items()
    ]
    left = _way_out(thread)
    in_task = left is not None and left.label == _BACK and _is_in_task(thread)
    line = at_line.line()  # GDB says nothing of a step that ends in the same one
    if left is not None:
        places.append(left)
        if left.label == _BACK:
            jumps = leaving.jumps(services, gdb.newest_frame().pc())
            places += [Place(at, _GONE, number) for at in jumps]
    stopped = points.run(command, places)
    if left is not None and stopped.place is not None and stopped.place.label == _GONE:
        stopped = points.run("continue", [left])
    if stopped.place is None:
        if not stopped.stepped:
            return Ended(True, stopped.text)
        if _is_in_users_code(_thread()):
            if (texts.of(gdb.newest_frame(), "name") or "").startswith(_COPIES):
                return _run_back(_way_to_caller(_thread())) or _step(_thread(), command)
            return _ARRIVED if at_line.line() == line else Ended(True, stopped.text)
    elif stopped.place.label == _ENTRY:
        return _enter(armed[stopped.place.address])
    elif stopped.place.label == _HOME:
        return _ARRIVED
    elif stopped.place.label == _OVER:
        return None
    elif in_task:
        return _run_to_parent(after)
    return _run_back(_way_back(_thread()) or after)


def finish() -> "tuple[str, Callable[[], Ended]]":
    """What the selected thread's innermost construct is, and a run to its end."""
    thread = _thread()
    items = logical_frames(thread)
    inner = next((i for i, one in enumerate(items) if one.construct in _CONSTRUCTS), len(items))
    if not (items[inner:] and items[inner].construct in _TASKS):
        told = undeferred.ends(_services(thread), thread, items[:inner])
        if told:
            name = f"task of {undeferred.function(thread)}"
            return name, lambda: _run_to(told) or _run_back(_way_back(_thread())) or _ARRIVED
    for index, item in enumerate(items):
        if item.construct not in _CONSTRUCTS:
            continue
        name = f"{item.construct} of {item.function or '??'}"
        is_task = item.construct in _TASKS
        is_callers = _is_run_by_caller(items[index + 1 :])
        way = (
            _first(thread, items[index + 1 :], frames.RUNTIME)
            if is_task and not is_callers
            else _first(thread, items[index + 1 :], frames.USER) or _way_after_region(thread)
        )
        if way is None:
            raise Failed(f"where the {name} ends is not known")
        if is_task and is_callers:
            done = undeferred.ends_of_called(_services(thread), way.place)
            return name, lambda: _run_to(done) or _run_back(_way_back(_thread())) or _ARRIVED
        if is_task:
            after = _way_after_region(thread)
            return name, lambda: _run_back(way) or _run_to_parent(after) or _ARRIVED
        if is_callers:
            end = entries.end_of_serialized(_services(thread), way.address)
            way = way if end is None else way._replace(address=end)
        return name, lambda: _run_back(way) or _ARRIVED
    way = _way_after_region(thread)
    if way is None:
        raise Failed("the thread is in no construct")
    return "parallel region", lambda: _run_back(way) or _ARRIVED


# ---- Where a thread is ----------------------------------------------------------------------


def _thread() -> "Thread":
    thread = session.thread_at_stop()
    if thread is None:
        raise Failed("no thread is selected")
    if thread.target.running:
        raise Failed(f"thread {thread.target.label} is running")
    connection = gdb.selected_inferior().connection
    if connection is not None and connection.type == "core":
        raise Failed("nothing runs in a core file")
    return thread


def _selected() -> gdb.InferiorThread:
    selected = gdb.selected_thread()
    assert selected is not None
    return selected


def _services(thread: "Thread") -> GdbServices:
    services = thread.runtime.services
    assert isinstance(services, GdbServices)
    return services


def _is_in_users_code(thread: "Thread") -> bool:
    """Neither the runtime, nor anything that it called, is what the thread executes."""
    classifier = thread.runtime.classifier
    for frame in thread.runtime.services.stack(thread.target):
        kind = classifier.kind(frame)
        if kind == frames.RUNTIME:
            return False
        if kind == frames.USER:
            return True
    return False


# ---- Ways back ------------------------------------------------------------------------------


def _way_back(thread: "Thread") -> Optional[_Way]:
    """To the user's code that called the runtime."""
    return _first(thread, logical_frames(thread), frames.USER) or _way_after_region(thread)


def in_construct(thread: "Thread") -> bool:
    """The innermost frame is one of a construct's code."""
    return logical_frames(thread)[0].construct is not None


def _way_out(thread: "Thread") -> Optional[Place]:
    """To what called the function in which the thread is, if that is the runtime, or the code of a
    construct: GDB would call that as the compiler does."""
    items = logical_frames(thread)
    is_code = False
    for item in items:
        made = item.kind == frames.SYSTEM and frames.parse_outlined(item.frame.symbol) is not None
        if made or item.frame.is_inlined or item.frame is items[0].frame:
            is_code = is_code or item.construct in (PARALLEL, TEAMS)
            continue
        if item.kind != frames.RUNTIME and item.construct is None and not is_code:
            return None
        way = _way(thread, item.frame)
        label = _BACK if item.kind == frames.RUNTIME else _OVER if is_code else _HOME
        return None if way is None else way.place._replace(label=label)
    return None


def _first(thread: "Thread", items: "List[LogicalFrame]", kind: str) -> Optional[_Way]:
    """Where the innermost frame of a kind goes on."""
    for item in items:
        if item.kind == kind:
            return _way(thread, item.frame)
    return None


def _way_to_caller(thread: "Thread") -> Optional[_Way]:
    return _way(thread, logical_frames(thread)[1].frame)


def _is_run_by_caller(older: "List[LogicalFrame]") -> bool:
    """Code by Clang runs a construct itself if the condition in it is false."""
    kinds = (item.kind for item in older if item.kind != frames.SYSTEM)
    return next(kinds, None) == frames.USER


def _way(thread: "Thread", frame: "Frame") -> Optional[_Way]:
    services = _services(thread)
    owner = services.gdb_thread(thread.target)
    handle = services.frame_handle(thread.target, frame)
    if handle is None or owner is None:
        return None
    return _Way(owner, handle.pc(), points.stack_pointer(handle))


def _way_after(thread: "Thread") -> Optional[_Way]:
    """To where the innermost region is over."""
    items = logical_frames(thread)
    for index, item in enumerate(items):
        if item.construct in _CONSTRUCTS and item.construct not in _TASKS:
            return _first(thread, items[index + 1 :], frames.USER) or _way_after_region(thread)
    return _way_after_region(thread)


def _way_after_region(thread: "Thread") -> Optional[_Way]:
    """For a worker: where the thread that encountered the region goes on after it."""
    with selection.kept():
        parts = logical_stack(thread).parts
        if len(parts) < 2 or not parts[1].frames:
            return None
        return _first(parts[1].thread, parts[1].frames, frames.USER)


def _is_in_task(thread: "Thread") -> bool:
    constructs = (item.construct for item in logical_frames(thread))
    return next((one for one in constructs if one in _CONSTRUCTS), None) in _TASKS


def _run_to_parent(after: Optional[_Way]) -> Optional[Ended]:
    """At the end of a task: runs on to where the task goes on that generated it."""
    thread = _thread()
    found = after_task.parent(thread)
    if found is None:
        return _run_back(_way_back(thread) or after)
    if found.is_executing:
        handle = _services(thread).gdb_thread(found.thread.target)
        assert handle is not None
        handle.switch()
        return None
    return _run_back(_way(found.thread, found.frame.frame))


def _run_back(way: Optional[_Way]) -> Optional[Ended]:
    """Runs on to there. None: arrived."""
    if way is None:
        raise Failed("the thread is in none of the user's code")
    return _run_to([way.place])


def _run_to(places: List[Place]) -> Optional[Ended]:
    """The same to one of several places."""
    stopped = points.run("continue", places)
    return None if stopped.place is not None else _other(stopped)


def _other(stopped: Stopped) -> Ended:
    return Ended(True, stopped.text.replace("Continuing.\n", "", 1))


# ---- Ways in --------------------------------------------------------------------------------


def _has_lines(services: GdbServices, entry: entries.Entry) -> bool:
    """Whether the code that a function of the runtime is given has a line to stop at. If not, the
    step goes on, as GDB's does where it meets a function without lines."""
    with quiet.while_gdb_waits():
        return bool(entries.body(services, entries.code_of(services, entry)))


def _enter(entry: entries.Entry) -> Optional[Ended]:
    """From the begin of a function of the runtime into the code that it was given. None: the
    thread came back without having been there."""
    thread = _thread()
    code = entries.code_of(_services(thread), entry)
    body = entries.body(_services(thread), code)
    way = _way_back(thread)
    back = [] if way is None else [way.place]
    if entry.construct not in entries.REGIONS:
        waits = entry.construct == entries.TASKLOOP and entries.waits_for_tasks()
        return _enter_task(thread, body, way if waits else _way_after(thread))
    number = _selected().global_num
    if entry.construct == entries.SERIALIZED:
        over = entries.after(_services(thread), entry)
        back = [one._replace(address=over) for one in back if over is not None]
    stopped = points.run("continue", [*(Place(at, _BODY, number) for at in body), *back])
    if stopped.place is None:
        return _other(stopped)
    if stopped.place.label == _BACK:
        return None
    at_line.into_inlined()
    return _ARRIVED


def _enter_task(thread: "Thread", body: List[int], end: Optional[_Way]) -> Optional[Ended]:
    """Whichever thread executes the task that is about to be generated. `end`: where there is none
    any more, for none may come of it."""
    parent = thread.task.id if thread.task is not None else 0
    existing = _children(thread, parent)

    def is_new() -> bool:
        with session.current_thread() as current:
            task = current.task if current is not None else None
            if task is None or task.info.parent_id != parent:
                return False
            return task.id != parent and task.id not in existing

    places = [Place(at, _BODY, wanted=is_new) for at in body]
    if end is not None:
        places.append(end.place)
    number = _selected().global_num
    at_once = _services(thread).runtime_functions(entries.BEGIN_UNDEFERRED)
    stopped = points.run(
        "continue", [*places, *(Place(at, _UNDEFERRED, number) for at in at_once)]
    )
    if stopped.place is not None and stopped.place.label == _UNDEFERRED:
        ended = _run_back(_way_back(_thread()))
        if ended is not None or at_line.is_at_line():
            return ended  # its code is here
        done = _services(thread).runtime_functions(entries.END_UNDEFERRED)
        stopped = points.run("continue", [*places, *(Place(at, _BACK, number) for at in done)])
    if stopped.place is None:
        return _other(stopped)
    if stopped.place.label == _BACK:
        return None if _is_in_users_code(_thread()) else _run_back(_way_back(_thread()))
    at_line.into_inlined()
    return _ARRIVED


def _children(thread: "Thread", parent: int) -> Set[int]:
    """The tasks that a task has generated so far."""
    if thread.team is None:
        return set()
    try:
        return {info.id for info in thread.team.handle.tasks() if info.parent_id == parent}
    except _ompd.Error:
        return set()
