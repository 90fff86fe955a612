# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp print"""

from __future__ import annotations

import re
from typing import Tuple

from ompdbg.commands import options
from ompdbg.commands.command import Applying
from ompdbg.commands.options import Arguments, Option, Wrong

_FORMAT = re.compile(r"/(\S*)\s*")


class Print(Applying):
    """Print an expression's value in every thread, equal ones together.
    Usage: omp print [-all] [-team TEAM] [-state STATE] [-json] [--] [/FORMAT] EXPR

      -all          Use all OpenMP threads, not only the team in which the selected
                    thread works.
      -team TEAM    Use only threads of that team, named as in "omp threads".
      -state STATE  Use only threads in that state, as in "omp threads".
      -json         Print JSON, schema "ompdbg/1".

    In each thread, EXPR is evaluated in the innermost frame of the program's own
    code that knows its names; column "In" shows the function. Threads with the
    same value share a row. Values that most threads do not have come first,
    marked "!". A line below shows the minimum and the maximum, and their threads.
    FORMAT is a letter as in "print /x"; a[2:5] is an array section, as in OpenMP:
    5 elements from a[2] on. GDB's settings apply, such as "set print elements".

    EXPR cannot change the program: assignments and calls of its functions are
    errors."""

    name = "omp print"
    view = "values"
    applied = "print "
    options = (Option("-all"), options.TEAM, options.STATE, Option("-json"))

    def check(self, arguments: Arguments) -> None:
        options.exclude(self.name, arguments, "-all", "-team")
        letter, expression = _parts("".join(arguments.positional))
        if not expression:
            raise Wrong(f"{self.name}: missing expression.")
        if len(letter) != 1:
            raise Wrong(f'{self.name}: invalid format "{letter}" (expected a letter).')

    def run(self, arguments: Arguments) -> None:
        from ompdbg.variables import evaluation

        letter, expression = _parts(arguments.positional[0])
        with evaluation.without_effects():
            self.show(arguments, expression=expression, format=letter)


def _parts(text: str) -> Tuple[str, str]:
    """Return format and expression; the format "\\0" if there is none."""
    found = _FORMAT.match(text)
    return ("\0", text) if found is None else (found.group(1), text[found.end() :])
