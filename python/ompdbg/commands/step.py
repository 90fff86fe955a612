# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp step and omp finish"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional

import gdb

from ompdbg.commands import location
from ompdbg.commands.command import OmpCommand, write
from ompdbg.console import encoding

if TYPE_CHECKING:
    from _ompdbg import Thread

    from ompdbg.commands.options import Arguments
    from ompdbg.execution.runs import Ended


class _Where(NamedTuple):
    """Where the selected thread is."""

    thread: int
    function: int
    name: Optional[str]  # by which GDB calls that


_NOWHERE = _Where(0, 0, None)


class _Running(OmpCommand):
    """A command that lets the program run."""

    keeps_selection = False

    def _show(self, ended: "Optional[Ended]", before: _Where) -> None:
        """Print a source line, with the frame if it is another one. None: arrived."""
        from ompdbg.inferior import session

        is_shown = ended is not None and ended.shown
        if ended is not None:
            encoding.write(ended.text)
        # In non-stop mode the stop of another thread ends the wait for this one, too.
        thread = session.selected_thread()
        if thread is None or thread.is_running:
            return
        if not is_shown:
            write(location.lines(thread, 0, headed=_where() != before))
        # GDB has called it as the compiler does, and shown its line.
        elif _where().name != before.name and thread.frames[0].construct:
            write(location.lines(thread, 0, sourced=False))


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
        from ompdbg.execution import stepping

        self.program()
        before = _where()
        try:
            self._show(stepping.step(self._tell), before)
        except stepping.Failed as error:
            self.fail(f"{error}.")

    def _tell(self, thread: "Thread") -> None:
        """Print what comes before what GDB prints."""
        write(location.lines(thread, 0, sourced=False)[:1])


class Finish(_Running):
    """Run to the end of the selected thread's OpenMP construct.
    Usage: omp finish

    From a parallel region, that is where the thread that encountered it goes on;
    from a task, where the task goes on that generated it."""

    name = "omp finish"

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.execution import stepping

        self.program()
        try:
            name, run = stepping.finish()
            write([f"Run till end of the {name}."])
            self._show(run(), _NOWHERE)
        except stepping.Failed as error:
            self.fail(f"{error}.")


def _where() -> _Where:
    thread = gdb.selected_thread()
    try:
        frame = gdb.newest_frame()
        function = frame.function()
        where = function.value().address if function is not None else None
        name = encoding.of(frame, "name")
    except gdb.error:
        return _NOWHERE
    return _Where(thread.global_num if thread is not None else 0, int(where or 0), name)
