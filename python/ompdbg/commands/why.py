# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Why(OmpCommand):
    """Tell why the program does not go on: who waits for whom.
    Usage: omp why [-json] [THREAD]

      THREAD  Number of a thread: only what it waits for, and what that waits for.
      -json   Print JSON, schema "ompdbg/1".

    It finds deadlocks, threads that fork() has left behind, threads of a team at
    different barriers, locks and their owners (also mutexes of the GNU C library),
    tasks that are not done, events that nobody has fulfilled, barriers that not
    all threads have reached, and threads that spin in loops that only read memory.
    A program that runs well has such waits too at any moment. Only deadlocks,
    threads left behind, different barriers, locks of threads that have ended, and
    endless loops can never end.

    Owners that nobody records are shown as "perhaps held by", with the reason: a
    function on a stack may have set the lock and not unset it, or a frame has its
    address. A deadlock with such an owner is "probable". If a signal has ended the
    program or stopped it, and it is one that ends programs, it comes first (not
    with THREAD or -json)."""

    name = "omp why"
    options = (Option("-json"),)
    positional = 1

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        if arguments.positional:
            self.show("why", arguments, thread=self.thread(arguments.positional[0]))
        else:
            self.show("why", arguments)
