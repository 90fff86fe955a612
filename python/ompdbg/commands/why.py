# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why"""

from __future__ import annotations

from typing import TYPE_CHECKING, List

import gdb

from ompdbg import views
from ompdbg.commands.base import OmpCommand, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Thread


class Why(OmpCommand):
    """Tell why the program does not go on: who waits for whom.
    Usage: omp why [-json] [THREAD]

      THREAD  Number of a thread: only what it waits for, and what that waits for.
      -json   Print JSON, schema "ompdbg/1".

    Told are deadlocks, threads that fork() has left behind, threads of a team at
    different barriers, locks and who holds them (also mutexes of the GNU C
    library), tasks that are not done, events that nobody has fulfilled, barriers
    to which not all threads have come, and threads that spin: in loops that only
    look at memory. A program that runs well has such waits too at any moment;
    only deadlocks, threads left behind, different barriers, locks of threads that
    have ended, and endless loops can never end. What was inferred and not read
    is said to be probable. The signal that has ended the program of a core file,
    or at which the program has stopped, comes first, if it is one that ends
    programs (not with THREAD or -json)."""

    name = "omp why"
    options = (Option("-json"),)
    positional = 1

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        process = self.process()
        thread = None
        if arguments.positional:
            thread = self._thread(process, arguments.positional[0])
        form = self.form(arguments)
        found = views.diagnosed(process, thread)
        if thread is None and not form.as_json:
            write(_signal(process, form))
        write(views.why(found, form))

    def _thread(self, process: "Process", label: str) -> "Thread":
        for thread in process.threads:
            if label in (thread.target.label, str(thread.target.number)):
                return thread
        self.fail(f'no thread "{label}".')


def _signal(process: "Process", form: "views.Form") -> "List[str]":
    from ompdbg.gdb_services import ended
    from ompdbg.report import crash

    found = ended.crash(process)
    pid = gdb.selected_inferior().pid
    return [] if found is None else crash.lines(process, found, pid, form.width)
