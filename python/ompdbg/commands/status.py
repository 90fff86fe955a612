# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp status"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Dict

from ompdbg.commands.command import OmpCommand, printed_view, wrap, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments

_LABEL_WIDTH = 14  # of libompdbg's


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
        from ompdbg.inferior import session

        shown = printed_view(self.program(), "status", json=arguments.has("-json"))
        before, now = session.statistics()
        if arguments.has("-json"):
            document = json.loads(shown)
            document["stats"] = {"last_command": before, "this_command": now}
            arguments.write_text(json.dumps(document, indent=1) + "\n")
            return
        write(shown.rstrip("\n").split("\n"))
        for label, counted in (("Last command", before), ("This command", now)):
            write(wrap(_counted(counted), f"{label:<{_LABEL_WIDTH}}", " " * _LABEL_WIDTH))


def _counted(stats: Dict[str, int]) -> str:
    return (
        f"{stats.get('fetches', 0)} reads of the target, {stats.get('fetched', 0)} bytes"
        f" ({stats.get('direct', 0)} direct); {stats.get('requests', 0)} requests,"
        f" {stats.get('symbols', 0)} symbols"
    )
