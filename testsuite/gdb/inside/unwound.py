# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the stacks that ompdbg knows of, against those that GDB unwinds."""

from typing import Any, Dict, List, Tuple

import common
import gdb

_DEEPEST = 64

_Row = Tuple[int, bool, Any]  # where, whether inlined, and the line


def _theirs() -> List[_Row]:
    found: List[_Row] = []
    try:
        frame = gdb.newest_frame()
        while frame is not None and len(found) < _DEEPEST and (frame.pc() or not found):
            line = frame.find_sal().line
            found.append((frame.pc(), frame.type() == gdb.INLINE_FRAME, line or None))
            frame = frame.older()
    except gdb.error:
        pass  # as far as it goes
    return found


def _show(row: _Row) -> str:
    return "{:#x} {} line {}".format(row[0], "inlined" if row[1] else "", row[2])


def compare() -> Dict[str, Any]:
    """ "reused": how many stacks were taken from a thread alike; "different": in words, ours from
    GDB's."""
    from ompdbg.inferior import session

    selected = gdb.selected_thread()
    program = session.program("unwound")
    ours = {
        thread.number: [(one.pc, one.is_inlined, one.line) for one in thread.frames[:_DEEPEST]]
        for thread in program.threads()
    }
    reused = program.reused_stacks()
    gdb.execute("maint flush register-cache", to_string=True)
    nothing: _Row = (0, False, "no frame")
    different = []
    for thread in common.threads():
        thread.switch()
        rows, theirs = ours[thread.num], _theirs()
        for level in range(max(len(rows), len(theirs))):
            here = rows[level] if level < len(rows) else nothing
            there = theirs[level] if level < len(theirs) else nothing
            if here != there:
                words = (thread.num, level, _show(here), _show(there))
                different.append("thread {} frame {}: ours {}, GDB's {}".format(*words))
                break
    selected.switch()
    return {"reused": reused, "different": different}
