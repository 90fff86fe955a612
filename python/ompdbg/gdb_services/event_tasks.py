# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where explicit tasks begin and end.

The runtime calls the code of most. That of an undeferred one is called by Clang's code itself, or
is put where the task is made: then all that tells of it are the calls by which that code says to
the runtime that the task begins, and that it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gdb

from ompdbg.gdb_services import entries, event_state, session
from ompdbg.gdb_services.event_definitions import TASK_BEGIN, TASK_END
from ompdbg.gdb_services.event_state import Undeferred, state

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

EVENTS = (TASK_BEGIN, TASK_END)
_EXPLICIT = (2, 3)


class Code(event_state.Code):
    """The code of a task."""

    kind = "task code"

    def begins(self, thread: "Thread") -> bool:
        if thread.task is None or thread.task.info.kind not in _EXPLICIT:
            return False
        key = event_state.of_inferior(thread.task.id)
        if any((of, one.number) == key for (of, _), one in state.undeferred.items()):
            return False  # told of where it was made
        frame = gdb.newest_frame().older()
        if frame is not None and any(d.event == TASK_END for d in event_state.definitions()):
            back = frame.pc()
            event_state.add("task back", back, lambda: _Back(back))
            state.tasks[key] = self.address
        return event_state.tell(TASK_BEGIN, event_state.code_at(thread, self.address), "task of")


class _Back(event_state.Point):
    """Where the code goes on that called a task's."""

    def look(self, thread: "Thread") -> bool:
        task = thread.task
        if task is None or task.info.kind not in _EXPLICIT:
            return False
        # The runtime may not have kept it.
        code = state.tasks.pop(event_state.of_inferior(task.id), 0)
        function = event_state.code_at(thread, code) if code else task.function
        return event_state.tell(TASK_END, function, "task of")


class UndeferredBegins(event_state.Point):
    """The runtime's function by which a task begins that is executed at once."""

    def look(self, thread: "Thread") -> bool:
        services = session.services_of(gdb.selected_inferior())
        caller, who = gdb.newest_frame().older(), event_state.selected()
        task = entries.undeferred_task()
        code = entries.code_of_task(task)
        if caller is None or who is None or entries.is_runtimes(services, caller.pc()):
            return False
        function = event_state.code_at(thread, code)
        if not any(d.event in EVENTS and d.is_in(function) for d in event_state.definitions()):
            return False
        if entries.next_call(services, caller.pc()) == code:
            Code.at(code)
            return False
        back = caller.pc()
        state.beginning[who] = Undeferred(code, task)
        event_state.add("undeferred", back, lambda: _Begun(back))
        return False


class _Begun(event_state.Point):
    """Where the code of such a task follows."""

    def look(self, thread: "Thread") -> bool:
        who = event_state.selected()
        found = state.beginning.pop(who, None) if who is not None else None
        if found is None:
            return False
        number = thread.task.id if thread.task is not None else 0
        state.undeferred[event_state.of_inferior(found.task)] = found._replace(number=number)
        return event_state.tell(TASK_BEGIN, event_state.code_at(thread, found.code), "task of")


class UndeferredEnds(event_state.Point):
    """The runtime's function by which it ends."""

    def look(self, thread: "Thread") -> bool:
        key = event_state.of_inferior(entries.undeferred_task())
        found = state.undeferred.pop(key, None)
        if found is None:
            return False
        return event_state.tell(TASK_END, event_state.code_at(thread, found.code), "task of")
