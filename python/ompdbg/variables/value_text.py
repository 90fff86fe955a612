# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and local variables of GDB's frames, with their values as text."""

from __future__ import annotations

from typing import List, Tuple

import gdb

from ompdbg.console import encoding
from ompdbg.inferior import selection
from ompdbg.text import visible
from ompdbg.variables import locations, source_variables

_ELIDED = "..."
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_NO_SCALARS = (
    gdb.TYPE_CODE_ARRAY,
    gdb.TYPE_CODE_STRUCT,
    gdb.TYPE_CODE_UNION,
    gdb.TYPE_CODE_SET,
    gdb.TYPE_CODE_STRING,
)


def arguments(handle: gdb.Frame) -> List[Tuple[str, str]]:
    """Arguments of a frame's function, as "set print frame-arguments" has them."""
    how = gdb.parameter("print frame-arguments")
    with selection.frame(handle):
        found = source_variables.arguments(handle)
        if how == "presence":
            return [("", _ELIDED)] if found else []
        return [_variable(one, handle, str(how)) for one in found]


def local_variables(handle: gdb.Frame) -> List[Tuple[str, str]]:
    """Local variables, those of the innermost block first."""
    with selection.frame(handle):
        return [_variable(one, handle, "all") for one in source_variables.local_variables(handle)]


def _variable(one: source_variables.Captured, handle: gdb.Frame, how: str) -> Tuple[str, str]:
    """In the language of the selected frame."""
    problem, value = one.problem, one.value
    try:
        if value is None and one.symbol is not None:
            value = locations.value(one.symbol, handle)
        if how == "none" or (how == "scalars" and value is not None and not _is_scalar(value)):
            return (one.name, _ELIDED)
        if value is not None:
            return (one.name, _line(encoding.told(value.format_string, deref_refs=True)))
    except (gdb.error, ValueError) as error:
        problem = f"<error: {error}>"
    return (one.name, problem or "")


def _line(value: str) -> str:
    """Return a value that is one line unless the user wants several."""
    return value if gdb.parameter("print pretty") else visible(value)


def _is_scalar(value: gdb.Value) -> bool:
    """As GDB has it, of a reference what it refers to."""
    kind = value.type.strip_typedefs()
    while kind.code in _REFERENCES:
        kind = kind.target().strip_typedefs()
    return kind.code not in _NO_SCALARS
