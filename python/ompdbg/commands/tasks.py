# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp tasks"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands import options
from ompdbg.commands.base import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Tasks(OmpCommand):
    """Show the tasks of every team.
    Usage: omp tasks [-tree | -queued | -by-function] [-json]

      -tree         Each team's tasks, below those that generated them. Default.
      -queued       Only tasks not begun: queued, or blocked by dependences.
      -by-function  How many tasks there are of each function.
      -json         Print JSON, schema "ompdbg/1", with every task.

    Of many tasks alike that have not begun only some are shown, and how many more
    there are."""

    name = "omp tasks"
    options = (Option("-tree"), Option("-queued"), Option("-by-function"), Option("-json"))

    def check(self, arguments: "Arguments") -> None:
        """Only one view at a time."""
        options.exclude(self.name, arguments, "-tree", "-queued", "-by-function")

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        for path, is_extended in self.program().libraries():
            if not is_extended:
                self.fail(
                    "OMPD has no call that lists tasks, and the OMPD library"
                    f" {path} none of its own."
                )
        by_function, queued = arguments.has("-by-function"), arguments.has("-queued")
        self.show("tasks", arguments, by_function=by_function, queued=queued)
