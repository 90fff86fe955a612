# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The way of text from GDB to us, and back: to its terminal, and into its commands.

GDB hands out names as UTF-8 or in its host character set, which of them depends on the function,
and raises what Python raises where a name is not of that kind. Inside, names are as in
ompdbg/text.py.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Optional

import gdb

from ompdbg.text import ESCAPED, decoded, shown, visible

_UTF8 = "utf-8"
# Members that GDB takes to be in its host character set, in all releases. So are names of frames.
_FILES = ("filename", "fullname", "username")
_UNSPEAKABLE = re.compile("[\0-\x08\x0a-\x1f\x7f\ud800-\udfff]")


def told(ask: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what a function of GDB's returns. Where that is text, nothing in it raises."""
    try:
        return _canonical(ask(*arguments, **named))
    except UnicodeDecodeError as error:
        return decoded(error.object)


def of(thing: Any, member: str) -> Any:
    """Return a member of an object of GDB's, or what it returns if it is a method."""
    try:
        found = getattr(thing, member)
        if callable(found):
            found = found()
    except UnicodeDecodeError as error:
        return decoded(error.object)
    return _canonical(found, member in _FILES or isinstance(thing, gdb.Frame))


def name(thing: Any) -> str:
    """Return the name of a symbol, a type or a field."""
    try:
        found: str = thing.name
    except UnicodeDecodeError as error:
        return decoded(error.object)
    return found if not found or found.isascii() else str(_canonical(found))


def file(symtab: Optional[gdb.Symtab]) -> Optional[str]:
    """Return the name of a source file as the compiler had it; None if there is none."""
    found: Optional[str] = None if symtab is None else of(symtab, "filename")
    return found


def is_speakable(words: str) -> bool:
    """Tell whether GDB takes a text as it is: it would run what follows a newline as a command."""
    return _UNSPEAKABLE.search(words) is None


def given(words: str) -> str:
    """Return a command, or a name, as GDB takes it. Raises gdb.error if it cannot be asked."""
    if not is_speakable(words):
        raise gdb.error("GDB cannot be asked for a name with control characters or other bytes")
    return words


def printable(words: str) -> str:
    """Return text that GDB's terminal has letters for."""
    if words.isascii():
        return words
    charset = _host()
    return words.encode("ascii" if charset != _UTF8 else charset, ESCAPED).decode(_UTF8)


def is_printable(words: str) -> bool:
    """Tell whether GDB can be given a text as it is, to complete a word with, say."""
    return line(words) == words


def line(words: str) -> str:
    """Return one line as it is printed, for what GDB prints itself, a frame or an error."""
    return printable(visible(words))


def printed_name(ask: Callable[[], Any]) -> Any:
    """Return what a function returns; text as GDB prints it."""
    found = told(ask)
    return line(found) if isinstance(found, str) else found


def write(words: str) -> None:
    """Print text that has its lines' ends."""
    gdb.write(printable("\n".join(map(shown, words.split("\n")))))


def failure(words: str) -> gdb.GdbError:
    """Return the error that ends a command with a line."""
    return gdb.GdbError(line(words))


def _canonical(found: Any, is_hosts: bool = False) -> Any:
    """Return text as its bytes are in UTF-8, if GDB took them for those of its host character set.
    `is_hosts`: it certainly did."""
    if not isinstance(found, str) or found.isascii():
        return found
    charset = _host()
    if charset == _UTF8:
        return found
    try:
        data = found.encode(charset)
        return decoded(data) if is_hosts else data.decode(_UTF8)
    except (LookupError, UnicodeError):
        return found


def _host() -> str:
    """Return GDB's host character set as Python calls it."""
    charset = str(gdb.host_charset())
    return _UTF8 if charset.lower().replace("_", "-") in ("utf-8", "utf8") else charset
