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
    """Show the OpenMP runtime of the program, and how well it is known.
    Usage: omp status [-stats] [-json]

      -stats  Also count what was read from the program, for the command before
              and for this one.
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

      -state STATE  Only threads in that state: a word of the State column or
                    its beginning ("lock", "sleeps"), or OMPD's name. "wait"
                    stands for all that wait.
      -team TEAM    Only threads of that team, named as in the Team column.
      -json         Print JSON, schema "ompdbg/1".

    A team is named after its place: team 1.2 was formed by thread 2 of team 1. A
    state that is not known is shown as "?". OMP is the number in the team, "none"
    of a thread that is not OpenMP's."""

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

    The owner is what the runtime or the C library records. Where neither does,
    "perhaps" marks threads that may hold the lock: a function on the stack may
    have set this lock and not unset it, or a frame has the lock's address. The
    reason is shown below the table."""

    name = "omp locks"


class Regions(_View):
    """Show the parallel regions and what their threads do.
    Usage: omp regions [-json]

      -json  Print JSON, schema "ompdbg/1".

    Below each region is a row for all of its threads that do the same at the same
    place: how many, what, where, and their numbers in the team. Region 1.2 was
    opened by thread 2 of region 1. How many threads have come to a barrier is what
    the runtime counts; where it does not, how many were seen there. Of a loop
    whose iterations threads fetch from the runtime, those are left that none has
    fetched; a loop with a static schedule is divided by the program's own code,
    and memory does not tell of it."""

    name = "omp regions"


class Why(OmpCommand):
    """Tell why the program does not go on: who waits for whom.
    Usage: omp why [-json] [THREAD]

      THREAD  Number of a thread: only what it waits for, and what that waits for.
      -json   Print JSON, schema "ompdbg/1".

    It finds deadlocks, threads that fork() has left behind, threads of a team at
    different barriers, locks and their owners (also mutexes of the GNU C library),
    tasks that are not done, events that nobody has fulfilled, barriers that not
    all threads have reached, and threads that spin in loops that only read memory.
    A program that runs well has such waits too at any moment. Only deadlocks,
    threads left behind, different barriers, locks of threads that have ended, and
    endless loops can never end.

    Owners that nobody records are shown as "perhaps held by", with the reason: a
    function on a stack may have set the lock and not unset it, or a frame has its
    address. A deadlock with such an owner is "probable". If a signal has ended the
    program or stopped it, and it is one that ends programs, it comes first (not
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

      THREAD       Number of a thread: only what that one did.
      -last COUNT  Show so many events; without it 20.
      -all         Show all events that are still there.
      -json        Print JSON, schema "ompdbg/1".

    The program has to be started with the recorder: by "ompdbg record". Shown are
    the latest events of all threads, newest last: regions, tasks, loops, waits, and
    locks taken and released. Each thread keeps its latest events only. What a
    thread did again and again is one line. Threads that have ended are shown by
    their LWP, in parentheses.

    Times are in seconds before the stop; where it is unknown when that was, as for
    a core file, before the latest event."""

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
