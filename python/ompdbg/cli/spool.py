# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines that are written only when the process that they are about goes on: who reads them, in a
pager, say, may take his time."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import IO, Iterable, List, Optional, Tuple, Type

from ompdbg.cli import terminal
from ompdbg.cli.exits import Exit, Failed

STANDARD_OUTPUT = "-"
_IN_MEMORY = 1 << 24  # bytes; more of them are put into a file


class Spool:
    """Keeps lines until it is left without an exception. `waits`: else they are written at
    once. What goes into a plain file never waits."""

    def __init__(self, waits: bool) -> None:
        self._waits = waits
        self._warnings: List[str] = []
        self._kept: List[Tuple[str, IO[str]]] = []

    def warn(self, problems: Iterable[str]) -> None:
        """A line for each, for people."""
        self._warnings += problems
        if not self._waits:
            self._say_warnings()

    def write(self, path: str, lines: Iterable[str]) -> None:
        """Takes lines without their ends, of a file or of standard output. Raises Failed."""
        if not self._waits or _is_plain(path):
            write_file(path, lines)
            return
        import tempfile

        kept = tempfile.SpooledTemporaryFile(
            _IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass", newline="\n"
        )
        self._kept.append((path, kept))
        for line in lines:
            kept.write(line + "\n")

    def _say_warnings(self) -> None:
        for problem in self._warnings:
            terminal.say(f"ompdbg: warning: {problem}")
        self._warnings.clear()

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            if kind is not None:
                return
            self._say_warnings()
            for path, kept in self._kept:
                kept.seek(0)
                write_file(path, (line[:-1] for line in kept))
        finally:
            for _, kept in self._kept:
                kept.close()


def _is_plain(path: str) -> bool:
    return path != STANDARD_OUTPUT and (os.path.isfile(path) or not os.path.exists(path))


def _print(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failed(Exit.NOT_WRITTEN, f"standard output: {error.strerror}") from None


def _scratch_suffix(writer: int) -> str:
    return f".{writer}.new"


def is_scratch(path: str, writer: int) -> bool:
    """Check whether a file is one that a process has not finished."""
    return path.endswith(_scratch_suffix(writer))


def write_file(path: str, lines: Iterable[str]) -> None:
    """Writes lines to a file, all of them or none; or to standard output. Raises Failed."""
    if path == STANDARD_OUTPUT:
        for line in lines:
            _print(line)
        return
    # What is no file, a pipe, say, is written as it is.
    is_plain = _is_plain(path)
    scratch = f"{path}{_scratch_suffix(os.getpid())}" if is_plain else path
    try:
        with open(scratch, "w", encoding="utf-8", errors="replace") as file:
            for line in lines:
                file.write(line + "\n")
        if is_plain:
            os.replace(scratch, path)
    except OSError as error:
        raise Failed(Exit.NOT_WRITTEN, f"{path}: {error.strerror}") from None
    finally:
        if is_plain and os.path.exists(scratch):
            os.unlink(scratch)
