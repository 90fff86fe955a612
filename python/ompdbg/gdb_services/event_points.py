# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints at OpenMP's events: regions, tasks and threads that begin or end.

They stand at the functions by which compilers hand the code of a construct to the runtime. What is
found there, the code and where its caller goes on, gets a breakpoint in turn. No runtime needs
debug information for that, nor does it have to support debuggers.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import gdb

from ompdbg.gdb_services import entries, front_ends, quiet, selection, session
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.event_definitions import (
    PARALLEL_BEGIN,
    PARALLEL_END,
    TASK_BEGIN,
    TASK_END,
    THREAD_BEGIN,
    THREAD_END,
    Definition,
)

if TYPE_CHECKING:
    from ompdbg.model.task import TaskFunction
    from ompdbg.model.thread import Thread

# What each event needs to be looked at.
_PARALLEL = (PARALLEL_BEGIN, PARALLEL_END, THREAD_BEGIN, THREAD_END)
_TASK = (TASK_BEGIN, TASK_END)
_THREAD = (THREAD_BEGIN, THREAD_END)
# By glibc, last of all in a thread that ends.
_THREAD_ENDS = "__call_tls_dtors"
_EXPLICIT = (2, 3)


class _Entered(NamedTuple):
    """A region that a thread encountered."""

    by: Optional[Tuple[int, int]]  # numbers of inferior and thread
    back: int  # where the thread goes on
    code: int
    size: int = 0  # of its team, once that is known


class _State:
    """The breakpoints in the programs."""

    def __init__(self) -> None:
        self.definitions: Dict[int, Definition] = {}
        self.points: Dict[Tuple[int, str, int], "_Point"] = {}  # by inferior, kind and address
        self.workers: Set[Tuple[int, int]] = set()  # threads that have begun, by inferior
        self.told: List[Tuple[Definition, str]] = []  # why the program stops
        self.entered: List[_Entered] = []
        self.tasks: Dict[Tuple[int, int], int] = {}  # code of those begun, by inferior and task
        self.lost: Set[int] = set()  # inferiors whose breakpoints are to be made again
        self.listens = False


_state = _State()


