# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's plug-in for GDB (its commands begin with `ompd`) over ompdbg's OMPD library.

The plug-in looks for a library in `ompd_dll_locations`, a symbol that a stripped runtime does not
have. A missing symbol, memory that cannot be read, and an answer that OMPD does not give are more
than it can bear. As long as GDB runs, the functions of it that are concerned are replaced by those
here; its files stay as they are.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import lru_cache
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Tuple

import gdb

from ompdbg import gdb_plugin
from ompdbg.console import encoding
from ompdbg.inferior import selection, session
from ompdbg.inferior.services import lwp

# Modules of the plug-in; the last is its extension in C.
_COMMANDS, _CALLBACKS, _SPACE = "ompd", "ompd_callbacks", "ompd_address_space"
_FILTER, _EXTENSION = "frame_filter", "ompdModule"
_LOCATIONS = "(char**)ompd_dll_locations"


class _Path(str):
    """What the plug-in takes for a pointer to characters."""

    def string(self) -> str:
        """Return the path."""
        return str(self)


@lru_cache(maxsize=None)
def _copy_of_library() -> str:
    """Return the path of our library, copied for the plug-in: a library serves one debugger, and
    the other one is ours."""
    copy = os.memfd_create("libompd.so")
    with open(gdb_plugin.library_path(), "rb") as library, open(copy, "wb", closefd=False) as file:
        shutil.copyfileobj(library, file)
    return f"/proc/self/fd/{copy}"


class _Gdb:
    """The module gdb, in which `ompd_dll_locations` is an array with the path of our library."""

    def __getattr__(self, name: str) -> Any:
        return getattr(gdb, name)

    def parse_and_eval(self, expression: str) -> Any:
        """Evaluate an expression; for the locations of libraries, return ours."""
        if expression == _LOCATIONS:
            return [_Path(_copy_of_library()), _Path()]
        return self.__getattr__("parse_and_eval")(expression)


def lend() -> bool:
    """Make the plug-in use ompdbg's library. Return False if it was not loaded into GDB."""
    if _COMMANDS not in sys.modules:
        return False
    setattr(import_module(_COMMANDS), "gdb", _Gdb())
    callbacks, extension = import_module(_CALLBACKS), import_module(_EXTENSION)
    for name, function in _CALLBACK.items():
        setattr(callbacks, name, function)
    _wrap(extension, "call_ompd_get_state", _get_state)
    _wrap(extension, "call_ompd_get_task_frame", _get_task_frame)
    _wrap(extension, "call_ompd_get_generating_task_handle", _silently)
    _wrap(getattr(import_module(_SPACE), _SPACE), "list_threads", _list_threads)
    _wrap(getattr(import_module(_FILTER), "FrameFilter"), "filter", _filter)
    return True


def _wrap(owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Replace a function by one that gets it as its first argument. Once is enough."""
    original = getattr(owner, name)
    if getattr(original, "original", None) is None:

        def wrapper(*arguments: Any) -> Any:
            return function(original, *arguments)

        setattr(wrapper, "original", original)
        setattr(owner, name, wrapper)


# ---- Instead of the plug-in's callbacks ------------------------------------------------------


def _symbol_address(*arguments: Any) -> int:
    """Return the address of a symbol; 0: there is none. (thread or -1, name)"""
    thread, name = arguments
    with selection.kept():
        services = session.services()
        found = services.files.address(name)
        if found is None and thread > 0:
            found = services.thread_local_address(name.encode(), int(thread))
        return found or 0


def _read_memory(*arguments: Any) -> Optional[bytearray]:
    """Return memory; None if it cannot be read. (address, size)"""
    address, size = arguments
    try:
        return bytearray(session.services().memory(address & _WORD, size))
    except gdb.error:
        return None


def _read_string(*arguments: Any) -> Optional[str]:
    """Return a string; None if it cannot be read. (address)"""
    try:
        return session.services().string(arguments[0] & _WORD)
    except (gdb.error, ValueError):
        return None


def _thread_context(*arguments: Any) -> int:
    """Return GDB's number of a thread; -1: there is none. (kind, id)"""
    kind, ident = arguments
    services, ident = session.services(), ident & _WORD
    for thread in services.all_threads():
        if (lwp(thread) if kind == _LWP else services.pthread(thread.num)) == ident:
            return int(thread.num)
    return -1


def _print(*arguments: Any) -> None:
    """Print a message. (text)"""
    if not _silent:
        encoding.write(str(arguments[0]).rstrip("\n") + "\n")


_WORD = (1 << 64) - 1
_LWP = 1  # ompd_thread_id_lwp
_CALLBACK: Dict[str, Callable[..., Any]] = {
    "_sym_addr": _symbol_address,
    "_read": _read_memory,
    "_read_string": _read_string,
    "_thread_context": _thread_context,
    "_print": _print,
}


# ---- What OMPD does not answer ---------------------------------------------------------------

_UNDEFINED = 0x102  # ompt_state_undefined
_silent: List[bool] = []  # not empty: nobody is told of errors


def _silently(original: Callable[[Any], Any], handle: Any) -> Any:
    """Tell of no error: the outermost task was generated by none."""
    _silent.append(True)
    try:
        return original(handle)
    finally:
        _silent.pop()


def _get_state(original: Callable[[Any], Any], handle: Any) -> Any:
    """Return state, and what it waits for. Where memory does not hold it, the stack tells."""
    found = _silently(original, handle)
    if found is not None:
        return found
    known, ident = session.services().living, _extension().call_ompd_get_thread_id(handle)
    if _get_state not in known:
        with selection.kept():
            known[_get_state] = _states()
    return known[_get_state].get(ident, (_UNDEFINED, 0))


def _states() -> Dict[int, Tuple[int, int]]:
    """Return by each id of a thread its state, and what it waits for, as `omp threads` has it."""
    found: Dict[int, Tuple[int, int]] = {}
    program = session.current_program()
    if program is None:
        return found
    services, states = session.services(), program.states()
    for thread in program.threads():
        state = states.get(thread.state or "", _UNDEFINED)
        wait = thread.wait.address or 0 if thread.wait is not None else 0
        for ident in (thread.lwp, services.pthread(thread.number)):
            if ident is not None:
                found[ident] = (state, wait)
    return found


def _get_task_frame(original: Callable[[Any], Any], handle: Any) -> Any:
    """Return enter frame, its flags, exit frame, its flags: all 0 where OMPD knows of none, as of
    the outermost task's entry."""
    found = _silently(original, handle)
    return found if isinstance(found, tuple) else (0, 0, 0, 0)


def _list_threads(original: Callable[[Any, bool], None], self: Any, verbose: bool) -> None:
    """Add the threads that the plug-in does not know. By itself it knows those that have begun
    since `ompd init`, if the runtime has a symbol to put a breakpoint on."""
    for thread in gdb.selected_inferior().threads():
        ident = thread.ptid[1], self.addr_space
        if thread.num not in self.threads and _extension().get_thread_handle(*ident) != -1:
            self.save_thread_object(thread.num, *ident)
    original(self, verbose)


def _filter(original: Callable[[Any, Any], Any], self: Any, frames: Any) -> Any:
    """Return all frames where OMPD does not know where the runtime's begin and end."""
    selected = gdb.selected_thread()
    thread = self.addr_space.threads.get(selected.num) if selected is not None else None
    if self.switched_on and thread is not None:
        if not any(thread.get_current_task().get_task_frame()):
            return frames
    return original(self, frames)


def _extension() -> Any:
    return sys.modules[_EXTENSION]
