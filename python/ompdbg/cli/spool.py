# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines that are printed only when the process that they are about goes on: who reads them, in a
pager, say, may take his time."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import IO, Iterable, Optional, Type

_IN_MEMORY = 1 << 24  # bytes; more of them are put into a file


class Spool:
    """Keeps lines until it is left without an exception. `waits`: else they are printed at
    once."""

    def __init__(self, waits: bool) -> None:
        self._kept: Optional[IO[str]] = None
        if waits:
            import tempfile

            self._kept = tempfile.SpooledTemporaryFile(
                _IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass", newline="\n"
            )

    def print(self, lines: Iterable[str]) -> None:
        """Takes lines without their ends."""
        to = sys.stdout if self._kept is None else self._kept
        for line in lines:
            to.write(line + "\n")

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._kept is None:
            return
        with self._kept as kept:
            if kind is None:
                kept.seek(0)
                sys.stdout.writelines(kept)
