# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp icvs and omp env"""

from __future__ import annotations

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand, why_not_openmp, wrapped
from ompdbg.commands.options import Arguments, Option
from ompdbg.console import encoding


class Icvs(OmpCommand):
    """Show the control variables of the selected thread and its task.
    Usage: omp icvs [-thread | -task | -all] [-json]

      -thread  Show only the variables of the thread.
      -task    Show only the variables of its task.
      -all     Show the variables of all threads: each value, and the threads that
               have it. Thread numbers and places share a row if there are more
               than two.
      -json    Print JSON, schema "ompdbg/1".

    "Initially" shows the initial value, if it is known and differs, and the
    environment variable that set it."""

    name = "omp icvs"
    options = (Option("-thread"), Option("-task"), Option("-all"), Option("-json"))

    def check(self, arguments: Arguments) -> None:
        options.exclude(self.name, arguments, "-thread", "-task", "-all")

    def run(self, arguments: Arguments) -> None:
        scope = None
        if arguments.has("-thread") or arguments.has("-task"):
            scope = "thread" if arguments.has("-thread") else "task"
        program = self.program()
        selected = program.selected()
        asked = program.threads() if arguments.has("-all") or selected is None else [selected]
        numbers = [thread.number for thread in asked if thread.is_openmp]
        about = why_not_openmp(selected)
        # To the process belong some even if the thread has none.
        is_process = not numbers and not scope and selected is not None
        if is_process and selected is not None:
            numbers, scope = [selected.number], "process"
        if not numbers:
            self.fail(about + ".")
        self.show(arguments, numbers=numbers, scope=scope)
        if is_process and not arguments.has("-json"):
            encoding.write(wrapped(f"Only those of the process: {about}."))


class Env(OmpCommand):
    """Show the environment variables of the OpenMP runtime.
    Usage: omp env [-all] [-json]

      -all   Include variables that are not set and have no known value.
      -json  Print JSON, schema "ompdbg/1".

    "Value" is the runtime's interpretation of the variable or, if the runtime does
    not keep one, the variable's text. "Set to" is the text in the environment when
    the program started, if it differs."""

    name = "omp env"
    view = "environment"
    options = (Option("-all"), Option("-json"))
