# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp tasks"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg import views
from ompdbg.commands import options
from ompdbg.commands.base import OmpCommand, write
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
        process = self.process()
        for runtime in process.runtimes:
            if not runtime.space.library.extended:
                self.fail(
                    "OMPD has no call that lists tasks, and the OMPD library"
                    f" {runtime.space.library.path} none of its own."
                )
        form = self.form(arguments)
        if arguments.has("-by-function"):
            write(views.tasks_by_function(process, form))
        else:
            write(views.tasks(process, form, arguments.has("-queued")))
