# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp status"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ompdbg import views
from ompdbg.commands.base import OmpCommand, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments
    from ompdbg.render.status import Stats


class Status(OmpCommand):
    """Show the OpenMP runtime of the program, and how well it is known.
    Usage: omp status [-stats] [-json]

      -stats  Also count what was read from the program, for the command before
              and for this one.
      -json   Print JSON, schema "ompdbg/1"."""

    name = "omp status"
    options = (Option("-stats"), Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        if not arguments.has("-stats"):
            self.show("status", arguments)
            return
        from ompdbg.gdb_services import session

        def counted() -> "Optional[Stats]":
            before, now = session.statistics()
            return {"last_command": before, "this_command": now}

        write(views.status(self.process(), self.form(arguments), counted))
