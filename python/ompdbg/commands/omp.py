# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp: the prefix of all commands."""

from __future__ import annotations

import gdb

from ompdbg.commands.base import dedent


class Omp(gdb.Command):
    """Show the OpenMP side of the program: its teams, threads, tasks and stacks.
    Usage: omp [SUBCOMMAND]

    Without a sub-command, shows what "omp status" shows."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no sub-command matches."""
        if argument:
            word = argument.split()[0]
            raise gdb.GdbError(f'omp: no sub-command "{word}"; see "help omp".')
        try:
            gdb.execute("omp status", from_tty)
        except gdb.error as error:
            raise gdb.GdbError(str(error)) from None


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


class Debug(gdb.Parameter):
    """Whether failures of the OpenMP commands are shown with a Python traceback,
    and what the OMPD library has to say is printed."""

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
