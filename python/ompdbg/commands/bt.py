# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp bt"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, List, Optional

from ompdbg.commands.base import OmpCommand, terminal_width, write
from ompdbg.commands.options import Option, Wrong

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.model.process import Process
    from ompdbg.model.stack import LogicalFrame, Part
    from ompdbg.model.stack_groups import Group
    from ompdbg.model.thread import Thread
    from ompdbg.render.stack import Options
    from ompdbg.services import Variable


class Bt(OmpCommand):
    """Show how the selected thread got where it is, in terms of source.
    Usage: omp bt [-all] [-full] [-raw] [-json] [COUNT]

      -all   Every thread, not just the selected one. Threads of a team with the
             same stack are told together, without arguments, unless with -full.
      -full  Local variables, too.
      -raw   Frames of the OpenMP runtime and the libraries, too, with addresses.
      -json  Print JSON, schema "ompdbg/1".

    Without -raw only frames of the program are shown. The stack of a thread that
    works in a parallel region goes on in the thread that encountered the region,
    up to main; each part says on which thread it is, and its frames have the
    numbers that they have there. With COUNT, only that many innermost frames."""

    name = "omp bt"
    options = (Option("-all"), Option("-full"), Option("-raw"), Option("-json"))
    positional = 1

    def check(self, arguments: "Arguments") -> None:
        """The argument is a number."""
        for word in arguments.positional:
            if not word.isdigit():
                raise Wrong(f'{self.name}: "{word}" is no number of frames.')

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        limit = int(arguments.positional[0]) if arguments.positional else None
        process = self.process()
        shown = self._options(process, arguments, limit)
        threads = process.threads if arguments.has("-all") else [self._selected(process)]
        if arguments.has("-json"):
            from ompdbg.model.stack import logical_stack
            from ompdbg.render import json, stack

            found = (logical_stack(thread) for thread in threads if not thread.target.running)
            objects = (json.stack(one, stack.shown_parts(one, shown)) for one in found)
            write(json.lines("stacks", objects))
            return
        for index, group in enumerate(self._groups(threads, shown)):
            if index:
                write([""])
            self._print(group, shown)

    def _groups(self, threads: "List[Thread]", shown: "Options") -> "Iterable[Group]":
        from ompdbg.model.stack import logical_stack
        from ompdbg.model.stack_groups import Group, grouped
        from ompdbg.render.stack import shown_parts

        if shown.variables is None:
            return grouped(threads, logical_stack, lambda stack: shown_parts(stack, shown))
        # Each thread has local variables of its own.
        return (
            Group([thread], None if thread.target.running else logical_stack(thread))
            for thread in threads
        )

    def _print(self, group: "Group", shown: "Options") -> None:
        from ompdbg.render.stack import group_lines

        write(group_lines(group, shown))

    def _selected(self, process: "Process") -> "Thread":
        thread = process.selected_thread
        if thread is None:
            self.fail("no thread is selected.")
        if thread.target.running:
            self.fail(f"thread {thread.target.label} is running.")
        return thread

    def _options(
        self, process: "Process", arguments: "Arguments", limit: Optional[int]
    ) -> "Options":
        from ompdbg.render.stack import Options

        def in_frame(part: "Part", item: "LogicalFrame") -> "List[Variable]":
            return process.services.arguments(part.thread.target, item.frame)

        def local_to(part: "Part", item: "LogicalFrame") -> "List[Variable]":
            return process.services.locals(part.thread.target, item.frame)

        variables = local_to if arguments.has("-full") else None
        width = terminal_width()
        return Options(arguments.has("-raw"), limit, in_frame, variables, self.palette(), width)
