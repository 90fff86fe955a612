# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's settings of `set style`, where GDB would use them: on its terminal."""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional

import gdb

_KINDS = ("title", "function", "filename", "variable", "address", "metadata")
_BOLD = "1"
_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_INTENSITIES = {"bold": "1", "dim": "2"}
_TERMINAL = 1  # GDB's standard output


def sequences() -> Optional[List[str]]:
    """What begins each style of a command's output, in libompdbg's order; None if nothing is
    painted. GDB does not tell where its output goes, but its lines are of no certain width unless
    that is a terminal: for the command `pipe`, or into a string."""
    if not gdb.parameter("style enabled") or not gdb.parameter("width"):
        return None
    if os.environ.get("TERM", "dumb") == "dumb" or not os.isatty(_TERMINAL) or _is_logging():
        return None
    found = [_begin(kind) for kind in _KINDS]
    found += [_begin("highlight", _BOLD), _begin("highlight")]
    return found if any(found) else None


def _begin(kind: str, *more: str) -> str:
    codes = [
        code
        for setting, base in (("foreground", 30), ("background", 40))
        for code in _color(f"style {kind} {setting}", base)
    ]
    intensity = _INTENSITIES.get(str(_setting(f"style {kind} intensity")))
    if intensity is not None:
        codes.append(intensity)
    if codes:
        codes.extend(more)
    return f"\033[{';'.join(codes)}m" if codes else ""


def _color(setting: str, base: int) -> Iterator[str]:
    """The parameters of a colour's escape sequence."""
    value = _setting(setting)
    if hasattr(value, "escape_sequence"):  # a gdb.Color
        sequence = "" if value.is_none else str(value.escape_sequence(base == 30))
        if sequence:
            yield sequence[2:-1]
    elif value in _COLORS:
        yield str(base + _COLORS.index(value))


def _setting(name: str) -> Any:
    try:
        return gdb.parameter(name)
    except RuntimeError:
        return None  # this GDB has no such style


def _is_logging() -> bool:
    """GDB writes into a file what it prints."""
    return bool(gdb.parameter("logging enabled"))
