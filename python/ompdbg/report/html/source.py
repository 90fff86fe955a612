# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the program's source, read when the page is made."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple

from ompdbg.report import owner, regular_file
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.text import decoded

Object = Dict[str, Any]

# The path comes out of the program, and the page goes to others: only source is read.
_SUFFIXES = frozenset(
    ".c .cc .cp .cpp .cxx .c++ .cu .cuf .f .f03 .f08 .f90 .f95 .for .fpp .ftn .h .hh .hip .hpp"
    " .hxx .h++ .inc .inl .ipp .m .mm .tcc .tpp .txx".split()
)
_MOST_BYTES = 16 << 20
_AROUND = 3  # lines before and after
_MOST_LETTERS = 160  # of a line


class Sources:
    """The files of one program."""

    def __init__(self, report: Object) -> None:
        program = report["about"]["program"]
        self._built = _modified(program) if program else None
        self._paths = {one["file"]: one["path"] for one in report.get("sources") or []}
        self._files: Dict[str, List[str]] = {}
        self._shown: Dict[Tuple[str, int], bool] = {}
        self.newer: List[str] = []  # files that were changed after the program was built

    def line(self, file: Optional[str], line: Optional[int]) -> Content:
        """Return one line, without what indents it."""
        lines = self._lines(file) if file and line else []
        if not line or not 0 < line <= len(lines) or not lines[line - 1].strip():
            return None
        return element("code", lines[line - 1].strip()[:_MOST_LETTERS], class_="code")

    def around(self, file: Optional[str], line: Optional[int]) -> Content:
        """Return a line with those around it, once on a page; then the line alone."""
        if not file or not line or self._shown.setdefault((file, line), False):
            return self.line(file, line)
        self._shown[(file, line)] = True
        lines = self._lines(file)
        if not 0 < line <= len(lines):
            return None
        first, last = max(line - _AROUND, 1), min(line + _AROUND, len(lines))
        rows = [
            _row(number, lines[number - 1], number == line) for number in range(first, last + 1)
        ]
        return element("div", element("div", rows), class_="source scroll", tabindex="0")

    def _lines(self, file: str) -> List[str]:
        if file not in self._files:
            self._files[file] = self._read(self._paths.get(file) or "")
        return self._files[file]

    def _read(self, file: str) -> List[str]:
        if not os.path.isabs(file) or "\0" in file:
            return []
        try:
            with owner.rights():
                real = os.path.realpath(file)
                if os.path.splitext(real)[1].lower() not in _SUFFIXES:
                    return []
                with regular_file.opened(real) as opened:
                    found = opened.read(_MOST_BYTES)
                    changed = _modified(file)
        except (OSError, UnicodeError):
            return []
        if self._built is not None and changed is not None and changed > self._built:
            self.newer.append(file)
        return decoded(found).split("\n")


def _modified(path: str) -> Optional[float]:
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):
        return None


def _row(number: int, line: str, is_here: bool) -> Markup:
    told = line.rstrip().expandtabs(4)
    return element(
        "div",
        element("span", number, class_="n"),
        element("code", told[:_MOST_LETTERS]),
        class_="here" if is_here else None,
        aria_current="true" if is_here else None,
    )
