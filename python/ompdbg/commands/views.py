# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp status, threads, regions, locks, why and history: views of the whole program."""

from __future__ import annotations

import json
from typing import Dict, List

from ompdbg.commands import options
from ompdbg.commands.command import OmpCommand, wrapped
from ompdbg.commands.options import Arguments, Option, Wrong
from ompdbg.text import number_in

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

    def run(self, arguments: Arguments) -> None:
        said: List[str] = []
        self.show(arguments._replace(write_text=said.append))
        text = "".join(said)
        if arguments.has("-stats"):
            text = self._with_stats(text, arguments.has("-json"))
        arguments.write_text(text)

    def _with_stats(self, text: str, is_json: bool) -> str:
        from ompdbg.inferior import session

        before, now = session.statistics()
        if is_json:
            document = json.loads(text)
            document["stats"] = {"last_command": before, "this_command": now}
            return json.dumps(document, indent=1) + "\n"
        for label, counted in (("Last command", before), ("This command", now)):
            text += wrapped(_counted(counted), f"{label:<{_LABEL_WIDTH}}", " " * _LABEL_WIDTH)
        return text


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

    Team 1.2 was formed by thread 2 of team 1. "?" means that the state is
    unknown. OMP is the number in the team, "none" for a thread that is not an
    OpenMP thread."""

    name = "omp threads"
    options = (options.STATE, options.TEAM, Option("-json"))


class Locks(OmpCommand):
    """Show locks, critical and ordered regions that threads wait for.
    Usage: omp locks [-json]

      -json  Print JSON, schema "ompdbg/1".

    Mutexes of the C library, such as std::mutex, count as locks. The owner comes
    from the runtime or the C library. If neither records it, "perhaps" marks
    threads that may hold the lock: a function on the stack may have set this lock
    and not unset it, or a frame holds the lock's address. The evidence is below
    the table."""

    name = "omp locks"
    options = (Option("-json"),)


class Regions(OmpCommand):
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
    options = (Option("-json"),)


class Why(OmpCommand):
    """Show why the program hangs or crashed: which thread waits for which.
    Usage: omp why [-json] [THREAD]

      THREAD  Show only what this thread waits for, directly and indirectly.
      -json   Print JSON, schema "ompdbg/1".

    Finds deadlocks, threads of a team that do not exist, threads of a team at
    different barriers, locks and their owners (also mutexes of the GNU C
    library), unfinished tasks, events that were not fulfilled, barriers that some
    threads have not reached, and threads that spin in loops that only read
    memory. A healthy program, too, has such waits at any moment. Only deadlocks,
    missing threads, different barriers, locks of threads that have ended, and
    endless loops last for ever.

    If nothing records an owner, it is shown as "perhaps held by", with the
    evidence: a function on a stack may have set the lock and not unset it, or a
    frame holds its address. A deadlock with such an owner is "probable". A signal
    that ended the program, or that stopped it and would end it, comes first (not
    with THREAD or -json)."""

    name = "omp why"
    options = (Option("-json"),)
    positional = 1

    def run(self, arguments: Arguments) -> None:
        self.show(arguments, thread=self.thread_number(arguments))


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

    def check(self, arguments: Arguments) -> None:
        options.exclude(self.name, arguments, "-last", "-all")
        last = arguments.options.get("-last")
        if last is not None and not number_in(last):
            raise Wrong(f'{self.name}: invalid number "{last}" (expected at least 1).')

    def run(self, arguments: Arguments) -> None:
        last = 0 if arguments.has("-all") else _DEFAULT
        if arguments.has("-last"):
            last = number_in(arguments.options["-last"]) or 0
        self.show(arguments, thread=self.thread_number(arguments), last=last)
