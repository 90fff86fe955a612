# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints at OpenMP's events: regions, tasks and threads that begin or end.

They stand at the functions by which compiled code hands the code of a construct to the runtime.
What is found there, that code and where its caller goes on, gets a breakpoint in turn. No runtime
needs debug information for that, nor does it have to support debuggers.

The runtime calls the code of most tasks. Compiled code may execute an undeferred one itself, by a
call, or because it contains the task's code: then two calls of the runtime tell that the task
begins and that it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple

import gdb

from ompdbg.console import encoding
from ompdbg.execution import events, source_lines
from ompdbg.execution.events import (
    Entering,
    PARALLEL_BEGIN,
    PARALLEL_END,
    Region,
    TASK_BEGIN,
    TASK_END,
    THREAD_BEGIN,
    THREAD_END,
)
from ompdbg.front_ends import dap_events
from ompdbg.inferior import session

if TYPE_CHECKING:
    from _ompdbg import Handover, Thread

_TASK = (TASK_BEGIN, TASK_END)


class Point(gdb.Breakpoint):
    """A breakpoint at one address; each kind of them does something else there."""

    events: Tuple[str, ...] = ()  # for which it is needed

    def __init__(self, address: int) -> None:
        dap_events.hide_internal_breakpoints()
        super().__init__(f"*{address:#x}", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True
        self.address = address
        self.library = encoding.told(gdb.solib_name, address)  # None: the program itself

    @classmethod
    def put(cls, address: int, *more: Any) -> None:
        """Make one in the selected program, if there is none."""
        points = events.program().points
        if (cls, address) not in points:
            points[cls, address] = cls(address, *more)

    def stop(self) -> bool:
        """Called by GDB."""
        with session.stopping_thread() as thread:
            stops = thread is not None and self.look(thread)
        if stops:
            dap_events.expect("breakpoint")
        return stops

    def look(self, thread: "Thread") -> bool:
        """Check whether a thread that is there shall stop."""
        raise NotImplementedError


class _Handover(Point):
    """A function by which compiled code hands over the code of a construct."""

    def __init__(self, address: int, name: str) -> None:
        super().__init__(address)
        self.name = name

    def look(self, thread: "Thread") -> bool:
        """Take what is handed over."""
        given = thread.handover(self.name)
        return bool(given.code) and self.take(thread, given)

    def take(self, thread: "Thread", given: "Handover") -> bool:
        """Check whether the thread shall stop."""
        raise NotImplementedError


def _note_body(thread: "Thread", given: "Handover") -> None:
    """Note where lines of a construct's body begin."""
    bodies = events.program().bodies
    if given.code not in bodies:
        bodies[given.code] = source_lines.of_body(thread, given.code)


class _Code(Point):
    """The code of a construct."""

    def __init__(self, address: int, jumps_to: int = 0) -> None:
        super().__init__(address)
        self.jumps_to = jumps_to  # another function, all that this one does

    def look(self, thread: "Thread") -> bool:
        """Check whether the construct begins that has this code."""
        number, passed = events.thread_number(), events.program().passed
        if passed.pop(number, 0) == self.address:
            return False  # the code of another construct goes on here
        if self.jumps_to:
            passed[number] = self.jumps_to
            self.put(self.jumps_to)
        return self.begin(thread)

    def begin(self, thread: "Thread") -> bool:
        """Check whether the thread shall stop, which is about to execute the code."""
        raise NotImplementedError

    def tell(self, thread: "Thread", event: str, noun: str, more: str = "") -> bool:
        """Tell of the construct's begin; if there are conditions, when the thread comes to its
        body: before, variables do not have their values, and in Clang's code not their names."""
        code, known = thread.function_at(self.address), events.program()
        body = known.bodies.get(self.address, [])
        if not body or self.address in body or not events.has_conditions(event, code):
            return events.tell(event, code, noun, more)
        task = thread.task
        known.entering[events.thread_number()] = Entering(
            self.address, task.id if task is not None else 0, event, noun, more
        )
        for address in body:
            _Body.put(address)
            known.points[_Body, address].enabled = True
        return False


class _Body(Point):
    """A line of a construct's body begins. Enabled while a thread is about to come to the body."""

    events = (PARALLEL_BEGIN, TASK_BEGIN)

    def look(self, thread: "Thread") -> bool:
        """Tell of the construct's begin if it is the first line that the thread comes to."""
        known, number, task = events.program(), events.thread_number(), thread.task
        entering = known.entering.get(number)
        if entering is None or self.address not in known.bodies.get(entering.code, []):
            return False
        del known.entering[number]
        if not any(one.code == entering.code for one in known.entering.values()):
            for address in known.bodies[entering.code]:
                known.points[_Body, address].enabled = False
        if entering.task != (task.id if task is not None else 0):
            return False
        code = thread.function_at(entering.code)
        return events.tell(entering.event, code, entering.noun, entering.more)


# ---- Regions --------------------------------------------------------------------------------


class RegionHandover(_Handover):
    """A thread encounters a region."""

    events = (PARALLEL_BEGIN, PARALLEL_END, THREAD_BEGIN, THREAD_END)

    def take(self, thread: "Thread", given: "Handover") -> bool:
        """Have the region's begin and end noticed."""
        wanted = events.wanted(thread.function_at(given.code))
        if wanted.intersection(self.events):
            _note_body(thread, given)
            _RegionCode.put(given.code, given.jumps_to)
        if PARALLEL_END in wanted and given.back is not None:
            region = Region(events.thread_number(), given.back, given.code)
            events.program().regions.append(region)
            _RegionBack.put(given.back)
        return False


class _RegionCode(_Code):
    """A thread of a team executes its region's code."""

    events = RegionHandover.events

    def begin(self, thread: "Thread") -> bool:
        """Tell of the region on its thread 0, and of others' first region."""
        code, size = thread.function_at(self.address), thread.team_size or 0
        worker, known = events.thread_number(), events.program()
        if thread.thread_num:
            is_new = worker not in known.workers
            known.workers.add(worker)
            return is_new and events.tell(THREAD_BEGIN, code, "for the parallel region of")
        # The thread 0 of a team is the one that encountered the region, of which this is the
        # newest.
        for index, region in reversed(list(enumerate(known.regions))):
            if (region.thread, region.code) == (worker, self.address):
                known.regions[index] = region._replace(size=size)
                break
        return self.tell(thread, PARALLEL_BEGIN, "parallel region of", _threads(size))


class _RegionBack(Point):
    """Code goes on that encountered a region; it may come there another way, too."""

    events = (PARALLEL_END,)

    def look(self, thread: "Thread") -> bool:
        """Tell of the end."""
        regions, number = events.program().regions, events.thread_number()
        for region in reversed(regions):
            if (region.thread, region.back) == (number, self.address):
                regions.remove(region)
                code, text = thread.function_at(region.code), _threads(region.size)
                return events.tell(PARALLEL_END, code, "parallel region of", text)
        return False


def _threads(size: int) -> str:
    return "" if not size else f", {size} thread{'s' if size > 1 else ''}"


class ThreadEnds(Point):
    """A function of the C library that a thread executes last."""

    events = (THREAD_END,)

    def look(self, thread: "Thread") -> bool:
        """Tell of the end of a thread that has begun."""
        workers, number = events.program().workers, events.thread_number()
        if number not in workers:
            return False
        workers.discard(number)
        return events.tell(THREAD_END, None, "")


# ---- Tasks ----------------------------------------------------------------------------------


class TaskHandover(_Handover):
    """A thread generates a task, or several."""

    events = _TASK

    def take(self, thread: "Thread", given: "Handover") -> bool:
        """Have the task's begin noticed."""
        if events.wanted(thread.function_at(given.code)).intersection(_TASK):
            _note_body(thread, given)
            _TaskCode.put(given.code, given.jumps_to)
        return False


class _TaskCode(_Code):
    """A thread executes the code of a task."""

    events = _TASK

    def begin(self, thread: "Thread") -> bool:
        """Tell that the task begins, and have its end noticed."""
        task, known = thread.task, events.program()
        if task is None or task.kind not in ("explicit", "target"):
            return False
        if any(task.id == number for _, number in known.own_tasks.values()):
            return False  # already told
        caller = gdb.newest_frame().older()
        if caller is not None and TASK_END in events.wanted_anywhere():
            _TaskBack.put(caller.pc())
            known.tasks[task.id] = self.address
        return self.tell(thread, TASK_BEGIN, "task of")


class _TaskBack(Point):
    """Code goes on that called the code of a task."""

    events = (TASK_END,)

    def look(self, thread: "Thread") -> bool:
        """Tell that the task has ended."""
        task = thread.task
        if task is None or task.kind not in ("explicit", "target"):
            return False
        code = events.program().tasks.pop(task.id, 0)  # the runtime may not have kept it
        function = thread.function_at(code) if code else task.function
        return events.tell(TASK_END, function, "task of")


class OwnTaskBegins(_Handover):
    """Compiled code says that it is about to execute a task itself."""

    events = _TASK

    def take(self, thread: "Thread", given: "Handover") -> bool:
        """Have the task's begin noticed."""
        if not events.wanted(thread.function_at(given.code)).intersection(_TASK):
            return False
        if given.is_called:
            _note_body(thread, given)
            _TaskCode.put(given.code, given.jumps_to)
        elif given.back is not None:
            events.program().beginning[events.thread_number()] = given
            _OwnTaskCode.put(given.back)
        return False


class _OwnTaskCode(Point):
    """Compiled code contains the code of a task, which follows."""

    events = _TASK

    def look(self, thread: "Thread") -> bool:
        """Tell that the task begins."""
        known, task = events.program(), thread.task
        given = known.beginning.pop(events.thread_number(), None)
        if given is None:
            return False
        known.own_tasks[given.task] = given.code, task.id if task is not None else 0
        return events.tell(TASK_BEGIN, thread.function_at(given.code), "task of")


class OwnTaskEnds(_Handover):
    """Compiled code says that it has executed a task itself."""

    events = _TASK

    def take(self, thread: "Thread", given: "Handover") -> bool:
        """Tell that the task has ended."""
        code, _ = events.program().own_tasks.pop(given.task, (0, 0))
        return bool(code) and events.tell(TASK_END, thread.function_at(code), "task of")


HANDOVERS = {
    "region": RegionHandover,
    "task": TaskHandover,
    "taskloop": TaskHandover,
    "task begins": OwnTaskBegins,
    "task ends": OwnTaskEnds,
}
