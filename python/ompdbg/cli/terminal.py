# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the terminal can show, and the way of all text to it."""

from __future__ import annotations

import io
import os
import sys
from typing import Iterable, Iterator, Optional, TextIO

from ompdbg import text
from ompdbg.number import number_in
from ompdbg.render import palette
from ompdbg.text import STYLE
from ompdbg.views import Form

# The styles that GDB has by default.
_STYLES = {
    palette.TITLE: f"{STYLE}[1m",
    palette.FUNCTION: f"{STYLE}[33m",
    palette.FILE: f"{STYLE}[32m",
    palette.VARIABLE: f"{STYLE}[36m",
    palette.ADDRESS: f"{STYLE}[34m",
    palette.METADATA: f"{STYLE}[2m",
}


def prepare() -> None:
    """Let standard output and error take any text: what their encoding lacks is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=_encoding(stream.encoding), errors=text.ESCAPED)


def _encoding(told: str) -> str:
    """Return the locale's encoding, also where that is ASCII, and Python takes UTF-8 instead."""
    if not sys.flags.utf8_mode:
        return told
    import locale

    return locale.nl_langinfo(locale.CODESET)


def lines(found: Iterable[str]) -> Iterator[str]:
    """Return lines as they are printed."""
    return map(text.shown, found)


def say(line: str) -> None:
    """Print a line for people on standard error. Whether they get it changes nothing."""
    try:
        print(text.visible(line), file=sys.stderr, flush=True)
    except OSError:
        pass


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
