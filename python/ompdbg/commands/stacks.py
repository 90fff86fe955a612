# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp bt, omp frame and omp thread"""

from __future__ import annotations

import re
from typing import Optional

import _ompdbg
import gdb

from ompdbg.commands import location, options
from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Arguments, Option, Wrong
from ompdbg.console import encoding
from ompdbg.text import number_in

_STACKS, _TREE, _FOLDED = range(3)  # enum bt_form
_PLACE = re.compile(r"(?:(?P<thread>(?:\d+\.)?\d+):)?(?P<level>\d+)")


class Bt(OmpCommand):
    """Show the stack of the selected thread, up to main.
    Usage: omp bt [-all [-tree | -no-tree]] [-full] [-raw] [-json] [COUNT]

      -all      Show all threads. Threads of a team with equal stacks share one,
                without arguments, unless -full is given.
      -tree     With -all, one tree of all stacks: the default with 16 OpenMP
                threads or more.
      -no-tree  With -all, one stack after another.
      -full     Show local variables, too.
      -raw      Show frames of the OpenMP runtime and of libraries, too.
      -json     Print JSON, schema "ompdbg/1".

    Without -raw, only the program's own frames are shown. The stack of a thread in
    a parallel region continues in the thread that encountered the region, up to
    main. Each part names its thread, and frames have the numbers of that thread.
    With COUNT, only that many innermost frames are shown. Of a recursion, the
    first and the last frames are shown, and how many are between; with -full or
    -raw, all.

    The tree starts at main. The first column is the number of threads in these
    frames, the last column lists them. Rows with "-" show the state of the threads
    that end there. -full and COUNT print no tree."""

    name = "omp bt"
    view = "stacks"
    options = (
        Option("-all"),
        Option("-tree"),
        Option("-no-tree"),
        Option("-full"),
        Option("-raw"),
        Option("-json"),
    )
    positional = 1

    def check(self, arguments: Arguments) -> None:
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

    def run(self, arguments: Arguments) -> None:
        limit = (number_in(arguments.positional[0]) if arguments.positional else None) or 0
        numbers = None if arguments.has("-all") else [self._selected()]
        form = _TREE if arguments.has("-tree") else _STACKS
        if arguments.has("-all") and not arguments.has("-tree") and not arguments.has("-no-tree"):
            form = _FOLDED
        self.show(arguments, numbers=numbers, limit=limit, form=form)

    def _selected(self) -> int:
        thread = self.program().selected()
        if thread is None:
            self.fail("no thread is selected.")
        if thread.is_running:
            self.fail(f"thread {thread.label} is running.")
        return thread.number


class Selecting(OmpCommand):
    """A command that selects a frame."""

    keeps_selection = False
    positional = 1

    def select(self, thread: _ompdbg.Thread, level: Optional[int]) -> None:
        """Select a frame, by default the innermost of the program's own code, and show it."""
        from ompdbg.inferior import session

        if thread.is_running:
            self.fail(f"thread {thread.label} is running.")
        wanted = thread.users_level or 0 if level is None else level
        handle = session.services().frame_of(thread.number, wanted)
        if handle is None:
            self.fail(f"thread {thread.label} has no frame {wanted}.")
        handle.select()
        encoding.put(location.text(thread, wanted))
        if level is None and thread.users_level is None:
            encoding.put('no frame of the program (see "omp bt")\n')


class Frame(Selecting):
    """Select a frame that "omp bt" shows, with its thread.
    Usage: omp frame [[THREAD:]FRAME]

    A stack of "omp bt" continues in other threads: "omp frame 1:7" selects frame 7
    of thread 1, and "omp frame 2.1:7" frame 7 of thread 1 of inferior 2. Without
    THREAD, select a frame of the selected thread. Without an argument, select its
    innermost frame of the program's own code."""

    name = "omp frame"

    def check(self, arguments: Arguments) -> None:
        for word in arguments.positional:
            if _PLACE.fullmatch(word) is None:
                raise Wrong(
                    f'{self.name}: invalid frame "{word}" (expected 7, or 1:7 for thread 1).'
                )

    def run(self, arguments: Arguments) -> None:
        from ompdbg.inferior import selection

        match = _PLACE.fullmatch("".join(arguments.positional) or "0")
        assert match is not None
        with selection.kept_on_failure():
            thread = self._named(match.group("thread"))
            self.select(thread, int(match.group("level")) if arguments.positional else None)

    def _named(self, label: Optional[str]) -> _ompdbg.Thread:
        """Return the thread of that name, and select its inferior."""
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

      -team TEAM  Select a thread of that team, named as in "omp threads". The
                  default is the team in which the selected thread works.

    NUMBER is a number in the OMP column of "omp threads": "omp thread 3" and "omp
    thread 3/8" are the same. "omp thread 1.2.3" is thread 3 of team 1.2. Commands
    such as "print", "info locals" and "up" then use the innermost frame of the
    program's own code, not a frame of the runtime. GDB's own numbers are for
    "thread"."""

    name = "omp thread"
    options = (options.TEAM,)

    def check(self, arguments: Arguments) -> None:
        if not arguments.positional:
            raise Wrong(f"{self.name}: missing number (expected 3, or 1.3 in team 1).")

    def run(self, arguments: Arguments) -> None:
        from ompdbg.inferior import selection

        team = arguments.options.get(options.TEAM.name)
        with selection.kept_on_failure():
            self.select(self.program().member(arguments.positional[0], team), None)
