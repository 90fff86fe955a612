# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What commands of GDB print.

Where a front end speaks GDB/MI, GDB 18 gives the text as it would send it: each piece as a record
(`~"Symbols from ..."`) with the escapes of C.

While GDB waits for a program to stop, it asks conditions of breakpoints and methods of Python. A
command that fails there makes GDB take it for the end of waiting: `run` returns, and the program
runs on. So execute() has a command that may fail run by one that never does.
"""

from __future__ import annotations

import re

import gdb

from ompdbg.console import encoding

_COLOUR = re.compile("\033\\[[0-9;]*m")
_RECORD = re.compile(r"[~&]\"((?:[^\"\\]|\\.)*)\"")
_ESCAPE = re.compile(r"((?:\\[0-7]{3})+)|\\(.)")
_ESCAPED = dict(n="\n", t="\t", r="\r", e="\033", b="\b", f="\f", v="\v", a="\a")
_waiting = 0


def printed(command: str, from_tty: bool = False) -> str:
    """Return what a command prints, without the colours in lines of the source that GDB keeps from
    when it printed them on its terminal. Raises gdb.error."""
    text = plain(encoding.told(gdb.execute, encoding.given(command), from_tty, to_string=True))
    is_styled = "\033" in text and gdb.parameter("style enabled")
    return _COLOUR.sub("", text) if is_styled else text


def is_sent_with_text() -> bool:
    """Check whether the text of a command would hold what GDB/MI tells besides, for example that
    the program runs: in GDB 18 it does."""
    return gdb.execute("echo .", to_string=True) != "."


def plain(text: str) -> str:
    """Return the text of records; other text stays as it is."""
    lines = text.splitlines()
    records = [_RECORD.fullmatch(line) for line in lines]
    if not lines or not all(records):
        return text
    return "".join(_ESCAPE.sub(_unescaped, one.group(1)) for one in records if one is not None)


def _unescaped(match: re.Match[str]) -> str:
    octal, escape = match.groups()
    if octal is None:
        return _ESCAPED.get(escape, escape)
    return bytes(int(one, 8) & 0xFF for one in octal[1:].split("\\")).decode("utf-8", "replace")


def begin_waiting() -> None:
    """Note that GDB waits for the program, and asks about the thread that stopped."""
    global _waiting
    _waiting += 1


def end_waiting() -> None:
    """Note that GDB waits no longer."""
    global _waiting
    _waiting -= 1


def execute(command: str) -> str:
    """Return what a command prints, also while GDB waits. Raises gdb.error."""
    if not _waiting:
        return printed(command)
    text = printed(f"frame apply 1 -q -s -- {command}")
    if not text:
        raise gdb.error(f"{command} fails")
    return text


def said(command: str) -> str:
    """Return what a command prints; "" if it fails."""
    try:
        return execute(command)
    except gdb.error:
        return ""
