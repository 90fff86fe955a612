# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp print"""

from __future__ import annotations

import re
from typing import List, Optional

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand, completed, put_text
from ompdbg.commands.options import Option, Wrong
from ompdbg.console import encoding

_FORMAT = re.compile(r"/(\S*)\s*")


class Print(OmpCommand):
    """Print an expression's value in every thread, equal ones together.
    Usage: omp print [-all] [-team TEAM] [-state STATE] [-json] [--] [/FORMAT] EXPR

      -all          All OpenMP threads, not just those of the team in which the
                    selected thread works.
      -team TEAM    Only threads of that team, named as in "omp threads".
      -state STATE  Only threads in that state, as in "omp threads".
      -json         Print JSON, schema "ompdbg/1".

    EXPR is evaluated in each thread, in the innermost frame of the program's own
    code that knows its names, which column "In" shows. Threads with the same value
    share a row. Values that most threads do not have come first, marked "!". A line
    below shows the least and the greatest number, and where. FORMAT is a letter as
    of "print /x"; a[2:5] is an array section, as in OpenMP: 5 elements from a[2]
    on. GDB's settings hold, "print elements" for one.

    Nothing in the program changes: assignments and calls of its functions are
    refused."""

    name = "omp print"
    options = (Option("-all"), options.TEAM, options.STATE, Option("-json"))

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB. What follows the options is left as it is."""
        words, expression = options.split(self.options, argument)
        found = _FORMAT.match(expression)
        letter = found.group(1) if found is not None else "\0"
        expression = expression[found.end() :] if found is not None else expression
        try:
            arguments = options.parse(self.name, self.options, words)
            arguments = arguments._replace(write_text=put_text)
            options.exclude(self.name, arguments, "-all", "-team")
            if not expression:
                raise Wrong(f"{self.name}: missing expression.")
            if len(letter) != 1:
                raise Wrong(f'{self.name}: invalid format "{letter}" (expected a letter).')
        except Wrong as error:
            raise encoding.failure(str(error)) from None
        from ompdbg.inferior import session
        from ompdbg.variables import evaluation

        with session.guarded(self.name), evaluation.without_effects():
            self.show(
                "values",
                arguments,
                expression=expression,
                format=letter,
                all=arguments.has("-all"),
                team=arguments.options.get(options.TEAM.name),
                state=arguments.options.get(options.STATE.name),
            )

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        """Called by GDB: behind the options, an expression is to be completed."""
        _, expression = options.split(self.options, text)
        if word is None or not expression:
            return super().complete(text, word)
        return completed("print " + expression, word)
