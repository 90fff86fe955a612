# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp threads"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from ompdbg import views
from ompdbg.commands import choice
from ompdbg.commands.base import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.views import Form


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
    options = (choice.STATE, choice.TEAM, Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""

        def find(form: "Form") -> "Iterable[str]":
            process = self.process()
            try:
                threads = choice.chosen(process, arguments.options)
            except choice.NoSuch as error:
                self.fail(str(error))
            return views.threads(process, threads, form)

        self.answer(arguments, find)
