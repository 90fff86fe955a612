# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp bt, omp frame and omp thread"""

from __future__ import annotations

import re
from typing import Optional, TYPE_CHECKING

import gdb

from ompdbg.commands import location, options
from ompdbg.commands.command import OmpCommand, write
from ompdbg.commands.options import Option, Wrong
from ompdbg.number import number_in

if TYPE_CHECKING:
    import _ompdbg

    from ompdbg.commands.options import Arguments


_STACKS, _TREE, _FOLDED = range(3)  # enum bt_form


class Bt(OmpCommand):
    """Show how the selected thread got where it is, in terms of source.
    Usage: omp bt [-all [-tree | -no-tree]] [-full] [-raw] [-json] [COUNT]

      -all      Every thread, not just the selected one. Threads of a team with the
                same stack share one, without arguments, unless with -full.
      -tree     With -all, one tree of all stacks: the default from 16 OpenMP
                threads on.
      -no-tree  With -all, one stack after another.
      -full     Local variables, too.
      -raw      Frames of the OpenMP runtime and the libraries, too.
      -json     Print JSON, schema "ompdbg/1".

    Without -raw only frames of the program are shown. The stack of a thread that
    works in a parallel region goes on in the thread that encountered the region,
    up to main; each part says on which thread it is, and its frames have the
    numbers that they have there. With COUNT, only that many innermost frames.

    In a tree each call stands before those that it made, from main on. The first
    column says how many threads went the same way, and the last one which. Rows
    with "-" say what threads do at the end. There is no tree of local variables,
    or of COUNT frames."""

    name = "omp bt"
    options = (
        Option("-all"),
        Option("-tree"),
        Option("-no-tree"),
        Option("-full"),
        Option("-raw"),
        Option("-json"),
    )
    positional = 1

    def check(self, arguments: "Arguments") -> None:
        """The argument is a number."""
        for word in arguments.positional:
            if number_in(word) is None:
                raise Wrong(f'{self.name}: invalid number of frames "{word}".')
        for one in ("-tree", "-no-tree"):
            if arguments.has(one) and not arguments.has("-all"):
                raise Wrong(f"{self.name}: {one} needs -all.")
        for other in ("-full", "-no-tree"):
            if arguments.has("-tree") and arguments.has(other):
                raise Wrong(f"{self.name}: -tree and {other} exclude each other.")
        if arguments.has("-tree") and arguments.positional:
            raise Wrong(f"{self.name}: -tree shows whole stacks (leave out COUNT).")

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        limit = (number_in(arguments.positional[0]) if arguments.positional else None) or 0
        numbers = None if arguments.has("-all") else [self._selected()]
        raw, full = arguments.has("-raw"), arguments.has("-full")
        form = _TREE if arguments.has("-tree") else _STACKS
        if arguments.has("-all") and not arguments.has("-tree") and not arguments.has("-no-tree"):
            form = _FOLDED
        self.show("stacks", arguments, numbers=numbers, raw=raw, full=full, limit=limit, form=form)

    def _selected(self) -> int:
        for thread in self.program().threads():
            if thread.is_selected:
                if thread.is_running:
                    self.fail(f"thread {thread.label} is running.")
                return thread.number
        self.fail("no thread is selected.")


_PLACE = re.compile(r"(?:(?P<thread>(?:\d+\.)?\d+):)?(?P<level>\d+)")


class Selecting(OmpCommand):
    """A command that selects a frame."""

    keeps_selection = False
    positional = 1

    def select(self, thread: "_ompdbg.Thread", level: Optional[int]) -> None:
        """Select a frame, by default the innermost of the program's own code, and show it."""
        from ompdbg.inferior import session

        if thread.is_running:
            self.fail(f"thread {thread.label} is running.")
        wanted = thread.users_level or 0 if level is None else level
        handle = session.services().frame_of(thread.number, wanted)
        if handle is None:
            self.fail(f"thread {thread.label} has no frame {wanted}.")
        handle.select()
        write(location.lines(thread, wanted))


class Frame(Selecting):
    """Select a frame that "omp bt" shows, with its thread.
    Usage: omp frame [[THREAD:]FRAME]

    A stack of "omp bt" goes on in other threads: "omp frame 1:7" selects frame 7
    of thread 1, "omp frame 2.1:7" that of thread 1 of inferior 2. Without THREAD,
    it is a frame of the selected thread. Without an argument, it is the innermost
    frame of the program's own code in the selected thread."""

    name = "omp frame"

    def check(self, arguments: "Arguments") -> None:
        """The argument names a frame."""
        for word in arguments.positional:
            if _PLACE.fullmatch(word) is None:
                raise Wrong(
                    f'{self.name}: invalid frame "{word}" (expected 7, or 1:7 for thread 1).'
                )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.inferior import selection

        match = _PLACE.fullmatch("".join(arguments.positional) or "0")
        assert match is not None
        with selection.kept_on_failure():
            thread = self._named(match.group("thread"))
            self.select(thread, int(match.group("level")) if arguments.positional else None)

    def _named(self, label: Optional[str]) -> "_ompdbg.Thread":
        """The thread of that name, whose inferior is selected then."""
        number = label
        if label is not None and "." in label:
            inferior, _, number = label.partition(".")
            self._select_inferior(int(inferior), int(number))
        for thread in self.program().threads():
            if thread.is_selected if label is None else str(thread.number) == number:
                return thread
        self.fail("no thread is selected." if label is None else f"no thread {label}.")

    def _select_inferior(self, number: int, thread_number: int) -> None:
        from ompdbg.inferior import selection

        for inferior in gdb.inferiors():
            for thread in inferior.threads() if inferior.num == number else ():
                if thread.num == thread_number:
                    selection.switch(thread)
                    return
        self.fail(f"no thread {number}.{thread_number}.")


class Thread(Selecting):
    """Select a thread by its OpenMP number, and its frame in your code.
    Usage: omp thread [-team TEAM] NUMBER

      -team TEAM  A thread of that team, named as in "omp threads"; by default of
                  the team in which the selected thread works.

    NUMBER is what the OMP column of "omp threads" shows: "omp thread 3" and "omp
    thread 3/8" are the same. "omp thread 1.2.3" is thread 3 of team 1.2. Commands
    like "print", "info locals" and "up" then go by the innermost frame of the
    program's own code, not by one of the runtime. GDB's own numbers are those of
    "thread"."""

    name = "omp thread"
    options = (options.TEAM,)

    def check(self, arguments: "Arguments") -> None:
        """There is a number."""
        if not arguments.positional:
            raise Wrong(f"{self.name}: missing number of a thread.")

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.inferior import selection

        team = arguments.options.get(options.TEAM.name)
        with selection.kept_on_failure():
            self.select(self.program().member(arguments.positional[0], team), None)
