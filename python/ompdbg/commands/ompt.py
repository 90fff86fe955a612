# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp thread-info, omp task-info and omp parallel-info"""

from __future__ import annotations

from typing import List

from ompdbg.commands.command import OmpCommand, why_not_openmp
from ompdbg.commands.options import Arguments, Option, Wrong
from ompdbg.text import number_in

_ALL_LEVELS = -1
_MAX_LEVEL = (1 << 31) - 1


class _Inquiry(OmpCommand):
    options = (Option("-all"), Option("-json"))

    def check(self, arguments: Arguments) -> None:
        for word in arguments.positional:
            if number_in(word) is None:
                raise Wrong(f'{self.name}: invalid level "{word}" (expected 0, 1, ...).')

    def run(self, arguments: Arguments) -> None:
        level = number_in(arguments.positional[0]) if arguments.positional else None
        level = _ALL_LEVELS if level is None else min(level, _MAX_LEVEL)
        self.show(arguments, numbers=self._threads(arguments), level=level)

    def _threads(self, arguments: Arguments) -> List[int]:
        """Return the numbers of the selected thread, or of all."""
        program = self.program()
        selected = program.selected()
        if arguments.has("-all"):
            found, nobody = program.threads(), "no OpenMP thread"
        else:
            found, nobody = [selected] if selected is not None else [], why_not_openmp(selected)
        numbers = [thread.number for thread in found if thread.is_openmp]
        if not numbers:
            self.fail(nobody + ".")
        return numbers


class ThreadInfo(_Inquiry):
    """Show what an OMPT tool can ask about the selected thread.
    Usage: omp thread-info [-all] [-json]

      -all   Show all threads.
      -json  Print JSON, schema "ompdbg/1".

    Shows the state and the wait of the thread, as the runtime records them; the
    tool's data for it; the place that it is bound to, the places of its partition,
    and the processor on which it last ran."""

    name = "omp thread-info"


class TaskInfo(_Inquiry):
    """Show what an OMPT tool can ask about the thread's tasks.
    Usage: omp task-info [LEVEL] [-all] [-json]

      LEVEL  0 is the task that the thread executes, 1 the one below it, and so on;
             without LEVEL, all are shown.
      -all   Show the tasks of all threads.
      -json  Print JSON, schema "ompdbg/1".

    Shows for each task its type, its thread number, the tool's data for it and for
    its region, the begin and end of its frames, and on level 0 the memory of an
    explicit task."""

    name = "omp task-info"
    positional = 1


class ParallelInfo(_Inquiry):
    """Show what an OMPT tool can ask about the thread's regions.
    Usage: omp parallel-info [LEVEL] [-all] [-json]

      LEVEL  0 is the innermost region, 1 the one around it, and so on; without
             LEVEL, all are shown.
      -all   Show the regions of all threads.
      -json  Print JSON, schema "ompdbg/1".

    Shows for each region the size of its team and the tool's data for it."""

    name = "omp parallel-info"
    positional = 1