class _Point(gdb.Breakpoint):
    """One place; what happens there is up to the kind."""

    def __init__(self, address: int) -> None:
        front_ends.hide_internal_breakpoints()
        super().__init__(f"*{address:#x}", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True
        self.address = address

    def stop(self) -> bool:
        """Called by GDB."""
        with session.current_thread() as thread:
            stops = thread is not None and self.look(thread)
        if stops:
            front_ends.expect("breakpoint")
        return stops

    def look(self, thread: "Thread") -> bool:
        """A thread is there. Answers whether it shall stop."""
        raise NotImplementedError


class _Entry(_Point):
    """A function that is given the code of a construct."""

    def __init__(self, address: int, entry: entries.Entry) -> None:
        super().__init__(address)
        self.entry = entry

    def look(self, thread: "Thread") -> bool:
        services = session.services_of(gdb.selected_inferior())
        address = entries.code_of(services, self.entry)
        if not address:
            return False
        code = _code(thread, address)
        wanted = [one.event for one in _state.definitions.values() if one.is_in(code)]
        if self.entry.construct not in entries.REGIONS:
            if any(event in wanted for event in _TASK):
                _add("task code", address, lambda: _Code(address, True))
            return False
        if any(event in wanted for event in _PARALLEL):
            _add("code", address, lambda: _Code(address, False))
        back = entries.after(services, self.entry) if PARALLEL_END in wanted else None
        if back is not None:
            end = back
            _state.entered.append(_Entered(_selected(), end, address))
            _add("back", end, lambda: _Back(end))
        return False


class _Code(_Point):
    """The code of a construct."""

    def __init__(self, address: int, is_task: bool) -> None:
        super().__init__(address)
        self.is_task = is_task

    def look(self, thread: "Thread") -> bool:
        code = _code(thread, self.address)
        if self.is_task:
            if thread.task is None or thread.task.info.kind not in _EXPLICIT:
                return False
            frame = gdb.newest_frame().older()
            if frame is not None and any(d.event == TASK_END for d in _definitions()):
                back = frame.pc()
                _add("task back", back, lambda: _TaskBack(back))
                _state.tasks[gdb.selected_inferior().num, thread.task.id] = self.address
            return _tell(TASK_BEGIN, code, "task of")
        size = f", {thread.team_size} threads" if thread.team_size != 1 else ", 1 thread"
        begun = False
        worker = _selected()
        if worker is not None and thread.thread_num and worker not in _state.workers:
            _state.workers.add(worker)
            begun = _tell(THREAD_BEGIN, code, "for the parallel region of")
        if thread.thread_num != 0:
            return begun
        self._keep_size(worker, thread.team_size or 0)
        return _tell(PARALLEL_BEGIN, code, "parallel region of", size)

    def _keep_size(self, worker: Optional[Tuple[int, int]], size: int) -> None:
        """For its end. The thread 0 of a team is the one that encountered the region."""
        for index, region in reversed(list(enumerate(_state.entered))):
            if (region.by, region.code) == (worker, self.address):
                _state.entered[index] = region._replace(size=size)
                break


class _Back(_Point):
    """Where the code goes on that encountered a region; it may come there another way, too."""

    def look(self, thread: "Thread") -> bool:
        way = _selected(), self.address
        region = next((one for one in reversed(_state.entered) if one[:2] == way), None)
        if region is None:
            return False
        _state.entered.remove(region)
        size = region.size
        text = "" if not size else f", {size} thread{'s' if size > 1 else ''}"
        code = _code(thread, region.code)
        return _tell(PARALLEL_END, code, "parallel region of", text)


class _TaskBack(_Point):
    """Where the runtime goes on after a task."""

    def look(self, thread: "Thread") -> bool:
        task = thread.task
        if task is None or task.info.kind not in _EXPLICIT:
            return False
        # The runtime may not have kept it.
        code = _state.tasks.pop((gdb.selected_inferior().num, task.id), 0)
        return _tell(TASK_END, _code(thread, code) if code else task.function, "task of")


class _ThreadEnd(_Point):
    """What a thread does last."""

    def look(self, thread: "Thread") -> bool:
        worker = _selected()
        if worker not in _state.workers:
            return False
        _state.workers.discard(worker)
        return _tell(THREAD_END, None, "")


# ---- What the user asks for -----------------------------------------------------------------


def define(
    event: str,
    function: Optional[str],
    file: Optional[str],
    line: Optional[int],
    condition: Optional[str],
) -> Definition:
    """Adds a breakpoint at events."""
    number = max(_state.definitions, default=0) + 1
    made = Definition(number, event, function, file, line, condition)
    _state.definitions[number] = made
    _listen()
    arm_all()
    return made


def definitions() -> List[Definition]:
    """All of them."""
    return list(_definitions())


def remove(number: int) -> bool:
    """Forgets one; whether there was one."""
    if _state.definitions.pop(number, None) is None:
        return False
    disarm()
    arm_all()
    return True


def _definitions() -> Iterator[Definition]:
    return iter(list(_state.definitions.values()))


# ---- In the program -------------------------------------------------------------------------


def arm_all() -> None:
    """Puts breakpoints where the programs can be caught."""
    if len(gdb.inferiors()) < 2:
        arm()
        return
    selected = gdb.selected_inferior()
    with selection.kept():
        for inferior in gdb.inferiors():
            thread = next((one for one in inferior.threads() if one.is_valid()), None)
            if thread is not None:
                thread.switch()
                arm()
    if gdb.selected_inferior().num != selected.num:
        gdb.execute(f"inferior {selected.num}", to_string=True)


def arm() -> None:
    """The same in the selected program."""
    inferior = gdb.selected_inferior()
    if not _state.definitions or not inferior.pid:
        return
    services = session.services_of(inferior)
    wanted = {definition.event for definition in _definitions()}
    for address, entry in entries.entry_points(services).items():
        needed = _PARALLEL if entry.construct in entries.REGIONS else _TASK
        if any(event in wanted for event in needed):
            _add("entry", address, lambda a=address, e=entry: _Entry(a, e))
    if wanted & set(_THREAD):
        _know_threads(services)
    end = services.symbol_address(_THREAD_ENDS, None, None)
    if THREAD_END in wanted and end is not None:
        _add("end", end, lambda: _ThreadEnd(end))


def disarm(inferior: Optional[int] = None) -> None:
    """Removes all of them from one program, or from all."""
    if inferior is None:
        _state.entered.clear()
        _state.tasks.clear()
    for key in [one for one in _state.points if inferior in (None, one[0])]:
        point = _state.points.pop(key)
        if point.is_valid():
            point.delete()


def _add(kind: str, address: int, make: Any) -> None:
    key = gdb.selected_inferior().num, kind, address
    if key not in _state.points:
        _state.points[key] = make()


def _selected() -> Optional[Tuple[int, int]]:
    thread = gdb.selected_thread()
    return None if thread is None else (thread.inferior.num, thread.global_num)


def _know_threads(services: GdbServices) -> None:
    """Threads that have begun already."""
    process = session.process_at_stop()
    for thread in process.threads if process is not None else ():
        handle = services.gdb_thread(thread.target)
        if thread.openmp and thread.target.number != 1 and handle is not None:
            _state.workers.add((handle.inferior.num, handle.global_num))


def _code(thread: "Thread", address: int) -> "Optional[TaskFunction]":
    from ompdbg.model.task import task_function

    return task_function(thread.runtime, address)


def _tell(event: str, code: "Optional[TaskFunction]", noun: str, more: str = "") -> bool:
    """Whether a definition wants the program to stop."""
    stops = False
    for definition in _definitions():
        if definition.event != event or not (code is None or definition.is_in(code)):
            continue
        if definition.condition is None or _holds(definition):
            place = f": {noun} {code.place}{more}" if code is not None and noun else ""
            _state.told.append((definition, place))
            stops = True
    return stops


def _holds(definition: Definition) -> bool:
    try:
        return bool(gdb.parse_and_eval(definition.condition or "1"))
    except gdb.error as error:
        gdb.write(
            f"Error in testing condition of OpenMP breakpoint {definition.number}: {error}\n"
        )
        return True


# ---- Events of GDB --------------------------------------------------------------------------


def _listen() -> None:
    if _state.listens:
        return
    _state.listens = True
    gdb.events.stop.connect(_on_stop)
    gdb.events.new_objfile.connect(_on_objfile)
    gdb.events.clear_objfiles.connect(_on_cleared)
    gdb.events.exited.connect(_on_exited)
    gdb.events.before_prompt.connect(_find_lost)


def _on_stop(event: Any) -> None:
    _find_lost()
    told, _state.told = _state.told, []
    if not isinstance(event, gdb.BreakpointEvent):
        return
    if not any(isinstance(one, _Point) for one in event.breakpoints):
        return
    from ompdbg.commands.breaks import show_stop

    for definition, place in told[-1:]:
        show_stop(definition, place)


def _on_objfile(event: Any) -> None:
    """GDB now looks anew where its breakpoints are, all of them in the program that has loaded an
    object: those in programs that are not selected have to go, and come back at the next stop."""
    selected = gdb.selected_inferior()
    for inferior in gdb.inferiors():
        if inferior.progspace != event.new_objfile.progspace and inferior.num != selected.num:
            if any(one[0] == inferior.num for one in _state.points):
                disarm(inferior.num)
                _state.lost.add(inferior.num)
    if gdb.selected_thread() is not None:
        with _while_loading():
            arm()


def _find_lost(event: Any = None) -> None:
    if _state.lost:
        _state.lost.clear()
        arm_all()


@contextmanager
def _while_loading() -> Iterator[None]:
    try:
        with quiet.while_gdb_waits():
            yield
    except gdb.error:
        pass  # another object will follow


def _on_cleared(event: Any) -> None:
    progspace = getattr(event, "progspace", None)
    for inferior in gdb.inferiors():
        if inferior.progspace == progspace:
            disarm(inferior.num)


def _on_exited(event: Any) -> None:
    number = event.inferior.num
    disarm(number)
    _state.workers = {one for one in _state.workers if one[0] != number}
    _state.entered = [one for one in _state.entered if one.by and one.by[0] != number]
    _state.tasks = {one: code for one, code in _state.tasks.items() if one[0] != number}
    _state.told.clear()
