# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""set omp record"""

from __future__ import annotations

import gdb

from ompdbg.commands.command import dedent


class Record(gdb.Parameter):
    """Whether the program records what its OpenMP threads do, once it is run.
    With "on", the environment of the program that "run" starts gets two libraries
    (LD_PRELOAD), as "ompdbg record" in a shell does: the program then keeps in its
    memory what happened last in each thread, who holds each lock, and where each
    task was made. It is a setting of the current inferior, whose environment "off"
    restores. OMPDBG_RECORD in the environment has options: see ompdbg(1)."""

    set_doc = "Set whether programs record what their OpenMP threads do."
    show_doc = "Show whether programs record what their OpenMP threads do."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp record", gdb.COMMAND_RUNNING, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        from ompdbg.console import encoding
        from ompdbg.inferior import recorder

        problem = recorder.switch(bool(self.value))
        if problem is not None:
            self.value = False
            raise encoding.failure(f"set omp record: {problem}")
        if gdb.selected_inferior().pid:
            return "It takes effect when the program is run again."
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        from ompdbg.inferior import recorder

        state = "on" if recorder.is_on() else "off"
        return f"Recording of OpenMP programs that this inferior runs is {state}."
