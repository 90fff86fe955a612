# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp icvs and omp env"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg import views
from ompdbg.commands import options
from ompdbg.commands.base import OmpCommand, why_not_openmp, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Icvs(OmpCommand):
    """Show the control variables of the selected thread and its task.
    Usage: omp icvs [-thread | -task | -all] [-json]

      -thread  Only those of the thread.
      -task    Only those of its task.
      -all     Of all threads: each value, and which threads have it. Numbers of
               threads and places share a row where there are more than two.
      -json    Print JSON, schema "ompdbg/1".

    "Initially" has the value with which the program began, or which the
    environment gave, where that is another one and is known, and the environment
    variable."""

    name = "omp icvs"
    options = (Option("-thread"), Option("-task"), Option("-all"), Option("-json"))

    def check(self, arguments: "Arguments") -> None:
        """Only one choice."""
        options.exclude(self.name, arguments, "-thread", "-task", "-all")

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.model import icvs
        from ompdbg.render.table import wrap

        scope = None
        if arguments.has("-thread") or arguments.has("-task"):
            scope = icvs.THREAD if arguments.has("-thread") else icvs.TASK
        everyone = self.process().threads
        threads = [thread for thread in everyone if thread.handle is not None]
        if not arguments.has("-all"):
            threads = [thread for thread in threads if thread.target.selected]
        # To the process belong some even if the thread has none.
        others = [] if threads or scope else [one for one in everyone if one.target.selected]
        about = why_not_openmp(everyone)
        if not threads and not others:
            self.fail(about + ".")
        form = self.form(arguments)
        write(views.icvs(threads or others, form, icvs.PROCESS if others else scope))
        if others and not form.as_json:
            write(wrap(f"Only those of the process: {about}.", form.width))


class Env(OmpCommand):
    """Show the environment variables that steer the OpenMP runtime.
    Usage: omp env [-all] [-json]

      -all   Those too that are not set and have no known value.
      -json  Print JSON, schema "ompdbg/1".

    "Value" is what the runtime made of it, or, where it does not keep that, what
    it was set to; "Set to" what the program's environment had when it started,
    where that is something else."""

    name = "omp env"
    options = (Option("-all"), Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        process, form = self.process(), self.form(arguments)
        write(views.environment(process, form, arguments.has("-all")))
