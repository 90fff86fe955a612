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
from typing import TYPE_CHECKING, Callable, Iterable, List, NamedTuple, Optional, Tuple

import gdb

from ompdbg.gdb_services import points, selection, session, source_lines, texts
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.points import Ended, Place

if TYPE_CHECKING:
    from _ompdbg import Frame, Task, Thread

_REGIONS, _TASKS = ("parallel region", "teams region"), ("task", "taskloop task")
_CONSTRUCTS = (*_REGIONS, "target region", *_TASKS)
# The function that tells Clang's code where a task has its variables.
_COPIES = ".omp_task_privates_map."
# Stops elsewhere than before without a word of where that is; here it shall be said.
_STEP, _STEP_AND_SAY = "step", "with print frame-info source-and-location -- step"
# A step that finds itself in the runtime this often has gone astray.
_MAX_ROUNDS = 64

_ARRIVED = Ended(False, "")


class Failed(Exception):
    """A step is not possible; the message says why."""


class _Way(NamedTuple):
    """Where the user's code goes on after the runtime."""

    thread: gdb.InferiorThread
    address: int
    stack_pointer: int

    def place(self, then: "Callable[[], Optional[Ended]]") -> Place:
        return Place(self.address, then, self.thread.global_num, self.stack_pointer)


def step(tell: "Callable[[Thread], None]") -> Ended:
    """Do one step of the selected thread. `tell` says in which region a thread is that goes on in
    the middle of a line: GDB says where that leads to."""
    for count in range(_MAX_ROUNDS):
        thread = _thread()
        command = _STEP
        if not _is_in_users_code(thread):
            ended = _run_to(_way_back(thread))
        else:
            if count:
                command = _STEP if in_construct(thread) else _STEP_AND_SAY
                tell(thread)
            ended = _step(thread, command)
        if ended is not None:
            return ended
        if source_lines.is_at_line():
            return _ARRIVED
    raise Failed("the runtime's code does not end")


def _step(thread: "Thread", command: str) -> Optional[Ended]:
    """Step once in the user's code. None: that led out of a construct, or past one."""
    number, after = _selected().global_num, _way_after_region(thread)
    places = [
        Place(at, partial(_enter, name), number, wanted=partial(_has_lines, name))
        for at, name in points.handovers(_services(), "region", "task", "taskloop")
    ]
    places += _places_after_code(thread, after)
    line = source_lines.current()  # GDB says nothing of a step that ends in the same one
    stopped = points.run(command, places)
    if stopped.place is not None:
        return stopped.place.then()
    if not stopped.stepped:
        return Ended(True, stopped.text)
    if not _is_in_users_code(_thread()):
        return _run_to(_way_back(_thread()) or after)
    if (texts.of(gdb.newest_frame(), "name") or "").startswith(_COPIES):
        thread = _thread()
        return _run_to(_way(thread, thread.frames[1])) or _step(_thread(), command)
    return _ARRIVED if source_lines.current() == line else Ended(True, stopped.text)


def finish() -> "Tuple[str, Callable[[], Optional[Ended]]]":
    """Return what the selected thread's innermost construct is, and a run to its end."""
    thread = _thread()
    frames = thread.frames
    task = _own_task(thread, frames)
    if task is not None:
        code = task.function
        return f"task of {code.name if code else '??'}", partial(_run_to_own_end, task.id)
    for index, frame in enumerate(frames):
        if frame.construct not in _CONSTRUCTS:
            continue
        name, older = f"{frame.construct} of {frame.function or '??'}", frames[index + 1 :]
        after = _way_after_region(thread)
        if frame.construct in _TASKS:
            way = _first(thread, older, "runtime")
            then: "Callable[[], Optional[Ended]]" = partial(_to_parent, after)
        else:
            way, then = _first(thread, older, "user") or after, _arrive
            if way is not None and _is_run_by_user(older):
                way = way._replace(address=thread.region_end(way.address) or way.address)
        if way is None:
            raise Failed(f"where the {name} ends is not known")
        return name, partial(_run, [way.place(then)])
    way = _way_after_region(thread)
    if way is None:
        raise Failed("the thread is in no construct")
    return "parallel region", partial(_run_to, way)


