# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""set omp thread-names"""

from __future__ import annotations

import gdb

from ompdbg.commands.command import dedent


class ThreadNames(gdb.Parameter):
    """Whether GDB shows OpenMP threads under names like "omp 3/64 barrier".
    With "on", "info threads" and the lists of front ends show for each OpenMP
    thread its number, the size of its team, and what it did when the program
    stopped. Names that were given by "thread name" stay
    as they are."""

    set_doc = "Set whether GDB's lists of threads tell OpenMP states."
    show_doc = "Show whether GDB's lists of threads tell OpenMP states."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp thread-names", gdb.COMMAND_STATUS, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        from ompdbg.inferior import thread_names

        thread_names.switch(bool(self.value))
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f"Names for OpenMP threads are {value}."
