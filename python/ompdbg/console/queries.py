# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands of GDB whose output is looked at.

While GDB waits for a program to stop, it asks conditions of breakpoints and methods of Python. A
command that fails there makes GDB take it for the end of waiting: `run` returns, and the program
runs on. So a command that may fail is then run by one that never does.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import gdb

from ompdbg.console.output import printed

_waiting = 0


@contextmanager
def while_gdb_waits() -> Iterator[None]:
    """GDB waits for the program, and asks something about the thread that stopped."""
    begin_waiting()
    try:
        yield
    finally:
        end_waiting()


def begin_waiting() -> None:
    """The same without a context manager."""
    global _waiting
    _waiting += 1


def end_waiting() -> None:
    """Its end."""
    global _waiting
    _waiting -= 1


def execute(command: str) -> str:
    """What a command prints. Raises gdb.error."""
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
