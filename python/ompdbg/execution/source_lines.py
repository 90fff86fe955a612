# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the source: where the selected thread is, and where the body of a construct begins."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, List, Tuple

import gdb

from ompdbg.console import encoding
from ompdbg.execution import runs

if TYPE_CHECKING:
    from _ompdbg import Thread

# A step into inlined functions that takes more rounds has gone astray.
_MAX_ROUNDS = 64


# ---- The selected thread ------------------------------------------------------------------------


def current() -> Tuple[int, int]:
    """Return the innermost frame and line of the selected thread."""
    frame = gdb.newest_frame()
    return runs.stack_pointer(frame), frame.find_sal().line


def is_at_line() -> bool:
    """Check that the selected thread is exactly where a line begins."""
    pc = gdb.newest_frame().pc()
    place = gdb.find_pc_line(pc)
    return place.symtab is not None and bool(place.line) and place.pc == pc


def enter_inlined() -> None:
    """Step into functions that were inlined at the first line: GDB stops before them, and a step
    into one does not let the program run."""
    for _ in range(_MAX_ROUNDS):
        frame = gdb.newest_frame()
        pc, line = frame.pc(), frame.find_sal().line
        if line == gdb.find_pc_line(pc).line:
            break
        runs.step_silently()
        if gdb.newest_frame().pc() != pc or gdb.newest_frame().find_sal().line == line:
            break


# ---- The body of a construct --------------------------------------------------------------------


def of_body(thread: "Thread", code: int) -> List[int]:
    """Return the addresses at which lines of a construct's body begin; [] without debug
    information. The thread is at the first instruction of the function that is given the code."""
    place = gdb.find_pc_line(code)
    symtab = place.symtab
    if symtab is None or not place.line:
        return []
    construct = _construct_line(thread, code) or place.line
    table = list(symtab.linetable())
    found: List[int] = []
    on_one_line: List[int] = []
    for start, end, pointer_call, makes_frame in thread.bodies(code):
        lines = [entry for entry in table if start <= entry.pc < end]
        # Clang's code asks by a pointer where a task has its own variables.
        before = [entry for entry in lines if entry.pc <= (pointer_call or 0)]
        if len(before) < len(lines) and before and before[-1].line <= construct:
            lines = lines[len(before) :]
        # What a lambda captured is read where the lambda begins, before the construct.
        inside = [one for one in lines if one.line > construct and not _is_brace(symtab, one.line)]
        first = min((entry.line for entry in inside), default=0)
        for entry in inside:
            # Gfortran gives the beginning of a function the body's last line.
            if entry.pc > start or (entry.line == first and not makes_frame):
                found.append(entry.pc)
        on_one_line += [entry.pc for entry in inside if entry.pc == start]
        on_one_line += [one.pc for one in lines if one.line == construct and one.pc > start]
    return found or on_one_line[:1]


def _construct_line(thread: "Thread", code: int) -> int:
    """Return the line of a construct, 0 if it is unknown. Gfortran gives the construct's code the
    line of the first statement; its caller has the construct's."""
    function = thread.function_at(code)
    caller = gdb.newest_frame().older()
    lines = [function.line or 0 if function is not None else 0]
    lines.append(caller.find_sal().line if caller is not None else 0)
    return min((line for line in lines if line), default=0)


def _is_brace(symtab: gdb.Symtab, line: int) -> bool:
    """Check for the line of an opening brace alone, where nothing happens."""
    source: str = encoding.told(linecache.getline, encoding.of(symtab, "fullname"), line)
    return source.strip() == "{"
