# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the terminal can show."""

from __future__ import annotations

import os
import sys
from typing import Optional, TextIO

from ompdbg.number import number_in
from ompdbg.render import palette
from ompdbg.views import Form

# The styles that GDB has by default.
_STYLES = {
    palette.TITLE: "\033[1m",
    palette.FUNCTION: "\033[33m",
    palette.FILE: "\033[32m",
    palette.VARIABLE: "\033[36m",
    palette.ADDRESS: "\033[34m",
    palette.METADATA: "\033[2m",
}


def form(as_json: bool) -> Form:
    """How standard output is printed: lines are cut and painted for a terminal only."""
    if not sys.stdout.isatty():
        return Form(as_json)
    return Form(as_json, width(), _palette())


def width(stream: Optional[TextIO] = None) -> Optional[int]:
    """Columns of the terminal to which a stream goes, by default standard output."""
    told = number_in(os.environ.get("COLUMNS", ""))
    if told:
        return told
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or None
    except OSError:
        return None


def _palette() -> palette.Palette:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return palette.PLAIN if plain else palette.Palette(_STYLES)
