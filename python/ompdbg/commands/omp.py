# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp: the prefix of all commands; and omp llvm-plugin."""

from __future__ import annotations

import gdb

from ompdbg.commands.command import OmpCommand, dedent
from ompdbg.commands.options import Arguments
from ompdbg.console import encoding


class Omp(gdb.Command):
    """Show the OpenMP side of the program: its teams, threads, tasks and stacks.
    Usage: omp [SUBCOMMAND]

    What is each thread doing? "omp threads" shows a row for each thread, "omp
    tasks" the tree of tasks, "omp task 17" one of them with its values, "omp bt"
    the stack of the selected thread up to main, "omp bt -all" the stacks of all
    threads, with equal ones together. "omp frame 1:7" selects frame 7 of thread 1,
    "omp thread 3" selects thread 3 of the team. "omp print EXPR" shows a value in
    all threads; "omp apply" applies a command to some threads.

    Why does it hang? "omp why" shows which thread waits for which, "omp locks" the
    owners of locks, "omp regions" which threads have reached a barrier, and "omp
    history" what happened before, if the program was recorded. "omp icvs" and "omp
    env" show control variables and what set them.

    Running the program: "omp step" steps into constructs and out of them, "omp
    finish" runs to the end of a construct, and "omp break" stops where regions,
    tasks or threads begin or end.

    In conditions and expressions: $_omp_thread_num(), $_omp_num_threads(),
    $_omp_level(), $_omp_in_task("FUNCTION"), and the strings $_omp_team() and
    $_omp_state(), as in
      break solve if $_omp_thread_num() == 3
      break solve if $_streq($_omp_team(), "1.2")

    GDB's own commands: "bt" omits the runtime's frames and names constructs ("set
    omp frame-filter"), and "info threads" can show what OpenMP threads do ("set
    omp thread-names on").

    Team 1.2 was formed by thread 2 of team 1. An unknown value is shown as "?",
    with the reason; ompdbg does not guess, and never writes to the program. Most
    commands print JSON with -json.

    Without a subcommand, this is "omp status"."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        # No sub-command matches.
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

    LLVM's plug-in, whose commands start with "ompd", needs a runtime that was
    built with OMPD and not stripped. After this command it works wherever ompdbg
    works. First load the plug-in: source share/gdb/python/ompd/__init__.py of
    LLVM. After this command, run "ompd init"."""

    name = "omp llvm-plugin"

    def run(self, arguments: Arguments) -> None:
        from ompdbg.front_ends import llvm_plugin

        if not llvm_plugin.lend():
            self.fail("LLVM's plug-in is not loaded; source its ompd/__init__.py.")
        encoding.write(
            "LLVM's plug-in uses ompdbg's OMPD library from the next \"ompd init\" on.\n"
        )
