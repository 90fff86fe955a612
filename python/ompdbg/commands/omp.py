# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp: the prefix of all commands; and omp llvm-plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gdb

from ompdbg.commands.command import OmpCommand, dedent, write
from ompdbg.console import encoding

if TYPE_CHECKING:
    from ompdbg.commands.options import Arguments


class Omp(gdb.Command):
    """Show the OpenMP side of the program: its teams, threads, tasks and stacks.
    Usage: omp [SUBCOMMAND]

    Where is everybody? "omp threads" has a row for each thread, "omp tasks" the
    tree of tasks, "omp bt" the stack of the selected thread on to main, and
    "omp bt -all" those of all threads, the same ones together. "omp frame 1:7"
    selects frame 7 of thread 1, "omp thread 3" thread 3 of the team. Values?
    "omp print EXPR" shows one in all threads; "omp apply" does something for some.

    Why does it hang? "omp why" tells who waits for whom, "omp locks" who holds
    what, "omp regions" who has come to which barrier, and "omp history" what
    happened before, if the program was recorded. "omp icvs" and "omp env" show
    control variables, and what set them.

    Going on: "omp step" steps into constructs and out of them, "omp finish" runs
    to the end of one, "omp break" stops where regions, tasks or threads begin or
    end.

    In conditions and expressions: $_omp_thread_num(), $_omp_num_threads(),
    $_omp_level(), $_omp_in_task("FUNCTION"), and the strings $_omp_team() and
    $_omp_state(), as in
      break solve if $_omp_thread_num() == 3
      break solve if $_streq($_omp_team(), "1.2")

    GDB's own commands: "bt" leaves out the runtime's frames and names constructs
    ("set omp frame-filter"), and "info threads" can show what OpenMP threads do
    ("set omp thread-names on").

    A team is named after its place: team 1.2 was formed by thread 2 of team 1.
    What is not known is shown as "?", with the reason; nothing is guessed, and
    nothing is written to the program. Most commands print JSON with -json.

    Without a sub-command, shows what "omp status" shows."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no sub-command matches."""
        if argument:
            word = argument.split()[0]
            raise encoding.failure(f'omp: no sub-command "{word}"; see "help omp".')
        try:
            gdb.execute("omp status", from_tty)
        except gdb.error as error:
            raise encoding.failure(str(error)) from None


class LlvmPlugin(OmpCommand):
    """Let LLVM's own plug-in for GDB use ompdbg's OMPD library.
    Usage: omp llvm-plugin

    LLVM's plug-in, the commands of which begin with "ompd", works only on a
    runtime that was built with OMPD and not stripped. After this command it
    works wherever ompdbg does. Load it before: source its file
    share/gdb/python/ompd/__init__.py. Then: ompd init."""

    name = "omp llvm-plugin"

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.front_ends import llvm_plugin

        if not llvm_plugin.lend():
            self.fail("LLVM's plug-in is not loaded; source its ompd/__init__.py.")
        write(["LLVM's plug-in uses ompdbg's OMPD library from the next \"ompd init\" on."])
