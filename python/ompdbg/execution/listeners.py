# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the breakpoints for OpenMP's events into programs as these come, load libraries and go."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Tuple, Type

import _ompdbg
import gdb

from ompdbg.console import encoding, output
from ompdbg.execution import breakpoints, events, runs
from ompdbg.execution.events import Definition, PARALLEL_END, TASK_END, THREAD_BEGIN, THREAD_END
from ompdbg.inferior import selection, session

# By glibc, last of all in a thread that ends.
_THREAD_ENDS = "__call_tls_dtors"
_listens = False


# ---- What the user asks for -----------------------------------------------------------------


def define(event: str, place: Tuple[Any, Any, Any], condition: Optional[str]) -> Definition:
    """Add a breakpoint at events. `place`: function, file and line; each may be None."""
    number = max(events.definitions, default=0) + 1
    made = events.definitions[number] = Definition(number, event, *place, condition)
    _listen()
    _arm_all()
    return made


def remove(number: int) -> bool:
    """Forget one. False: there is none."""
    if events.definitions.pop(number, None) is None:
        return False
    wanted = events.wanted_anywhere()
    for inferior in gdb.inferiors():
        known = events.program(inferior)
        _delete(known, [one for one in known.points if not wanted.intersection(one[0].events)])
        if PARALLEL_END not in wanted:
            known.regions.clear()
        if TASK_END not in wanted:
            known.tasks.clear()
        if not wanted.intersection(breakpoints.TaskHandover.events):
            known.beginning.clear()
            known.own_tasks.clear()
    return True


# ---- In the programs ------------------------------------------------------------------------


def _arm_all() -> None:
    """Put breakpoints where the programs can be caught."""
    if len(gdb.inferiors()) < 2:
        _arm()
        return
    selected = gdb.selected_inferior()
    with selection.kept():
        for inferior in gdb.inferiors():
            thread = next((one for one in inferior.threads() if one.is_valid()), None)
            if thread is not None:
                thread.switch()
                _arm()
    if gdb.selected_inferior().num != selected.num:
        gdb.execute(f"inferior {selected.num}", to_string=True)


def _arm() -> None:
    """Put breakpoints into the selected program."""
    inferior, wanted = gdb.selected_inferior(), events.wanted_anywhere()
    if not wanted or not inferior.pid:
        return
    services = session.services_of(inferior)
    for address, name in runs.handovers(services, *breakpoints.HANDOVERS):
        kind = breakpoints.HANDOVERS[_ompdbg.HANDOVERS[name]]
        if wanted.intersection(kind.events):
            kind.put(address, name)
    if wanted.intersection((THREAD_BEGIN, THREAD_END)):
        _meet_threads()
    end = services.files.address(_THREAD_ENDS)
    if THREAD_END in wanted and end is not None:
        breakpoints.ThreadEnds.put(end)


def _meet_threads() -> None:
    """Note the threads that have begun already."""
    known = session.program_at_stop()
    workers = [one.number for one in known.threads() if one.is_openmp] if known is not None else []
    for thread in gdb.selected_inferior().threads():
        if thread.num in workers and thread.num != 1:
            events.program().workers.add(thread.global_num)


def _disarm(inferior: gdb.Inferior) -> None:
    known = events.program(inferior)
    _delete(known, list(known.points))


def _delete(known: events.Program, keys: "Iterable[Tuple[Type[breakpoints.Point], int]]") -> None:
    for key in keys:
        point = known.points.pop(key)
        if point.is_valid():
            point.delete()
        known.passed.clear()  # the function that a thread goes on to may be one of them


# ---- Events of GDB --------------------------------------------------------------------------


def _listen() -> None:
    global _listens
    if _listens:
        return
    _listens = True
    gdb.events.stop.connect(_on_stop)
    gdb.events.new_objfile.connect(_on_objfile)
    gdb.events.clear_objfiles.connect(_on_cleared)
    getattr(gdb.events, "free_objfile").connect(_on_freed)
    gdb.events.exited.connect(_on_exited)
    gdb.events.before_prompt.connect(_find_lost)


def _on_stop(event: Any) -> None:
    _find_lost()
    _meet_attached()
    told = events.take_told()
    if not told or not isinstance(event, gdb.BreakpointEvent):
        return
    if any(isinstance(one, breakpoints.Point) for one in event.breakpoints):
        from ompdbg.commands.breakpoints import show_stop

        show_stop(told)


def _meet_attached() -> None:
    """Note the threads of a program to which GDB has attached. As it loads the objects of such a
    program, not all that has to be known of them is there."""
    inferior = gdb.selected_inferior()
    known = events.program()
    if inferior.pid and inferior.was_attached and not known.has_met_threads:
        known.has_met_threads = True
        if events.wanted_anywhere().intersection((THREAD_BEGIN, THREAD_END)):
            _meet_threads()


def _on_objfile(event: Any) -> None:
    """GDB now looks anew where its breakpoints are, all of them in the program that has loaded an
    object: those in programs that are not selected have to go, and come back at the next stop."""
    selected = gdb.selected_inferior()
    for inferior in gdb.inferiors():
        if inferior.progspace != event.new_objfile.progspace and inferior.num != selected.num:
            known = events.program(inferior)
            known.are_points_lost = known.are_points_lost or bool(known.points)
            _disarm(inferior)
    if gdb.selected_thread() is not None:
        try:
            with output.while_gdb_waits():
                _arm()
        except gdb.error:
            pass  # another object will follow


def _find_lost(event: Any = None) -> None:
    known = [events.program(inferior) for inferior in gdb.inferiors()]
    if any(one.are_points_lost for one in known):
        for one in known:
            one.are_points_lost = False
        _arm_all()


def _on_cleared(event: Any) -> None:
    progspace = getattr(event, "progspace", None)
    for inferior in gdb.inferiors():
        if inferior.progspace == progspace:
            _disarm(inferior)


def _on_freed(event: Any) -> None:
    """Delete breakpoints in a library that was unloaded. GDB would go on to insert them, if it
    loads one again."""
    library = encoding.of(event.objfile, "filename")
    for inferior in gdb.inferiors():
        if inferior.progspace == event.objfile.progspace:
            known = events.program(inferior)
            _delete(known, [key for key, one in known.points.items() if one.library == library])


def _on_exited(event: Any) -> None:
    _disarm(event.inferior)
    events.program(event.inferior).forget()
