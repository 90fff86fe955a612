# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp locks"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.base import OmpCommand
from ompdbg.commands.options import Option

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Locks(OmpCommand):
    """Show locks, critical and ordered regions that threads wait for.
    Usage: omp locks [-json]

      -json  Print JSON, schema "ompdbg/1".

    The owner is what the runtime records; where it records none, a "?" tells that
    it was inferred from the code on the threads' stacks: a thread whose functions
    have calls before their present place that set that lock, and none that may
    have unset it. Calls of functions that set a lock on every way count as well,
    as those of the constructors of guards."""

    name = "omp locks"
    options = (Option("-json"),)

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        self.show("locks", arguments)
