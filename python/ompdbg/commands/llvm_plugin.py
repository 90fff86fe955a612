# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp llvm-plugin"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.command import OmpCommand, write

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class LlvmPlugin(OmpCommand):
    """Let LLVM's own plug-in for GDB use ompdbg's OMPD library.
    Usage: omp llvm-plugin

    LLVM's plug-in, the commands of which begin with "ompd", works only on a
    runtime that was built with OMPD and not stripped. After this command it
    works wherever ompdbg does. Load it before: source its file
    share/gdb/python/ompd/__init__.py. Then: ompd init."""

    name = "omp llvm-plugin"

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.front_ends import llvm_plugin

        if not llvm_plugin.lend():
            self.fail("LLVM's plug-in is not loaded; source its ompd/__init__.py.")
        write(["LLVM's plug-in uses ompdbg's OMPD library from the next \"ompd init\" on."])
