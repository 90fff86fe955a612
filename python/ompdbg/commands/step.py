# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp step and omp finish"""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

import gdb

from ompdbg.commands import location
from ompdbg.commands.base import OmpCommand, write

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.gdb_services.stepping import Ended

_Where = Tuple[int, int]


class _Running(OmpCommand):
    """A command that lets the program run."""

    keeps_selection = False

    def _show(self, ended: "Ended", before: _Where) -> None:
        """What happened: a source line, with the frame if it is another one."""
        if ended.shown:
            gdb.write(ended.text)
            return
        from ompdbg.gdb_services import session

        thread = session.thread_at_stop()
        if thread is not None:
            headed = _where() != before
            level = next(
                (frame.level for frame in thread.runtime.services.stack(thread.target)), 0
            )
            write(location.lines(thread, level, self.palette(), headed))


class Step(_Running):
    """Step by source lines, into OpenMP constructs and out of them.
    Usage: omp step

    Like "step", but where the selected thread encounters a parallel construct, it
    stops in the first line of the construct's body on the same thread. Where it
    generates a task, it stops in the task's first line, on the thread that
    executes it. After the last line of a region it stops in the line that follows
    the construct, on the thread that encountered it; after the last line of a
    task, where the task goes on that generated it. That is the line after the
    construct, unless the task was deferred: then its generator went on meanwhile."""

    name = "omp step"

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.gdb_services import stepping

        self.process()
        before = _where()
        try:
            self._show(stepping.step(), before)
        except stepping.Failed as error:
            self.fail(f"{error}.")


class Finish(_Running):
    """Run to the end of the selected thread's OpenMP construct.
    Usage: omp finish

    From a parallel region, that is where the thread that encountered it goes on;
    from a task, where the task goes on that generated it."""

    name = "omp finish"

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.gdb_services import stepping

        self.process()
        try:
            name, run = stepping.finish()
            write([f"Run till end of the {name}."])
            self._show(run(), (0, 0))
        except stepping.Failed as error:
            self.fail(f"{error}.")


def _where() -> _Where:
    """Thread and function."""
    thread = gdb.selected_thread()
    try:
        frame = gdb.newest_frame()
        function = frame.function()
        where = function.value().address if function is not None else None
    except gdb.error:
        return 0, 0
    return (thread.global_num if thread is not None else 0), int(where or 0)
