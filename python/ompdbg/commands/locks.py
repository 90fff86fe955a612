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

    The owner is what the runtime or the C library records. Where neither does,
    "perhaps" marks threads that may hold the lock: a function on the stack may
    have set this lock and not unset it, or a frame has the lock's address. The
    reason is shown below the table."""

    name = "omp locks"
    options = (Option("-json"),)

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        self.show("locks", arguments)
