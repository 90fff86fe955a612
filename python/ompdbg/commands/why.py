# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why"""

from __future__ import annotations

from typing import TYPE_CHECKING, List

from ompdbg.commands.base import OmpCommand, wrap, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


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
        thread = 0
        if arguments.positional:
            thread = self._thread(arguments.positional[0])
        elif not arguments.has("-json"):
            write(self._signal())
        self.show("why", arguments, thread=thread)

    def _thread(self, label: str) -> int:
        for thread in self.program().threads():
            if label in (thread.label, str(thread.number)):
                return thread.number
        self.fail(f'no thread "{label}".')

    def _signal(self) -> "List[str]":
        from ompdbg.gdb_services import ended

        program = self.program()  # or why there is none
        told = ended.told(program)
        return [] if told is None else wrap(told)
