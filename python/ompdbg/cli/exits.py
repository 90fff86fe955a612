# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the shell is told."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses of all commands but `run`, which passes on that of its command."""

    FINE = 0
    FOUND = 1  # something is wrong with the program
    USAGE = 2
    UNREADABLE = 3  # the target, or what is needed to read it
    NO_OPENMP = 4  # no OpenMP runtime, or none that is understood
    NOT_WRITTEN = 5  # what was to be written
    INTERNAL = 70  # a mistake in ompdbg (EX_SOFTWARE of sysexits.h)


class Failed(Exception):
    """A command that ends with one line, without a full stop."""

    def __init__(self, status: Exit, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
