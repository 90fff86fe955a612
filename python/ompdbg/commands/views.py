# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp status, threads, regions, locks, why and history: views of the whole program."""

from __future__ import annotations

import json
from typing import Dict, TYPE_CHECKING

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand, printed_view, wrap, write
from ompdbg.commands.options import Option, Wrong, exclude
from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


_LABEL_WIDTH = 14  # of libompdbg's
_DEFAULT = 20  # events


class Status(OmpCommand):
    """Show the OpenMP runtime and how ompdbg knows its structures.
    Usage: omp status [-stats] [-json]

      -stats  Also count what the previous command and this one read from the
              program.
      -json   Print JSON, schema "ompdbg/1"."""

    name = "omp status"
    options = (Option("-stats"), Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        if not arguments.has("-stats"):
            self.show("status", arguments)
            return
        from ompdbg.inferior import session

        shown = printed_view(self.program(), "status", json=arguments.has("-json"))
        before, now = session.statistics()
        if arguments.has("-json"):
            document = json.loads(shown)
            document["stats"] = {"last_command": before, "this_command": now}
            arguments.write_text(json.dumps(document, indent=1) + "\n")
            return
        write(shown.rstrip("\n").split("\n"))
        for label, counted in (("Last command", before), ("This command", now)):
            write(wrap(_counted(counted), f"{label:<{_LABEL_WIDTH}}", " " * _LABEL_WIDTH))


def _counted(stats: Dict[str, int]) -> str:
    return (
        f"{stats.get('fetches', 0)} reads of the target, {stats.get('fetched', 0)} bytes"
        f" ({stats.get('direct', 0)} direct); {stats.get('requests', 0)} requests,"
        f" {stats.get('symbols', 0)} symbols"
    )


class Threads(OmpCommand):
    """Show every thread, its place in its team, and what it waits for.
    Usage: omp threads [-state STATE] [-team TEAM] [-json]

      -state STATE  Show only threads in that state: a word of the State column, or
                    its first letters ("lock", "sleeps"), or OMPD's name. "wait"
                    selects all threads that wait.
      -team TEAM    Show only threads of that team, named as in the Team column.
      -json         Print JSON, schema "ompdbg/1".

    Team 1.2 was formed by thread 2 of team 1. "?" means that the state is unknown.
    OMP is the number in the team, "none" for a thread that is not an OpenMP thread."""

    name = "omp threads"
    options = (options.STATE, options.TEAM, Option("-json"))

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        state = arguments.options.get(options.STATE.name)
        team = arguments.options.get(options.TEAM.name)
        self.show("threads", arguments, state=state, team=team)


class _View(OmpCommand):
    options = (Option("-json"),)

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        self.show(self.name.partition(" ")[2], arguments)


class Locks(_View):
    """Show locks, critical and ordered regions that threads wait for.
    Usage: omp locks [-json]

      -json  Print JSON, schema "ompdbg/1".

    The owner comes from the runtime or the C library. If neither records it,
    "perhaps" marks threads that may hold the lock: a function on the stack may have
    set this lock and not unset it, or a frame holds the lock's address. The
    evidence is below the table."""

    name = "omp locks"


class Regions(_View):
    """Show the parallel regions and what their threads do.
    Usage: omp regions [-json]

      -json  Print JSON, schema "ompdbg/1".

    Below each region, threads with the same state at the same place share a row:
    their count, state, place and numbers. Region 1.2 was opened by thread 2 of
    region 1. The number of threads at a barrier is the runtime's own count or, if
    the runtime has none, the number of threads seen there. For a loop that takes
    its iterations from the runtime, the remaining iterations are shown. Loops with
    a static schedule are not shown: the program's own code divides them."""

    name = "omp regions"


class Why(OmpCommand):
    """Show why the program hangs or crashed: which thread waits for which.
    Usage: omp why [-json] [THREAD]

      THREAD  Show only what this thread waits for, directly and indirectly.
      -json   Print JSON, schema "ompdbg/1".

    Finds deadlocks, threads that do not exist after fork(), threads of a team at
    different barriers, locks and their owners (also mutexes of the GNU C library),
    unfinished tasks, events that were not fulfilled, barriers that some threads
    have not reached, and threads that spin in loops that only read memory. A
    healthy program, too, has such waits at any moment. Only deadlocks, missing
    threads, different barriers, locks of threads that have ended, and endless loops
    last for ever.

    If nothing records an owner, it is shown as "perhaps held by", with the
    evidence: a function on a stack may have set the lock and not unset it, or a
    frame holds its address. A deadlock with such an owner is "probable". A signal
    that ended the program, or that stopped it and would end it, comes first (not
    with THREAD or -json)."""

    name = "omp why"
    options = (Option("-json"),)
    positional = 1

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        if arguments.positional:
            self.show("why", arguments, thread=self.thread(arguments.positional[0]))
        else:
            self.show("why", arguments)


class History(OmpCommand):
    """Show what happened before the stop.
    Usage: omp history [THREAD] [-last COUNT] [-all] [-json]

      THREAD       Show only events of this thread.
      -last COUNT  Show that many events (default 20).
      -all         Show all events that are left.
      -json        Print JSON, schema "ompdbg/1".

    Shows the latest events of all threads of a recorded program, newest last:
    regions, tasks, loops, waits, and locks taken and released. Start the program
    with "ompdbg record", or with "set omp record on". Each thread keeps only its
    latest events. Repeated events share a line. Threads that have ended appear as
    their LWP, in parentheses.

    Times are seconds before the stop. A core file does not contain the time of the
    stop, so there they count from the latest event."""

    name = "omp history"
    options = (Option("-last", "COUNT"), Option("-all"), Option("-json"))
    positional = 1

    def check(self, arguments: "Arguments") -> None:
        """A count is a number from 1 on."""
        exclude(self.name, arguments, "-last", "-all")
        if arguments.has("-last") and not number_in(arguments.options["-last"]):
            raise Wrong(
                f'{self.name}: invalid number "{arguments.options["-last"]}" '
                "(expected at least 1)."
            )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        last = 0 if arguments.has("-all") else _DEFAULT
        if arguments.has("-last"):
            last = number_in(arguments.options["-last"]) or 0
        thread = self.thread(arguments.positional[0]) if arguments.positional else 0
        self.show("history", arguments, thread=thread, last=last)
