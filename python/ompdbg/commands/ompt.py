# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp thread-info, omp task-info and omp parallel-info"""

from __future__ import annotations

from typing import TYPE_CHECKING, List

from ompdbg.commands.command import OmpCommand, why_not_openmp
from ompdbg.commands.options import Option, Wrong
from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments

_ALL_LEVELS = -1
_MAX_LEVEL = (1 << 31) - 1


class _Inquiry(OmpCommand):
    options = (Option("-all"), Option("-json"))

    def check(self, arguments: "Arguments") -> None:
        """A level is a number."""
        if arguments.positional and number_in(arguments.positional[0]) is None:
            raise Wrong(
                f'{self.name}: invalid level "{arguments.positional[0]}" (expected 0, 1, ...).'
            )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        level = number_in(arguments.positional[0]) if arguments.positional else None
        self.show(
            self.name.partition(" ")[2],
            arguments,
            numbers=self._threads(arguments),
            level=_ALL_LEVELS if level is None else min(level, _MAX_LEVEL),
        )

    def _threads(self, arguments: "Arguments") -> List[int]:
        """The numbers of the selected one, or of all."""
        everyone = self.program().threads()
        found = [thread for thread in everyone if thread.is_openmp]
        if not arguments.has("-all"):
            found = [thread for thread in found if thread.is_selected]
        if not found:
            nobody = "no OpenMP thread" if arguments.has("-all") else why_not_openmp(everyone)
            self.fail(nobody + ".")
        return [thread.number for thread in found]


class ThreadInfo(_Inquiry):
    """Show what a tool (OMPT) is told of the selected thread.
    Usage: omp thread-info [-all] [-json]

      -all   Of all threads.
      -json  Print JSON, schema "ompdbg/1".

    Its state and what it waits for, as the runtime records them; what a tool
    stored for it; the place that it is bound to, the places of its partition,
    and the processor on which it last ran."""

    name = "omp thread-info"


class TaskInfo(_Inquiry):
    """Show what a tool (OMPT) is told of the thread's tasks.
    Usage: omp task-info [LEVEL] [-all] [-json]

      LEVEL  0 is the task that the thread executes, 1 the one below it, and so on;
             without it all are shown.
      -all   Of all threads.
      -json  Print JSON, schema "ompdbg/1".

    Of each its type, the number of its thread, what a tool stored for it and for
    its region, where its frames begin and end, and on level 0 the memory of an
    explicit task."""

    name = "omp task-info"
    positional = 1


class ParallelInfo(_Inquiry):
    """Show what a tool (OMPT) is told of the thread's regions.
    Usage: omp parallel-info [LEVEL] [-all] [-json]

      LEVEL  0 is the innermost region, 1 the one around it, and so on; without it
             all are shown.
      -all   Of all threads.
      -json  Print JSON, schema "ompdbg/1".

    Of each how many threads its team has, and what a tool stored for it."""

    name = "omp parallel-info"
    positional = 1
