# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""At which line of the source the selected thread is."""

from __future__ import annotations

from typing import Tuple

import gdb

from ompdbg.gdb_services import points

# More than these would be no step.
_MAX_ROUNDS = 64


def line() -> Tuple[int, int]:
    """The selected thread's frame and line."""
    frame = gdb.newest_frame()
    return points.stack_pointer(frame), frame.find_sal().line


def is_at_line() -> bool:
    """Exactly where a line begins."""
    pc = gdb.newest_frame().pc()
    place = gdb.find_pc_line(pc)
    return place.symtab is not None and bool(place.line) and place.pc == pc


def into_inlined() -> None:
    """GDB stops before a function that was inlined, though it stops in its first line. A step
    leads into that without moving."""
    for _ in range(_MAX_ROUNDS):
        frame = gdb.newest_frame()
        pc, line = frame.pc(), frame.find_sal().line
        if line == gdb.find_pc_line(pc).line:
            break
        points.step_silently()
        if gdb.newest_frame().pc() != pc or gdb.newest_frame().find_sal().line == line:
            break
