# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp apply"""

from __future__ import annotations

from typing import Dict, List, Optional

import gdb

from ompdbg.commands import location, options
from ompdbg.commands.command import OmpCommand, completed, write
from ompdbg.commands.options import Option, Wrong
from ompdbg.console import encoding
from ompdbg.console.output import printed


class Apply(OmpCommand):
    """Apply a command to OpenMP threads chosen by team, level or state.
    Usage: omp apply [-team TEAM] [-level LEVEL] [-state STATE] [-num NUMBERS]
                     [-q] [-c] [-s] [--] COMMAND

      -team TEAM    Only threads of that team, named as in "omp threads".
      -level LEVEL  Only threads in regions of that nesting level.
      -state STATE  Only threads in that state, as in "omp threads".
      -num NUMBERS  Only threads with these numbers in their teams: 0,2-5.
      -q            Do not say of which thread the output is.
      -c            Go on after an error, and show it.
      -s            Go on after an error, and do not show it."""

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
        """Called by GDB. What follows the options is left as it is."""
        try:
            words, command = options.split(self.options, argument)
            arguments = options.parse(self.name, self.options, words)
            options.exclude(self.name, arguments, "-c", "-s")
        except Wrong as error:
            raise encoding.failure(str(error)) from None
        if not command:
            raise encoding.failure(f"{self.name}: missing command.")
        from ompdbg.inferior import session

        with session.guarded(self.name):
            self._apply(arguments.options, command, from_tty)

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        """Called by GDB: behind the options, a command is to be completed."""
        _, command = options.split(self.options, text)
        if word is None or not command:
            return super().complete(text, word)
        blanks = len(text) - len(text.rstrip())
        return completed(command + " " * blanks, word)

    def _apply(self, given: Dict[str, str], command: str, from_tty: bool) -> None:
        from ompdbg.inferior import session

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
            self._apply_to(handle, "" if "-q" in given else heading, given, command, from_tty)

    def _apply_to(
        self,
        handle: gdb.InferiorThread,
        heading: str,
        given: Dict[str, str],
        command: str,
        from_tty: bool,
    ) -> None:
        from ompdbg.inferior import selection

        selection.switch(handle)
        failure: Optional[str] = None
        output = ""
        try:
            output = printed(command, from_tty)
        except gdb.error as error:
            failure = str(error)
        if failure is not None and "-s" in given:
            return
        if heading:
            write(["", heading])
        encoding.write(output)
        if failure is not None and "-c" not in given:
            raise encoding.failure(failure)
        if failure is not None:
            write([failure])
