# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ompdbg.commands.base import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.gdb_services.ended import Signal


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
        if arguments.positional:
            self.show("why", arguments, thread=self.thread(arguments.positional[0]))
        elif arguments.has("-json"):
            self.show("why", arguments)
        else:
            self.show("why", arguments, signal=self._signal())

    def _signal(self) -> "Optional[Signal]":
        from ompdbg.gdb_services import ended

        self.program()  # or why there is none
        return ended.signal()
