# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where parallel regions begin and end, and the threads that execute them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.gdb_services import event_state
from ompdbg.gdb_services.event_definitions import (
    PARALLEL_BEGIN,
    PARALLEL_END,
    THREAD_BEGIN,
    THREAD_END,
)
from ompdbg.gdb_services.event_state import Region, Who, state

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

EVENTS = (PARALLEL_BEGIN, PARALLEL_END, THREAD_BEGIN, THREAD_END)
THREAD_EVENTS = (THREAD_BEGIN, THREAD_END)


class Code(event_state.Code):
    """The code of a construct."""

    kind = "code"

    def begins(self, thread: "Thread") -> bool:
        code = event_state.code_at(thread, self.address)
        size = f", {thread.team_size} threads" if thread.team_size != 1 else ", 1 thread"
        begun = False
        worker = event_state.selected()
        if worker is not None and thread.thread_num and worker not in state.workers:
            state.workers.add(worker)
            begun = event_state.tell(THREAD_BEGIN, code, "for the parallel region of")
        if thread.thread_num != 0:
            return begun
        self._keep_size(worker, thread.team_size or 0)
        return event_state.tell(PARALLEL_BEGIN, code, "parallel region of", size)

    def _keep_size(self, worker: Who, size: int) -> None:
        """For its end. The thread 0 of a team is the one that encountered the region."""
        for index, region in reversed(list(enumerate(state.entered))):
            if (region.by, region.code) == (worker, self.address):
                state.entered[index] = region._replace(size=size)
                break


def expect_end(back: int, code: int) -> None:
    """The selected thread is about to encounter a region."""
    state.entered.append(Region(event_state.selected(), back, code))
    event_state.add("back", back, lambda: _End(back))


class _End(event_state.Point):
    """Where the code goes on that encountered a region; it may come there another way, too."""

    def look(self, thread: "Thread") -> bool:
        way = event_state.selected(), self.address
        region = next((one for one in reversed(state.entered) if one[:2] == way), None)
        if region is None:
            return False
        state.entered.remove(region)
        size = region.size
        text = "" if not size else f", {size} thread{'s' if size > 1 else ''}"
        code = event_state.code_at(thread, region.code)
        return event_state.tell(PARALLEL_END, code, "parallel region of", text)


class ThreadEnds(event_state.Point):
    """What a thread does last."""

    def look(self, thread: "Thread") -> bool:
        worker = event_state.selected()
        if worker not in state.workers:
            return False
        state.workers.discard(worker)
        return event_state.tell(THREAD_END, None, "")
