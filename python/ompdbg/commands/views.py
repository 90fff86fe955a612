# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp locks and omp regions: views of the whole program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class _View(OmpCommand):
    options = (Option("-json"),)

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        self.show(self.name.partition(" ")[2], arguments)


class Locks(_View):
    """Show locks, critical and ordered regions that threads wait for.
    Usage: omp locks [-json]

      -json  Print JSON, schema "ompdbg/1".

    The owner is what the runtime or the C library records. Where neither does,
    "perhaps" marks threads that may hold the lock: a function on the stack may
    have set this lock and not unset it, or a frame has the lock's address. The
    reason is shown below the table."""

    name = "omp locks"


class Regions(_View):
    """Show the parallel regions and what their threads do.
    Usage: omp regions [-json]

      -json  Print JSON, schema "ompdbg/1".

    Below each region is a row for all of its threads that do the same at the same
    place: how many, what, where, and their numbers in the team. Region 1.2 was
    opened by thread 2 of region 1. How many threads have come to a barrier is what
    the runtime counts; where it does not, how many were seen there. Of a loop
    whose iterations threads fetch from the runtime, those are left that none has
    fetched; a loop with a static schedule is divided by the program's own code,
    and memory does not tell of it."""

    name = "omp regions"
