# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp status"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.base import OmpCommand, terminal_width, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


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
        from ompdbg.gdb_services import session
        from ompdbg.model.status import status
        from ompdbg.render import status as render

        found = status(self.process())
        stats = None
        if arguments.has("-stats"):
            before, now = session.statistics()
            stats = {"last_command": before, "this_command": now}
        if arguments.has("-json"):
            write([render.status_json(found, stats)])
            return
        write(render.status_lines(found, stats, terminal_width()))
