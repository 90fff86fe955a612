# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a command of `ompdbg` is."""

from __future__ import annotations

import argparse
from typing import Callable, NamedTuple


class Context(NamedTuple):
    """What a command has besides its arguments."""

    libompd: str  # path of the OMPD library


class Command(NamedTuple):
    """One command."""

    name: str
    summary: str  # a line for the list of commands
    description: str  # what its help tells
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Context], int]  # its exit status; may raise Failed


def add_place(parser: argparse.ArgumentParser, is_optional: bool = False) -> None:
    """The arguments that say what is looked at."""
    told = "core file, or number of a process"
    if is_optional:
        parser.add_argument("target", metavar="CORE|PID", nargs="?", help=told)
    else:
        parser.add_argument("target", metavar="CORE|PID", help=told)
    parser.add_argument("--exe", metavar="FILE", help="the program, if it is elsewhere now")
    parser.add_argument(
        "--sysroot", metavar="DIR", help="where the files of the program's machine are"
    )