# ---- Where a thread is ----------------------------------------------------------------------


def _thread() -> "Thread":
    thread = session.selected_thread()
    if thread is None:
        raise Failed("no thread is selected")
    if thread.is_running:
        raise Failed(f"thread {thread.label} is running")
    connection = gdb.selected_inferior().connection
    if connection is not None and connection.type == "core":
        raise Failed("nothing runs in a core file")
    return thread


def _selected() -> gdb.InferiorThread:
    selected = gdb.selected_thread()
    assert selected is not None
    return selected


def _services() -> GdbServices:
    return session.services_of(gdb.selected_inferior())


def _is_in_users_code(thread: "Thread") -> bool:
    """Check that the thread executes neither the runtime nor anything that it called."""
    for frame in thread.frames:
        if frame.owner in ("user", "runtime") or frame.is_made:
            return frame.owner != "runtime"
    return False


def in_construct(thread: "Thread") -> bool:
    """Check that the innermost frame is one of a construct's code."""
    return bool(thread.frames) and thread.frames[0].construct is not None


def _is_run_by_user(older: "Iterable[Frame]") -> bool:
    """Check for a construct that compiled code executes itself, as its condition is false.
    `older`: the frames around its own."""
    return next((one.owner for one in older if one.owner != "system"), None) == "user"


def _own_task(thread: "Thread", frames: "List[Frame]") -> "Optional[Task]":
    """Return the task that a thread executes, if compiled code does so itself: it calls the task's
    code, or contains it, of which no frame tells."""
    task = thread.task
    if task is None or task.kind != "explicit" or "undeferred" not in task.flags:
        return None
    has_user = False
    for index, frame in enumerate(frames):
        if has_user and frame.owner == "runtime":
            return None
        has_user = has_user or frame.owner == "user"
        if frame.construct in _TASKS:
            return task if _is_run_by_user(frames[index + 1 :]) else None
        if frame.construct in _CONSTRUCTS:
            break
    return task if has_user else None


# ---- Ways back ------------------------------------------------------------------------------


def _way(thread: "Thread", frame: "Frame") -> Optional[_Way]:
    """Return where a frame goes on."""
    handle = _services().frame_of(thread.number, frame.level)
    return None if handle is None else _Way(_selected(), handle.pc(), points.stack_pointer(handle))


def _first(thread: "Thread", frames: "Iterable[Frame]", owner: str) -> Optional[_Way]:
    """Return where the innermost frame with code of an owner goes on."""
    frame = next((one for one in frames if one.owner == owner), None)
    with selection.kept():
        return None if frame is None else _way(thread, frame)


def _way_back(thread: "Thread") -> Optional[_Way]:
    """Return the way to the user's code that called the runtime."""
    return _first(thread, thread.frames, "user") or _way_after_region(thread)


def _way_after_region(thread: "Thread") -> Optional[_Way]:
    """Return the way of a worker to where the thread that encountered the region goes on after
    it."""
    with selection.kept():
        stack = thread.stack
    if stack is None or len(stack.parts) < 2:
        return None
    return _first(stack.parts[1].thread, stack.parts[1].frames, "user")


def _way_after(thread: "Thread") -> Optional[_Way]:
    """Return the way to where the innermost region is over."""
    frames = thread.frames
    for index, frame in enumerate(frames):
        if frame.construct in _CONSTRUCTS and frame.construct not in _TASKS:
            return _first(thread, frames[index + 1 :], "user") or _way_after_region(thread)
    return _way_after_region(thread)


def _places_after_code(thread: "Thread", after: Optional[_Way]) -> List[Place]:
    """Return the place to which the function returns that the thread is in, if that is the runtime
    or the code of a construct: GDB would call that as the compiler does."""
    frames = thread.frames
    is_region = False
    for frame in frames:
        if frame.is_made or frame.is_inlined or frame is frames[0]:
            is_region = is_region or frame.construct in _REGIONS
            continue
        if frame.owner != "runtime" and frame.construct is None and not is_region:
            break
        way = _first(thread, [frame], frame.owner)
        if way is None:
            break
        if frame.owner != "runtime":
            return [way.place(_go_on if is_region else _arrive)]
        construct = next((one.construct for one in frames if one.construct in _CONSTRUCTS), None)
        left = way.place(partial(_to_parent if construct in _TASKS else _back, after))
        # The last call of optimized code is a jump, which GDB takes for the beginning of something
        # new.
        jumps = thread.last_jumps(gdb.newest_frame().pc())
        return [left, *(Place(at, partial(_run, [left]), left.thread) for at in jumps)]
    return []


