# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what OMPD says of every thread, and what the program's own routines say there.

OMPD is asked first, for all threads: a routine of the program may change the runtime's state.
"""

from typing import Any, Callable, Dict, List

import common
import gdb
import ompd_services

# struct oracle, read whole. Who compares knows what is in it.
_CALL = "((void (*) (void *)) oracle_fill) ((void *) &oracle_slot)"
_SLOT = "(long) &oracle_slot"
_SLOT_BYTES = 880

# ompt_state_idle
_IDLE = 0x100

# The system calls clone and clone3.
_CLONES = (56, 435)


def _try(get: Callable[[], Any]) -> Dict[str, Any]:
    import _ompd

    try:
        return {"value": get()}
    except _ompd.Error as error:
        return {"missing": error.reason, "code": error.code}


def _regions(handle: Any) -> List[Any]:
    """The regions that a thread is in, innermost first."""
    import _ompd

    found = [handle.parallel()]
    while len(found) < 100:
        try:
            found.append(found[-1].enclosing())
        except _ompd.Unavailable:
            break
    return found


def _icvs(space: Any, scopes: Dict[str, Any]) -> Dict[str, Any]:
    """Every control variable, as number and as text, from every handle that answers."""
    found: Dict[str, Any] = {}
    for icv in space.icvs():
        for scope, handle in scopes.items():
            key = "{}@{}".format(icv.name, scope)
            found[key] = {
                "number": _try(lambda: handle.icv(icv.id)),
                "text": _try(lambda: handle.icv_string(icv.id)),
            }
    return found


def _ask_ompd(space: Any, handle: Any) -> Dict[str, Any]:
    """What OMPD says of one thread."""
    import _ompd

    if handle is None:
        return {"skip": "no OpenMP thread"}
    if _try(handle.state).get("value", (None,))[0] == _IDLE:
        return {"skip": "idle in the pool"}
    try:
        regions, task = _regions(handle), handle.task()
    except _ompd.Error as error:
        return {"unavailable": error.reason, "code": error.code}
    scopes = {"process": space, "thread": handle, "region": regions[0], "task": task}
    return {
        "icvs": _icvs(space, scopes),
        "thread_nums": [_try(lambda: handle.thread_num(region)) for region in regions],
        "team_sizes": [_icv(space, region, "team-size-var") for region in regions],
        "levels": [_icv(space, region, "levels-var") for region in regions],
        "kinds": [region.info().kind for region in regions],
        "task": _try(lambda: task.info()._asdict()),
    }


def _icv(space: Any, handle: Any, name: str) -> Dict[str, Any]:
    ident = next(icv.id for icv in space.icvs() if icv.name == name)
    return _try(lambda: handle.icv(ident))


def _ask_program() -> str:
    """What the program's routines answer in the selected thread: struct oracle in hexadecimal."""
    gdb.parse_and_eval(_CALL)
    slot = int(gdb.parse_and_eval(_SLOT))
    memory: bytes = gdb.selected_inferior().read_memory(slot, _SLOT_BYTES).tobytes()
    return memory.hex()


def _is_in_clone() -> bool:
    """Is the selected thread just making another one?

    GDB from 15 on may have a clone event of it pending, and fails an assertion of its own
    (lwp_lwpid_htab_add_lwp) when a call in that thread lets it go on.
    """
    return int(gdb.parse_and_eval("$orig_rax")) in _CLONES


def ask_everywhere(number: int = 0, space: Any = None) -> List[Dict[str, Any]]:
    """Return both answers of every thread, or of the one with that number. `space` is our library,
    where it was opened before: it is asked at many stops then, as a debugger asks it."""
    selected = gdb.selected_thread()
    opened = None if space is not None else ompd_services.own_library()
    space = opened if space is None else space
    found = []
    asked = [thread for thread in common.threads() if number in (0, thread.num)]
    for thread in asked:
        said = _ask_ompd(space, ompd_services.handle(space, thread))
        found.append(dict(said, gdb=thread.num))
    if opened is not None:
        opened.close()
    locking = str(gdb.parameter("scheduler-locking"))
    gdb.execute("set scheduler-locking on")
    gdb.execute("set unwindonsignal on")
    for thread, said in zip(asked, found):
        if "skip" in said:
            continue
        thread.switch()
        if _is_in_clone():
            said["skip"] = "GDB can't call a function in a thread that makes another one"
            continue
        frame = gdb.newest_frame()
        said["at"] = "{:#x} {}".format(frame.pc(), frame.name())
        try:
            said["program"] = _ask_program()
        except gdb.error as error:
            said["crash"] = str(error).splitlines()[0]
    gdb.execute("set scheduler-locking " + locking)
    selected.switch()
    return found
