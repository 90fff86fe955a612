# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the stacks that ompdbg knows of, against those that GDB unwinds."""

from typing import Any, Dict, List, Tuple

import common
import gdb  # type: ignore[import-not-found]

_DEEPEST = 64
# Of so many frames the registers are compared that functions keep for their callers.
_WITH_REGISTERS = 12
_KEPT = ("rsp", "rbx", "rbp", "r12", "r13", "r14", "r15")
_INNERMOST = (*_KEPT, "rax", "rdi", "rsi", "rdx", "r8", "r10", "rip", "fs_base", "orig_rax")
_WORD = (1 << 64) - 1

_Row = Tuple[int, Any, Any, Any, Any]


def _ours(services: Any, thread: Any) -> List[_Row]:
    found = []
    for frame in services.stack(thread):
        values = None
        if len(found) < _WITH_REGISTERS:
            values = [
                (services.frame_registers(thread, frame, name) or [None])[0] for name in _KEPT
            ]
        found.append((frame.pc, frame.is_inlined, frame.function, frame.line, values))
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
            values = None
            if len(found) < _WITH_REGISTERS:
                values = [_register(frame, name) for name in _KEPT]
            found.append((frame.pc(), inlined, frame.name(), line or None, values))
            frame = frame.older()
    except gdb.error:
        pass  # as far as it goes
    return found


def _register(frame: Any, name: str) -> Any:
    """None if GDB does not know it there."""
    try:
        return int(frame.read_register(name)) & _WORD
    except (gdb.error, ValueError):
        return None


def _show(row: Any) -> str:
    values = [value and hex(value) for value in row[4] or []]
    return "{:#x} {} {} line {} {}".format(
        row[0], "inlined" if row[1] else "", row[2], row[3], values
    )


def _of_libompdbg(ours: Dict[int, List[_Row]]) -> List[str]:
    """In what libompdbg's stacks, which GDB's services in C gave it, are others."""
    different = []
    for stack in common.say_json("omp bt -all -raw -json")["stacks"]:
        for part in stack["parts"]:
            for frame in part["frames"]:
                number, level = part["thread"], frame["level"]
                told = int(frame["address"], 16), frame["inlined"], frame["line"]
                rows = ours[number]
                if level < min(len(rows), _DEEPEST):
                    known = rows[level][0], rows[level][1], rows[level][3]
                    if told != known:
                        words = (number, level, told, known)
                        different.append("thread {} frame {}: {}, not {}".format(*words))
                elif level < _DEEPEST:
                    different.append("thread {} has no frame {}".format(number, level))
    return different


def compare() -> Dict[str, Any]:
    """ "reused": how many stacks, at least, were taken from a thread alike; "different": in words,
    libompdbg's from ours, and ours from GDB's."""
    from ompdbg.gdb_services import session  # type: ignore[import-not-found]

    selected = gdb.selected_thread()
    services = session.runtime("unwound").services
    handles = {thread.num: thread for thread in common.threads()}
    threads = services.threads()
    ours = {thread.number: _ours(services, thread) for thread in threads}
    registers = {thread.number: services.registers(thread, *_INNERMOST) for thread in threads}
    gdb.execute("maint flush register-cache", to_string=True)
    reused = services.reused_stacks()
    different = _of_libompdbg(ours)
    reused = min(reused, session.program("unwound").reused_stacks())
    for number, rows in ours.items():
        handles[number].switch()
        if registers[number] != [_register(gdb.newest_frame(), name) for name in _INNERMOST]:
            different.append("thread {}: registers {}".format(number, registers[number]))
        theirs = _theirs()
        for level in range(max(len(rows), len(theirs))):
            ours_here = rows[level] if level < len(rows) else (0, None, "no frame", None, None)
            theirs_here = (
                theirs[level] if level < len(theirs) else (0, None, "no frame", None, None)
            )
            if ours_here != theirs_here:
                words = (number, level, _show(ours_here), _show(theirs_here))
                different.append("thread {} frame {}: ours {}, GDB's {}".format(*words))
                break
    selected.switch()
    return {"reused": reused, "different": different}
