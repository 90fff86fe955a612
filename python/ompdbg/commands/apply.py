# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp apply"""

from __future__ import annotations

import gdb

from ompdbg.commands import location, options
from ompdbg.commands.command import Applying
from ompdbg.commands.options import Arguments, Option, Wrong
from ompdbg.console import encoding
from ompdbg.console.output import printed


class Apply(Applying):
    """Apply a command to OpenMP threads chosen by team, level or state.
    Usage: omp apply [-team TEAM] [-level LEVEL] [-state STATE] [-num NUMBERS]
                     [-q] [-c] [-s] [--] COMMAND

      -team TEAM    Only threads of that team, named as in "omp threads".
      -level LEVEL  Only threads in regions of that nesting level.
      -state STATE  Only threads in that state, as in "omp threads".
      -num NUMBERS  Only threads with these numbers in their teams: 0,2-5.
      -q            Do not print a heading for each thread.
      -c            Continue after an error, and show it.
      -s            Continue after an error, without showing it."""

    name = "omp apply"
    options = (
        options.TEAM,
        options.LEVEL,
        options.STATE,
        options.NUMBERS,
        Option("-q"),
        Option("-c"),
        Option("-s"),
    )

    def invoke(self, argument: str, from_tty: bool) -> None:
        self._from_tty = from_tty
        super().invoke(argument, from_tty)

    def check(self, arguments: Arguments) -> None:
        options.exclude(self.name, arguments, "-c", "-s")
        if not arguments.positional:
            raise Wrong(f"{self.name}: missing command.")

    def run(self, arguments: Arguments) -> None:
        from ompdbg.inferior import session

        given = arguments.options
        threads = self.program().chosen(
            state=given.get("-state"),
            team=given.get("-team"),
            level=given.get("-level"),
            numbers=given.get("-num"),
        )
        services = session.services()
        found = [(location.heading(t), services.thread_of(t.number)) for t in threads]
        if not found:
            self.fail("there is no such OpenMP thread.")
        for heading, handle in found:
            if handle is None or not handle.is_valid() or handle.is_running():
                continue  # the command made it run, or end
            self._apply_to(handle, heading, arguments)

    def _apply_to(self, handle: gdb.InferiorThread, heading: str, arguments: Arguments) -> None:
        from ompdbg.inferior import selection

        selection.switch(handle)
        output, failure = "", ""
        try:
            output = printed(arguments.positional[0], self._from_tty)
        except gdb.error as error:
            failure = str(error)
        if failure and arguments.has("-s"):
            return
        if not arguments.has("-q"):
            encoding.put("\n" + heading)
        encoding.write(output)
        if failure and not arguments.has("-c"):
            raise encoding.failure(failure)
        if failure:
            encoding.write(failure + "\n")
