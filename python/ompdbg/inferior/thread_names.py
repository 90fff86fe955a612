# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of threads that tell what OpenMP knows of them, at each stop of the program, and of a core
file once it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional

import _ompdbg
import gdb

from ompdbg.console import encoding
from ompdbg.inferior import selection, session

if TYPE_CHECKING:
    from _ompdbg import Thread

_RUNNING = "running"


class _Named(NamedTuple):
    """A thread that has a name of ours."""

    thread: gdb.InferiorThread
    name: str
    before: str  # what the system calls it


_named: Dict[int, _Named] = {}  # by global number of the thread
_is_on = False
_is_awaited = False  # threads of a core file will be named


def switch(on: bool) -> None:
    """Begins to name threads, or gives them their old names."""
    global _is_on
    if on == _is_on:
        return
    _is_on = on
    for registry, handler in _handlers():
        (registry.connect if on else registry.disconnect)(handler)
    if on:
        _name_all()
    else:
        _restore(list(_named))


def system_name(thread: gdb.InferiorThread) -> str:
    """The name that a thread has, or had before it got one of ours."""
    known = _named.get(thread.global_num)
    name: str = encoding.of(thread, "name") or ""
    return known.before if known is not None and known.name == name else name


def _handlers() -> List[Any]:
    return [
        (gdb.events.stop, _on_stop),
        (gdb.events.new_thread, _on_new_thread),
        (gdb.events.cont, _on_cont),
        (gdb.events.exited, _on_exited),
    ]


def _on_stop(event: Any) -> None:
    _name_all()


def _on_new_thread(event: Any) -> None:
    """Of a core file GDB tells no stop."""
    global _is_awaited
    connection = event.inferior_thread.inferior.connection
    if connection is not None and connection.type == "core" and not _is_awaited:
        _is_awaited = True
        gdb.post_event(_on_core)


def _on_core() -> None:
    global _is_awaited
    _is_awaited = False
    if _is_on:
        _name_all()


def _on_cont(event: Any) -> None:
    """What threads did is over: they run."""
    if gdb.parameter("non-stop"):
        thread = event.inferior_thread
        _restore([] if thread is None else [thread.global_num])
    else:
        _restore(list(_named))


def _on_exited(event: Any) -> None:
    for number in [n for n, one in _named.items() if not one.thread.is_valid()]:
        del _named[number]


def _name_all() -> None:
    """Names the threads of the selected program that are stopped."""
    inferior = gdb.selected_inferior()
    if not inferior.pid:
        return
    with selection.kept():
        try:
            program = session.program_at_stop()
            if program is None:
                return
            services = session.services()
            for thread in program.threads():
                handle = services.thread_of(thread.number)
                name = _name(thread)
                if handle is not None and name is not None:
                    _give(handle, name)
        except (_ompdbg.Error, gdb.error):
            pass  # the others keep their names


def _name(thread: "Thread") -> Optional[str]:
    """`omp 3/64 lock v`; None for a thread that keeps its name."""
    if not thread.is_openmp:
        return None
    words = ["omp"]
    if thread.thread_num is not None:
        words.append(f"{thread.thread_num}/{thread.team_size or '?'}")
    words.append(thread.does)
    return encoding.line(" ".join(words))


def _give(handle: gdb.InferiorThread, name: str) -> None:
    known = _named.get(handle.global_num)
    if known is not None and encoding.of(handle, "name") != known.name:
        return  # the user gave it another one
    if known is None and _is_users(handle):
        return
    before = known.before if known is not None else encoding.of(handle, "name") or ""
    handle.name = name
    _named[handle.global_num] = _Named(handle, name, before)


def _is_users(handle: gdb.InferiorThread) -> bool:
    """The user gave the thread its name; otherwise it is the system's."""
    before = encoding.of(handle, "name")
    if before is not None and not encoding.is_speakable(before):
        return True  # nobody could give it back
    handle.name = None
    if encoding.of(handle, "name") == before:
        return False
    handle.name = before
    return True


def _restore(numbers: Iterable[int]) -> None:
    for number in numbers:
        known = _named.pop(number, None)
        if (
            known is not None
            and known.thread.is_valid()
            and encoding.of(known.thread, "name") == known.name
        ):
            known.thread.name = None
