# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What commands of GDB print.

Where a front end speaks GDB/MI, GDB 18 gives the text as it would send it: each piece as a record
(`~"Symbols from ..."`) with the escapes of C.
"""

from __future__ import annotations

import re

import gdb

from ompdbg.console import encoding

_RECORD = re.compile(r"[~&]\"((?:[^\"\\]|\\.)*)\"")
_ESCAPE = re.compile(r"((?:\\[0-7]{3})+)|\\(.)")
_ESCAPED = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "e": "\033",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
}


def printed(command: str, from_tty: bool = False) -> str:
    """The output of a command. Raises gdb.error."""
    return plain(encoding.told(gdb.execute, encoding.given(command), from_tty, to_string=True))


def is_sent_with_text() -> bool:
    """Whether what a front end is told in GDB/MI besides, as that the program runs, would be taken
    for the output, too: GDB 18 does that."""
    return gdb.execute("echo .", to_string=True) != "."


def plain(text: str) -> str:
    """The text of records; what is none stays as it is."""
    lines = text.splitlines()
    records = [_RECORD.fullmatch(line) for line in lines]
    if not lines or not all(records):
        return text
    return "".join(_ESCAPE.sub(_unescaped, one.group(1)) for one in records if one is not None)


def _unescaped(match: "re.Match[str]") -> str:
    octal, escape = match.groups()
    if octal is None:
        return _ESCAPED.get(escape, escape)
    return bytes(int(one, 8) & 0xFF for one in octal[1:].split("\\")).decode("utf-8", "replace")
