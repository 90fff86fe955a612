# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp icvs and omp env"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand, why_not_openmp, wrap, write
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
        scope = None
        if arguments.has("-thread") or arguments.has("-task"):
            scope = "thread" if arguments.has("-thread") else "task"
        everyone = self.program().threads()
        threads = [thread.number for thread in everyone if thread.is_openmp]
        if not arguments.has("-all"):
            threads = [one.number for one in everyone if one.is_openmp and one.is_selected]
        # To the process belong some even if the thread has none.
        others = [] if threads or scope else [one.number for one in everyone if one.is_selected]
        about = why_not_openmp(everyone)
        if not threads and not others:
            self.fail(about + ".")
        self.show(
            "icvs", arguments, numbers=threads or others, scope="process" if others else scope
        )
        if others and not arguments.has("-json"):
            write(wrap(f"Only those of the process: {about}."))


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
        self.show("environment", arguments, all=arguments.has("-all"))
