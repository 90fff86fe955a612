# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints at OpenMP's events: regions, tasks and threads that begin or end.

They stand at the functions by which compilers hand the code of a construct to the runtime. What is
found there, the code and where its caller goes on, gets a breakpoint in turn. No runtime needs
debug information for that, nor does it have to support debuggers.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Type

import gdb

from ompdbg.gdb_services import (
    entries,
    event_regions,
    event_state,
    event_tasks,
    quiet,
    selection,
    session,
    texts,
)
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.event_definitions import PARALLEL_END, TASK_END, THREAD_END, Definition
from ompdbg.gdb_services.event_state import state

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

_PARALLEL, _TASK = event_regions.EVENTS, event_tasks.EVENTS
# The kinds of breakpoints, and the events for which they are.
_KINDS: Dict[str, Tuple[str, ...]] = {
    "entry": _PARALLEL,
    "code": _PARALLEL,
    "back": (PARALLEL_END,),
    "task entry": _TASK,
    "task code": _TASK,
    "task back": (TASK_END,),
    "undeferred begins": _TASK,
    "undeferred": _TASK,
    "undeferred ends": _TASK,
    "thread ends": (THREAD_END,),
}
# By glibc, last of all in a thread that ends.
_THREAD_ENDS = "__call_tls_dtors"


class _Entry(event_state.Point):
    """A function that is given the code of a construct."""

    def __init__(self, address: int, entry: entries.Entry) -> None:
        super().__init__(address)
        self.entry = entry

    def look(self, thread: "Thread") -> bool:
        services = session.services_of(gdb.selected_inferior())
        address = entries.code_of(services, self.entry)
        if not address:
            return False
        code = event_state.code_at(thread, address)
        wanted = [one.event for one in state.definitions.values() if one.is_in(code)]
        if self.entry.construct not in entries.REGIONS:
            if any(event in wanted for event in _TASK):
                event_tasks.Code.at(address)
            return False
        if any(event in wanted for event in _PARALLEL):
            event_regions.Code.at(address)
        back = entries.after(services, self.entry) if PARALLEL_END in wanted else None
        if back is not None:
            event_regions.expect_end(back, address)
        return False


# ---- What the user asks for -----------------------------------------------------------------


def define(
    event: str,
    function: Optional[str],
    file: Optional[str],
    line: Optional[int],
    condition: Optional[str],
) -> Definition:
    """Adds a breakpoint at events."""
    number = max(state.definitions, default=0) + 1
    made = Definition(number, event, function, file, line, condition)
    state.definitions[number] = made
    _listen()
    arm_all()
    return made


def definitions() -> List[Definition]:
    """All of them."""
    return list(event_state.definitions())


def remove(number: int) -> bool:
    """Forgets one; whether there was one."""
    if state.definitions.pop(number, None) is None:
        return False
    wanted = {definition.event for definition in event_state.definitions()}
    _delete([key for key in state.points if not wanted.intersection(_KINDS[key[1]])])
    if PARALLEL_END not in wanted:
        state.entered.clear()
    if TASK_END not in wanted:
        state.tasks.clear()
    if not wanted.intersection(_TASK):
        state.beginning.clear()
        state.undeferred.clear()
    return True


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
    if not state.definitions or not inferior.pid:
        return
    services = session.services_of(inferior)
    wanted = {definition.event for definition in event_state.definitions()}
    for address, entry in entries.entry_points(services).items():
        kind = "entry" if entry.construct in entries.REGIONS else "task entry"
        if wanted.intersection(_KINDS[kind]):
            event_state.add(kind, address, partial(_Entry, address, entry))
    for address, kind, make in _undeferred(services) if wanted.intersection(_TASK) else ():
        event_state.add(kind, address, partial(make, address))
    if wanted.intersection(event_regions.THREAD_EVENTS):
        _know_threads(services)
    end = services.symbol_address(_THREAD_ENDS, None, None)
    if THREAD_END in wanted and end is not None:
        event_state.add("thread ends", end, partial(event_regions.ThreadEnds, end))


