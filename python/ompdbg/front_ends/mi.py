# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB/MI, the language of front ends: its commands, and the names of source files.

For each command that prints JSON one answers the same, `-omp-threads` for `omp threads`. GDB takes
such commands since 13.

Of a frame that went through a frame filter, GDB/MI tells one name of its file, where of others it
tells the whole path, too. Front ends need that: the name is the one that the compiler was given.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple

import gdb
from gdb.FrameDecorator import FrameDecorator

from ompdbg.commands.command import OmpCommand
from ompdbg.console import encoding

# As `-i=mi` or `--interpreter mi2`.
_MI = re.compile(r"--?i[a-z]*[=\0]mi\d?")
_is_mi: Optional[bool] = None


def register() -> None:
    """Makes them of the commands that there are."""
    kind: Any = getattr(gdb, "MICommand", None)
    if kind is None:
        return

    class Command(kind):  # type: ignore[misc]
        """One of them."""

        def __init__(self, command: OmpCommand) -> None:
            self._command = command
            super().__init__("-" + command.name.replace(" ", "-"))

        def invoke(self, argv: List[str]) -> Any:
            """Called by GDB."""
            return json.loads(self._command.document(argv), object_pairs_hook=_members)

    for command in OmpCommand.made.values():
        if any(option.name == "-json" for option in command.options):
            Command(command)


def _members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """MI has no null, and its truth is "y" or "n"."""
    return {name: _value(value) for name, value in pairs if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, list):
        return [_value(one) for one in value]
    return encoding.printable(value) if isinstance(value, str) else value


def with_paths(frames: Iterator[Any]) -> Iterator[Any]:
    """The same frames; for GDB/MI, with paths for names of files."""
    return map(_WithPath, frames) if _in_mi() else frames


def _in_mi() -> bool:
    """GDB was started for a front end."""
    global _is_mi
    if _is_mi is None:
        try:
            with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as file:
                words = file.read().split("\0")
        except OSError:
            words = []
        pairs = ["\0".join(pair) for pair in zip(words, words[1:])]
        _is_mi = any(_MI.fullmatch(one) for one in words + pairs)
    return _is_mi


class _WithPath(FrameDecorator):  # type: ignore[misc]
    """A frame with the path of its file."""

    def filename(self) -> Any:
        """The path; the name of a library, or what another filter made of it, as it is."""
        found = encoding.printed_name(super().filename)
        symtab = self.inferior_frame().find_sal().symtab
        if symtab is None or found != encoding.line(encoding.of(symtab, "filename")):
            return found
        return encoding.line(encoding.of(symtab, "fullname"))

    def elided(self) -> Optional[Iterator[Any]]:
        """The frames that belong to it."""
        found = super().elided()
        return None if found is None else map(_WithPath, found)
