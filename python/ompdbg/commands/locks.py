# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp locks"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.base import OmpCommand, terminal_width, write
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Locks(OmpCommand):
    """Show locks, critical and ordered regions that threads wait for.
    Usage: omp locks [-json]

      -json  Print JSON, schema "ompdbg/1".

    The owner is what the runtime records; where it records none, a "?" tells that
    it was inferred from the code on the threads' stacks: a thread whose functions
    have calls before their present place that set that lock and do not unset it."""

    name = "omp locks"
    options = (Option("-json"),)

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.model.locks import locks
        from ompdbg.render import json
        from ompdbg.render import locks as render

        found = locks(self.process())
        if arguments.has("-json"):
            write(json.lines("locks", map(render.lock_json, found)))
            return
        write(render.lock_table(found, terminal_width(), self.palette()))
