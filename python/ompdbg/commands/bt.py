# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp bt"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompdbg.commands.command import OmpCommand
from ompdbg.commands.options import Option, Wrong
from ompdbg.number import number_in

if TYPE_CHECKING:
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