# ---- What is done at places -----------------------------------------------------------------


def _arrive() -> Optional[Ended]:
    return _ARRIVED


def _go_on() -> Optional[Ended]:
    return None


def _back(after: Optional[_Way]) -> Optional[Ended]:
    """Run on to the user's code."""
    return _run_to(_way_back(_thread()) or after)


def _to_parent(after: Optional[_Way]) -> Optional[Ended]:
    """Run on from the end of a task to where the task goes on that generated it."""
    thread = _thread()
    task = thread.task
    parent = task.parent if task is not None and task.kind == "explicit" else None
    owner = parent.thread if parent is not None else None
    if task is None or parent is None or owner is None or owner.is_running:
        return _back(after)
    with selection.kept():
        users = [one for one in _frames_of(parent, owner.frames) if one.owner == "user"]
    name = task.function.name if task.function is not None else None
    found = next((one for one in users if one.function == name), users[0] if users else None)
    if found is None:
        return _back(after)
    if found.level == 0:
        _way(owner, found)  # selects the thread
        return None
    return _run_to(_first(owner, [found], "user"))


def _frames_of(task: "Task", frames: "List[Frame]") -> "List[Frame]":
    """Return the frames of one task on a stack: those above the code of the next task."""
    begin = 0
    for index, frame in enumerate(frames):
        if frame.construct not in _TASKS:
            continue
        if task.kind == "explicit" and frame.start == task.entry:
            return frames[begin : index + 1]
        begin = index + 1
    return [] if task.kind == "explicit" else frames[begin:]


def _run(places: List[Place]) -> Optional[Ended]:
    """Run on to one of several places, and do what is to be done there."""
    stopped = points.run("continue", places)
    if stopped.place is not None:
        return stopped.place.then()
    return Ended(True, stopped.text.replace("Continuing.\n", "", 1))


def _run_to(way: Optional[_Way]) -> Optional[Ended]:
    """Run on to there. None: arrived."""
    if way is None:
        raise Failed("the thread is in none of the user's code")
    return _run([way.place(_go_on)])


def _run_to_own_end(task: int) -> Optional[Ended]:
    """Run on to where compiled code says that it has executed a task itself."""

    def is_it() -> bool:
        with session.stopping_thread() as thread:
            return thread is not None and thread.task is not None and thread.task.id == task

    number = _selected().global_num
    ends = points.handovers(_services(), "task ends")
    return _run([Place(at, partial(_back, None), number, wanted=is_it) for at, _ in ends])


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
    thread = _thread()
    given = thread.handover(name)
    body = source_lines.of_body(thread, given.code)
    number, way = _selected().global_num, _way_back(thread)
    if given.kind == "region":
        places = [Place(at, _in_body, number) for at in body]
        if given.back is not None:
            places.append(Place(given.back, _go_on, number, given.stack_pointer))
        return _run(places)
    places = [Place(at, _in_body, wanted=_is_child(thread)) for at in body]
    # Where there is none any more, for none may come of it.
    end = way if given.waits else _way_after(thread)
    if end is not None:
        places.append(end.place(_go_on))
    own = [
        Place(at, partial(_begin_own, begins, places), number)
        for at, begins in points.handovers(_services(), "task begins")
    ]
    return _run([*places, *own])


def _in_body() -> Ended:
    source_lines.enter_inlined()
    return _ARRIVED


def _is_child(thread: "Thread") -> "Callable[[], bool]":
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
    thread = _thread()
    if not thread.handover(name).is_called:
        return _run_to(_way_back(thread))  # it contains that code
    number = _selected().global_num
    ends = points.handovers(_services(), "task ends")
    return _run([*places, *(Place(at, partial(_back, None), number) for at, _ in ends)])
