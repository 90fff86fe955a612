# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and local variables of GDB's frames, with their values as text."""

from __future__ import annotations

from typing import List, Optional

import gdb

from ompdbg.gdb_services import captured
from ompdbg.services import Variable


def arguments(handle: gdb.Frame) -> List[Variable]:
    """Arguments of a frame's function."""
    return [_variable(symbol, None, handle) for symbol in captured.arguments(handle)]


def local_variables(handle: gdb.Frame) -> List[Variable]:
    """Local variables, those of the innermost block first."""
    return [_variable(one.symbol, one.value, handle) for one in captured.local_variables(handle)]


def _variable(symbol: gdb.Symbol, value: Optional[gdb.Value], handle: gdb.Frame) -> Variable:
    try:
        text = (symbol.value(handle) if value is None else value).format_string()
    except (gdb.error, ValueError) as error:
        text = f"<error: {error}>"
    return Variable(symbol.name, text)
