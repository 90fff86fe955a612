# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words in the styles that a debugger has for headings, functions, files, variables and addresses.
Text is measured and cut first, and painted afterwards. A style's sequence begins with text.STYLE,
which becomes ESC when the line is written: what text from outside has is never obeyed."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional

from ompdbg.text import STYLE

TITLE, FUNCTION, FILE = "title", "function", "filename"
VARIABLE, ADDRESS, METADATA = "variable", "address", "metadata"
KINDS = (TITLE, FUNCTION, FILE, VARIABLE, ADDRESS, METADATA)

_RESET = f"{STYLE}[m"
_PLACE = re.compile(r"(?P<function>.+) at (?P<file>[^\s:]+):(?P<line>\d+)$")
_TASK = re.compile(r"(task of )(.+?) at ([^\s:]+):(\d+)(?=,|$)")
_ADDRESS = re.compile(r"(0x[0-9a-f]+)(.*)$")
_WAIT = re.compile(r"(lock or critical|(?:nest )?lock|critical) (\S.*)$")


class Palette:
    """The sequences that begin each style, by its kind; none for what is printed as it is. A
    sequence's ESC is text.STYLE."""

    def __init__(self, begins: Dict[str, str]) -> None:
        self._begins = begins

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Palette) and self._begins == other._begins

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._begins.items())))

    @property
    def is_plain(self) -> bool:
        """Nothing is painted."""
        return not any(self._begins.values())

    def sequences(self) -> Optional[List[str]]:
        """What begins each of KINDS on a terminal; None if nothing is painted."""
        if self.is_plain:
            return None
        return [self._begins.get(kind, "").replace(STYLE, "\033") for kind in KINDS]

    def paint(self, kind: str, text: str) -> str:
        """The text in a style."""
        begin = self._begins.get(kind, "")
        return f"{begin}{text}{_RESET}" if begin and text else text

    def place(self, text: str) -> str:
        """`work at hang.c:12`, `0x401136 in program`, or a function alone."""
        match = _PLACE.match(text)
        if match is not None:
            return self.at(match.group("function"), match.group("file"), match.group("line"))
        return self._address(text) or self.paint(FUNCTION, text)

    def at(self, function: str, file: str, line: str) -> str:
        """`work at hang.c:12`"""
        return f"{self.paint(FUNCTION, function)} at {self.paint(FILE, file)}:{line}"

    def wait(self, text: str) -> str:
        """`lock locks[3]`; of other things that a thread does, nothing is painted."""
        match = _WAIT.match(text)
        if match is None:
            return text
        name = match.group(2)
        return f"{match.group(1)} {self._address(name) or self.paint(VARIABLE, name)}"

    def tasks(self, text: str) -> str:
        """A line about a task: `task of solve at hung.c:80, running`."""
        return _TASK.sub(lambda m: m.group(1) + self.at(m.group(2), m.group(3), m.group(4)), text)

    def _address(self, text: str) -> str:
        match = _ADDRESS.match(text)
        return "" if match is None else self.paint(ADDRESS, match.group(1)) + match.group(2)


PLAIN = Palette({})

Paint = Callable[[Palette, str], str]


def as_it_is(palette: Palette, text: str) -> str:
    """For columns without a style."""
    return text