def _undeferred(services: GdbServices) -> "Iterator[Tuple[int, str, Type[event_state.Point]]]":
    """Where code of Clang tells the runtime of tasks that it executes at once."""
    for address in services.runtime_functions(entries.BEGIN_UNDEFERRED):
        yield address, "undeferred begins", event_tasks.UndeferredBegins
    for address in services.runtime_functions(entries.END_UNDEFERRED):
        yield address, "undeferred ends", event_tasks.UndeferredEnds


def disarm(inferior: int) -> None:
    """Removes all of them from one program."""
    _delete([key for key in state.points if key[0] == inferior])


def _delete(keys: "List[Tuple[int, str, int]]") -> None:
    for key in keys:
        point = state.points.pop(key)
        if point.is_valid():
            point.delete()
        if key[1] in (event_regions.Code.kind, event_tasks.Code.kind):
            state.passed.clear()


def _know_threads(services: GdbServices) -> None:
    """Threads that have begun already."""
    process = session.process_at_stop()
    for thread in process.threads if process is not None else ():
        handle = services.gdb_thread(thread.target)
        if thread.openmp and thread.target.number != 1 and handle is not None:
            state.workers.add((handle.inferior.num, handle.global_num))


# ---- Events of GDB --------------------------------------------------------------------------


def _listen() -> None:
    if state.listens:
        return
    state.listens = True
    gdb.events.stop.connect(_on_stop)
    gdb.events.new_objfile.connect(_on_objfile)
    gdb.events.clear_objfiles.connect(_on_cleared)
    gdb.events.exited.connect(_on_exited)
    freed = getattr(gdb.events, "free_objfile", None)  # since GDB 12
    if freed is not None:
        freed.connect(_on_freed)
    gdb.events.before_prompt.connect(_find_lost)


def _on_stop(event: Any) -> None:
    _find_lost()
    _meet_attached()
    told, state.told = state.told, []
    if not isinstance(event, gdb.BreakpointEvent):
        return
    if not any(isinstance(one, event_state.Point) for one in event.breakpoints):
        return
    from ompdbg.commands.breaks import show_stop

    if told:
        show_stop(told)


def _meet_attached() -> None:
    """What GDB has attached to has threads that have begun. As it loads the objects of such a
    program, not all that has to be known of them is there."""
    inferior = gdb.selected_inferior()
    if inferior.pid and inferior.was_attached and inferior.num not in state.attached:
        state.attached.add(inferior.num)
        if any(d.event in event_regions.THREAD_EVENTS for d in event_state.definitions()):
            _know_threads(session.services_of(inferior))


def _on_objfile(event: Any) -> None:
    """GDB now looks anew where its breakpoints are, all of them in the program that has loaded an
    object: those in programs that are not selected have to go, and come back at the next stop."""
    selected = gdb.selected_inferior()
    for inferior in gdb.inferiors():
        if inferior.progspace != event.new_objfile.progspace and inferior.num != selected.num:
            if any(one[0] == inferior.num for one in state.points):
                disarm(inferior.num)
                state.lost.add(inferior.num)
    if gdb.selected_thread() is not None:
        with _while_loading():
            arm()


def _find_lost(event: Any = None) -> None:
    if state.lost:
        state.lost.clear()
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


def _on_freed(event: Any) -> None:
    """A library was unloaded. GDB would go on to insert its breakpoints, if it loads one again."""
    inside = [one.num for one in gdb.inferiors() if one.progspace == event.objfile.progspace]
    keys = [key for key in state.points if key[0] in inside]
    _delete(
        [key for key in keys if state.points[key].library == texts.of(event.objfile, "filename")]
    )


def _on_exited(event: Any) -> None:
    number = event.inferior.num
    disarm(number)
    state.forget(number)
