# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp tasks"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Union

from ompdbg.commands import options
from ompdbg.commands.base import OmpCommand, terminal_width, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.model.pool import AllTasks
    from ompdbg.model.process import Process

# Of more tasks alike than this only these are shown, and the number of the others.
_SHOWN_ALIKE = 5
_LISTED_ALIKE = 50


def _whole(found: "List[AllTasks]") -> "Dict[str, Union[bool, Optional[int]]]":
    """What is known at the end."""
    unreached = [tasks.unreached for tasks in found]
    known = [number for number in unreached if number is not None]
    return {
        "damaged": any(tasks.damaged for tasks in found),
        "unreached": sum(known) if len(known) == len(unreached) else None,
    }


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
        if arguments.has("-by-function"):
            self._by_function(process, arguments.has("-json"))
        elif arguments.has("-json"):
            self._json(process, arguments.has("-queued"))
        else:
            self._text(process, arguments.has("-queued"))

    def _by_function(self, process: "Process", as_json: bool) -> None:
        from ompdbg.model.pool import count_by_function

        counts = [row for runtime in process.runtimes for row in count_by_function(runtime)]
        counts.sort(key=lambda row: -row.number)
        if as_json:
            from ompdbg.render import json

            write([json.document(counts=[json.count(row) for row in counts])])
            return
        from ompdbg.render.tasks import count_table

        write(count_table(counts, terminal_width(), self.palette()))

    def _json(self, process: "Process", queued: bool) -> None:
        from ompdbg.model.pool import AllTasks
        from ompdbg.model.task import NOT_BEGUN
        from ompdbg.render import json

        found = [AllTasks(runtime) for runtime in process.runtimes]
        shown = (
            json.task(task)
            for tasks in found
            for task in tasks
            if not queued or task.info.status in NOT_BEGUN
        )
        teams = [json.team(team) for team in process.teams]
        write(json.lines("tasks", shown, lambda: _whole(found), teams=teams))

    def _text(self, process: "Process", queued: bool) -> None:
        from ompdbg.model.pool import TaskPool
        from ompdbg.model.process import by_runtime
        from ompdbg.render import tasks as render

        for name, runtime in by_runtime(process).items():
            if process.has_several:
                write([f"-- {name} --"])
            pool = TaskPool(runtime, keep=_LISTED_ALIKE if queued else _SHOWN_ALIKE)
            show = render.queued_table if queued else render.task_tree
            write(show(pool, terminal_width(), self.palette()))
