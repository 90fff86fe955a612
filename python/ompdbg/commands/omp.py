# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp: the prefix of all commands."""

from __future__ import annotations

import os

import gdb

from ompdbg.commands.command import dedent
from ompdbg.console import encoding


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


class SetOmp(gdb.Command):
    """Settings of the OpenMP commands.
    Usage: set omp SETTING VALUE"""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("set omp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no setting matches."""
        gdb.execute("help set omp", from_tty)


class ShowOmp(gdb.Command):
    """Show the settings of the OpenMP commands.
    Usage: show omp [SETTING]"""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("show omp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no setting is named."""
        gdb.execute("show omp debug", from_tty)
        gdb.execute("show omp frame-filter", from_tty)
        gdb.execute("show omp library", from_tty)
        gdb.execute("show omp record", from_tty)
        gdb.execute("show omp thread-names", from_tty)


class Library(gdb.Parameter):
    """It is "auto", or the path of one. With "auto" it is ompdbg's own for the
    runtimes that it knows. For others it is the library that the runtime names, if
    it lies in the "auto-load safe-path" and only its owner can write there; a
    library that is named here is loaded wherever it lies."""

    set_doc = "Set the OMPD library that the OpenMP commands ask."
    show_doc = "Show the OMPD library that the OpenMP commands ask."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp library", gdb.COMMAND_DATA, gdb.PARAM_OPTIONAL_FILENAME)
        self.value = "auto"

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        if not self.value:
            self.value = "auto"
        if self.value != "auto" and not os.path.isfile(os.path.expanduser(self.value)):
            wrong, self.value = self.value, "auto"
            raise encoding.failure(f'set omp library: no file "{wrong}"; it is "auto" now.')
        from ompdbg.inferior import session

        session.library_changed()
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f'The OMPD library that the OpenMP commands ask is "{value}".'


class Debug(gdb.Parameter):
    """With "on", that is with a Python traceback, and what the OMPD library has to
    say is printed, too."""

    set_doc = "Set whether failures of the OpenMP commands are shown in full."
    show_doc = "Show whether failures of the OpenMP commands are shown in full."

    def __init__(self) -> None:
        super().__init__("omp debug", gdb.COMMAND_MAINTENANCE, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f"Full reports of failures of the OpenMP commands are {value}."
