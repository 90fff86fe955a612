# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp threads"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands import choice
from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Threads(OmpCommand):
    """Show every thread, its place in its team, and what it waits for.
    Usage: omp threads [-state STATE] [-team TEAM] [-json]

      -state STATE  Only threads in that state: a word of the State column or
                    its beginning ("lock", "sleeps"), or OMPD's name. "wait"
                    stands for all that wait.
      -team TEAM    Only threads of that team, named as in the Team column.
      -json         Print JSON, schema "ompdbg/1".

    A team is named after its place: team 1.2 was formed by thread 2 of team 1. A
    state that is not known is shown as "?". OMP is the number in the team, "none"
    of a thread that is not OpenMP's."""

    name = "omp threads"
    options = (choice.STATE, choice.TEAM, Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        state = arguments.options.get(choice.STATE.name)
        team = arguments.options.get(choice.TEAM.name)
        self.show("threads", arguments, state=state, team=team)
