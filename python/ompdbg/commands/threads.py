# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp threads"""

from __future__ import annotations

from typing import TYPE_CHECKING, List

from ompdbg.commands.base import OmpCommand, terminal_width, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Thread


def _states() -> List[str]:
    from ompdbg.gdb_services import session

    with session.selection_kept():
        process = session.current_process()
        return [] if process is None else process.state_names()


def _teams() -> List[str]:
    from ompdbg.gdb_services import session

    with session.selection_kept():
        process = session.current_process()
        return [] if process is None else [team.label for team in process.teams]


class Threads(OmpCommand):
    """Show every thread, its place in its team, and what it waits for.
    Usage: omp threads [-state STATE] [-team TEAM] [-json]

      -state STATE  Only threads in that state. A name may begin several: "wait"
                    stands for all states in which a thread waits.
      -team TEAM    Only threads of that team, named as in the Team column.
      -json         Print JSON, schema "ompdbg/1".

    A team is named after its place: team 1.2 was formed by thread 2 of team 1. A
    state that is not known is shown as "?"."""

    name = "omp threads"
    options = (
        Option("-state", "STATE", _states),
        Option("-team", "TEAM", _teams),
        Option("-json"),
    )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        process = self.process()
        threads = self._selected(process, arguments)
        if arguments.has("-json"):
            from ompdbg.render import json

            teams = [json.team(team) for team in process.teams]
            write(json.lines("threads", map(json.thread, threads), teams=teams))
            return
        from ompdbg.render.threads import thread_table

        write(thread_table(threads, terminal_width(), self.palette()))

    def _selected(self, process: "Process", arguments: "Arguments") -> "List[Thread]":
        threads = process.threads
        state = arguments.options.get("-state")
        if state is not None:
            if not any(name.startswith(state) for name in [*process.state_names(), "running"]):
                self.fail(f'no state "{state}".')
            threads = [thread for thread in threads if _is_in_state(thread, state)]
        label = arguments.options.get("-team")
        if label is not None:
            team = process.named_team(label)
            if team is None:
                self.fail(f'no team "{label}".')
            threads = [thread for thread in threads if thread.team is team]
        return threads


def _is_in_state(thread: "Thread", state: str) -> bool:
    if thread.target.running:
        return "running".startswith(state)
    return thread.state is not None and thread.state.startswith(state)
