# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks that code of Clang executes where it makes them, as a call or as a part of the function
around them. Of the latter no frame tells, but the runtime does, and is told when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, List

from ompdbg import frames
from ompdbg.gdb_services import entries, session
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.points import Place
from ompdbg.model.task import EXPLICIT

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread


_POINTER_SIZE = 8


def ends(services: GdbServices, thread: "Thread", items: "List[LogicalFrame]") -> List[Place]:
    """Where the end of the one that a thread executes is told; [] if it executes none like that.
    `items`: its frames up to the innermost code of a construct, which is no task's, or all."""
    task = thread.task
    if task is None or task.info.kind != EXPLICIT or "undeferred" not in task.flags:
        return []
    kinds = [item.kind for item in items]
    if frames.USER not in kinds or frames.RUNTIME in kinds[kinds.index(frames.USER) :]:
        return []
    number = task.id
    owner = services.gdb_thread(thread.target)

    def is_it() -> bool:
        with session.current_thread() as current:
            return current is not None and current.task is not None and current.task.id == number

    return [
        Place(at, "end", owner.global_num if owner is not None else None, wanted=is_it)
        for at in services.runtime_functions(entries.END_UNDEFERRED)
    ]


def ends_of_called(services: GdbServices, back: Place) -> List[Place]:
    """The same of one whose code is called. `back`: where its caller goes on."""
    assert back.stack_pointer is not None
    at_begin = back.stack_pointer - _POINTER_SIZE
    ends = services.runtime_functions(entries.END_UNDEFERRED)
    return [back._replace(address=at, stack_pointer=at_begin) for at in ends]


def function(thread: "Thread") -> str:
    """The function that has the task's construct."""
    code = thread.task.function if thread.task is not None else None
    return "??" if code is None else code.name
