# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp tasks and omp task"""

from __future__ import annotations

import json
import re
from typing import List, Optional

import _ompdbg

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Arguments, Option, Wrong
from ompdbg.commands.stacks import Selecting

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

      -tree         Show tasks below the task that generated them (default).
      -queued       Show only tasks that wait to begin: queued, or blocked by
                    dependences.
      -by-function  Count the tasks of each function.
      -json         Print JSON, schema "ompdbg/1", with every task.

    If many waiting tasks are alike, some are shown and the others are counted. If
    the tree is too deep for the line, a number in brackets is the depth of a task."""

    name = "omp tasks"
    options = (Option("-tree"), Option("-queued"), Option("-by-function"), Option("-json"))

    def check(self, arguments: Arguments) -> None:
        options.exclude(self.name, arguments, "-tree", "-queued", "-by-function")

    def run(self, arguments: Arguments) -> None:
        need_lists(self)
        self.show(arguments)


class Task(Selecting):
    """Show one task, and select its frame if it is running.
    Usage: omp task NUMBER [-json]

      -json  Print JSON, schema "ompdbg/1". No frame is selected.

    NUMBER is the number of an explicit task: 17 or #17, as all commands show it
    until the program continues. The output has the task's status, the tasks that
    it waits for, the thread that executes it, its creator, its children, its
    dependences, the tasks that wait for it, and its variables: the values that it
    was given or, if it has begun, the variables of its code's frame."""

    name = "omp task"
    options = (Option("-json"),)

    def check(self, arguments: Arguments) -> None:
        if not arguments.positional:
            raise Wrong(f"{self.name}: missing number of a task.")
        if _NUMBER.fullmatch(arguments.positional[0]) is None:
            word = arguments.positional[0]
            raise Wrong(f'{self.name}: invalid number "{word}" (expected 17 or #17).')

    def run(self, arguments: Arguments) -> None:
        from ompdbg.inferior import selection

        need_lists(self)
        match = _NUMBER.fullmatch(arguments.positional[0])
        assert match is not None
        number = int(match.group(1))
        with selection.kept():  # whatever is asked of other threads
            self.show(arguments, number=number)
            runner = None if arguments.has("-json") else self._runner(number)
        if runner is not None:
            with selection.kept_on_failure():
                self.select(runner, None)

    def _runner(self, number: int) -> "Optional[_ompdbg.Thread]":
        """Return the thread that executes a task; None if it does not run now."""
        said: List[str] = []
        self.program().print("task", said.append, json=True, number=number)
        task = json.loads("".join(said))["task"]
        if task["status"] != "running" or task["thread"] is None:
            return None
        return self.program().thread(task["thread"])
