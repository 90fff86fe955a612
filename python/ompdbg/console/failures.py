# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures of ours in the middle of an answer of GDB's, which the user gets all the same.

Errors that a function knows, it handles itself. Here is what nobody thought of.
"""

from __future__ import annotations

import traceback

import gdb

from ompdbg.console import encoding


def tell(what: str, error: Exception) -> None:
    """Print that GDB's own answer is shown in place of ours; with `set omp debug on`, where it
    failed, too."""
    problem = f"{type(error).__name__}: {error}"
    line = f"omp: {what} failed; shown as in GDB alone ({problem})"
    gdb.write(encoding.line(line) + "\n", gdb.STDERR)
    if gdb.parameter("omp debug"):
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        gdb.write(encoding.printable("".join(lines)), gdb.STDERR)
