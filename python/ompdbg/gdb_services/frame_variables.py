# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and local variables of GDB's frames, with their values as text."""

from __future__ import annotations

from typing import List

import gdb

from ompdbg.gdb_services import captured, selection
from ompdbg.services import Variable


def arguments(handle: gdb.Frame) -> List[Variable]:
    """Arguments of a frame's function."""
    with selection.frame(handle):
        return [_variable(one, handle) for one in captured.arguments(handle)]


def local_variables(handle: gdb.Frame) -> List[Variable]:
    """Local variables, those of the innermost block first."""
    with selection.frame(handle):
        return [_variable(one, handle) for one in captured.local_variables(handle)]


def _variable(one: captured.Captured, handle: gdb.Frame) -> Variable:
    """In the language of the selected frame."""
    problem, value = one.problem, one.value
    try:
        if value is None and one.symbol is not None:
            value = one.symbol.value(handle)
        if value is not None:
            return Variable(one.name, value.format_string(deref_refs=True))
    except (gdb.error, ValueError) as error:
        problem = str(error)
    return Variable(one.name, f"<error: {problem}>")
