# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp tasks and omp task"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, List

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option, Wrong
from ompdbg.commands.stacks import Selecting

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


_NUMBER = re.compile(r"#?([1-9]\d{0,17})")


def need_lists(command: OmpCommand) -> None:
    """End a command if the OMPD library cannot list tasks."""
    for path, is_extended in command.program().libraries():
        if not is_extended:
            command.fail(
                "OMPD has no call that lists tasks, and the OMPD library"
                f" {path} none of its own."
            )


class Tasks(OmpCommand):
    """Show the tasks of every team.
    Usage: omp tasks [-tree | -queued | -by-function] [-json]

      -tree         Each team's tasks, below those that generated them. Default.
      -queued       Only tasks not begun: queued, or blocked by dependences.
      -by-function  How many tasks there are of each function.
      -json         Print JSON, schema "ompdbg/1", with every task.

    Of many tasks alike that have not begun only some are shown, and how many more
    there are. Where the tree is too deep for the line, a number in brackets is the
    depth of a task."""

    name = "omp tasks"
    options = (Option("-tree"), Option("-queued"), Option("-by-function"), Option("-json"))

    def check(self, arguments: "Arguments") -> None:
        """Only one view at a time."""
        options.exclude(self.name, arguments, "-tree", "-queued", "-by-function")

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        need_lists(self)
        by_function, queued = arguments.has("-by-function"), arguments.has("-queued")
        self.show("tasks", arguments, by_function=by_function, queued=queued)


class Task(Selecting):
    """Show one task, and select its frame if it runs.
    Usage: omp task NUMBER [-json]

      -json  Print JSON, schema "ompdbg/1". No frame is selected.

    NUMBER is that of an explicit task: 17 or #17, as other commands show it until
    the program goes on. Shown are its status, for which tasks it waits, who
    executes it, what created it, its children, its dependences, which tasks wait
    for it, and its variables: those that it was given or, if it has begun, those
    of its code's frame."""

    name = "omp task"
    options = (Option("-json"),)

    def check(self, arguments: "Arguments") -> None:
        """There is a number."""
        if not arguments.positional:
            raise Wrong(f"{self.name}: missing number of a task.")
        if _NUMBER.fullmatch(arguments.positional[0]) is None:
            word = arguments.positional[0]
            raise Wrong(f'{self.name}: invalid number "{word}" (expected 17 or #17).')

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.inferior import selection

        need_lists(self)
        match = _NUMBER.fullmatch(arguments.positional[0])
        assert match is not None
        number = int(match.group(1))
        with selection.kept_on_failure():
            self.show("task", arguments, number=number)
            if not arguments.has("-json"):
                self._select(number)

    def _select(self, number: int) -> None:
        said: List[str] = []
        self.program().print("task", said.append, json=True, number=number)
        task = json.loads("".join(said))["task"]
        for thread in self.program().threads():
            if task["status"] == "running" and thread.number == task["thread"]:
                self.select(thread, None)
