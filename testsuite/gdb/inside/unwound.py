# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the stacks that ompdbg knows of, against those that GDB unwinds."""

from typing import Any, Dict, List, Tuple

import common
import gdb  # type: ignore[import-not-found]

_DEEPEST = 64

_Row = Tuple[int, Any, Any, Any]


def _ours(services: Any, thread: Any) -> List[_Row]:
    found = []
    for frame in services.stack(thread):
        found.append((frame.pc, frame.is_inlined, frame.function, frame.line))
        if len(found) == _DEEPEST:
            break
    return found


def _theirs() -> List[_Row]:
    found = []
    try:
        frame = gdb.newest_frame()
        while frame is not None and len(found) < _DEEPEST and (frame.pc() or not found):
            line = frame.find_sal().line
            inlined = frame.type() == gdb.INLINE_FRAME
            found.append((frame.pc(), inlined, frame.name(), line or None))
            frame = frame.older()
    except gdb.error:
        pass  # as far as it goes
    return found


def _show(row: Any) -> str:
    return "{:#x} {} {} line {}".format(row[0], "inlined" if row[1] else "", row[2], row[3])


def compare() -> Dict[str, Any]:
    """ "reused": how many stacks were taken from a thread alike; "different": in words."""
    from ompdbg.gdb_services import session  # type: ignore[import-not-found]

    selected = gdb.selected_thread()
    services = session.runtime("unwound").services
    reused = services.reused_stacks()
    handles = {thread.num: thread for thread in common.threads()}
    ours = {thread.number: _ours(services, thread) for thread in services.threads()}
    gdb.execute("maint flush register-cache", to_string=True)
    different = []
    for number, rows in ours.items():
        handles[number].switch()
        theirs = _theirs()
        for level in range(max(len(rows), len(theirs))):
            ours_here = rows[level] if level < len(rows) else (0, None, "no frame", None)
            theirs_here = theirs[level] if level < len(theirs) else (0, None, "no frame", None)
            if ours_here != theirs_here:
                words = (number, level, _show(ours_here), _show(theirs_here))
                different.append("thread {} frame {}: ours {}, GDB's {}".format(*words))
                break
    selected.switch()
    return {"reused": reused, "different": different}
