# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp history"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option, Wrong, exclude
from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments

_DEFAULT = 20


class History(OmpCommand):
    """Show what happened before the stop.
    Usage: omp history [THREAD] [-last COUNT] [-all] [-json]

      THREAD       Number of a thread: only what that one did.
      -last COUNT  Show so many events; without it 20.
      -all         Show all events that are still there.
      -json        Print JSON, schema "ompdbg/1".

    The program has to be started with the recorder: by "ompdbg record". Shown are
    the latest events of all threads, newest last: regions, tasks, loops, waits, and
    locks taken and released. Each thread keeps its latest events only. What a
    thread did again and again is one line. Threads that have ended are shown by
    their LWP, in parentheses.

    Times are in seconds before the stop; where it is unknown when that was, as for
    a core file, before the latest event."""

    name = "omp history"
    options = (Option("-last", "COUNT"), Option("-all"), Option("-json"))
    positional = 1

    def check(self, arguments: "Arguments") -> None:
        """A count is a number from 1 on."""
        exclude(self.name, arguments, "-last", "-all")
        if arguments.has("-last") and not number_in(arguments.options["-last"]):
            raise Wrong(
                f'{self.name}: invalid number "{arguments.options["-last"]}" '
                "(expected at least 1)."
            )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        last = 0 if arguments.has("-all") else _DEFAULT
        if arguments.has("-last"):
            last = number_in(arguments.options["-last"]) or 0
        thread = self.thread(arguments.positional[0]) if arguments.positional else 0
        self.show("history", arguments, thread=thread, last=last)
