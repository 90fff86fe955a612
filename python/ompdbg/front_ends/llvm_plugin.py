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
        """The path."""
        return str(self)


@lru_cache(maxsize=None)
def _copy_of_library() -> str:
    """Our library for the plug-in alone: a library serves one debugger, and this one is ours."""
    copy = os.memfd_create("libompd.so")
    with open(gdb_plugin.library_path(), "rb") as library, open(copy, "wb", closefd=False) as file:
        shutil.copyfileobj(library, file)
    return f"/proc/self/fd/{copy}"


class _Gdb:
    """The module gdb, in which `ompd_dll_locations` is an array with the path of our library."""

    def __getattr__(self, name: str) -> Any:
        return getattr(gdb, name)

    def parse_and_eval(self, expression: str) -> Any:
        """What GDB has it do."""
        if expression == _LOCATIONS:
            return [_Path(_copy_of_library()), _Path()]
        return self.__getattr__("parse_and_eval")(expression)


def lend() -> bool:
    """Makes the plug-in use ompdbg's library; False if it was not loaded into GDB."""
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
    """Replaces a function by one that gets it as its first argument. Once is enough."""
    original = getattr(owner, name)
    if getattr(original, "original", None) is None:

        def wrapper(*arguments: Any) -> Any:
            return function(original, *arguments)

        setattr(wrapper, "original", original)
        setattr(owner, name, wrapper)


# ---- Instead of the plug-in's callbacks ------------------------------------------------------


def _symbol_address(*arguments: Any) -> int:
    """(thread or -1, name). 0: there is no such symbol."""
    thread, name = arguments
    with selection.kept():
        services = session.services()
        found = services.files.address(name)
        if found is None and thread > 0:
            found = services.thread_local_address(name.encode(), int(thread))
        return found or 0


def _read_memory(*arguments: Any) -> Optional[bytearray]:
    """(address, size)."""
    address, size = arguments
    try:
        return bytearray(session.services().memory(address & _WORD, size))
    except gdb.error:
        return None


def _read_string(*arguments: Any) -> Optional[str]:
    """(address)"""
    text = bytearray()
    while len(text) < _STRING_MAX:
        byte = _read_memory(arguments[0] + len(text), 1)
        if byte is None:
            return None
        if byte == b"\0":
            break
        text += byte
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _thread_context(*arguments: Any) -> int:
    """(kind, id). -1: there is no such thread."""
    kind, ident = arguments
    services, ident = session.services(), ident & _WORD
    for thread in services.all_threads():
        if (lwp(thread) if kind == _LWP else services.pthread(thread.num)) == ident:
            return int(thread.num)
    return -1


def _print(*arguments: Any) -> None:
    """(text)"""
    if not _silence.depth:
        encoding.write(str(arguments[0]).rstrip("\n") + "\n")


class _Silence:
    """While it is entered, nobody is told of errors."""

    def __init__(self) -> None:
        self.depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


_silence = _Silence()


_WORD = (1 << 64) - 1
_STRING_MAX = 4096
_LWP = 1  # ompd_thread_id_lwp
_CALLBACK: Dict[str, Callable[..., Any]] = {
    "_sym_addr": _symbol_address,
    "_read": _read_memory,
    "_read_string": _read_string,
    "_thread_context": _thread_context,
    "_print": _print,
}


# ---- What OMPD does not answer ---------------------------------------------------------------


def _get_state(original: Callable[[Any], Any], handle: Any) -> Any:
    """(state, what it waits for). Where memory does not hold it, the stack tells."""
    with _silence:
        found = original(handle)
    if found is not None:
        return found
    ident = sys.modules[_EXTENSION].call_ompd_get_thread_id(handle)
    return _observed.states().get(ident, (_UNDEFINED, 0))


def _get_task_frame(original: Callable[[Any], Any], handle: Any) -> Any:
    """(enter frame, its flags, exit frame, its flags): all 0 where OMPD knows of none, as of the
    outermost task's entry."""
    with _silence:
        found = original(handle)
    return found if isinstance(found, tuple) else (0, 0, 0, 0)


def _silently(original: Callable[[Any], Any], handle: Any) -> Any:
    """No error is told: the outermost task was generated by none."""
    with _silence:
        return original(handle)


class _Observed:
    """What `omp threads` would say, once at each stop."""

    def __init__(self) -> None:
        self._moves = -1
        self._states: Dict[int, Tuple[int, int]] = {}

    def states(self) -> Dict[int, Tuple[int, int]]:
        """By each id of a thread: its state, and what it waits for."""
        moves = session.services().moves
        if moves != self._moves:
            with selection.kept():
                self._states = self._look()
            self._moves = moves
        return self._states

    @staticmethod
    def _look() -> Dict[int, Tuple[int, int]]:
        program = session.current_program()
        if program is None:
            return {}
        found: Dict[int, Tuple[int, int]] = {}
        services, states = session.services(), program.states()
        for thread in program.threads():
            state = states.get(thread.state or "", _UNDEFINED)
            wait = thread.wait.address or 0 if thread.wait is not None else 0
            for ident in (thread.lwp, services.pthread(thread.number)):
                if ident is not None:
                    found[ident] = (state, wait)
        return found


_observed = _Observed()
_UNDEFINED = 0x102  # ompt_state_undefined


def _list_threads(original: Callable[[Any, bool], None], self: Any, verbose: bool) -> None:
    """Of itself it knows threads that have begun since `ompd init`, if the runtime has a symbol
    to put a breakpoint on."""
    handle_of = sys.modules[_EXTENSION].get_thread_handle
    threads: List[gdb.InferiorThread] = list(gdb.selected_inferior().threads())
    for thread in threads:
        if thread.num not in self.threads and handle_of(thread.ptid[1], self.addr_space) != -1:
            self.save_thread_object(thread.num, thread.ptid[1], self.addr_space)
    original(self, verbose)


def _filter(original: Callable[[Any, Any], Any], self: Any, frames: Any) -> Any:
    """All frames, where OMPD does not know where the runtime's begin and end."""
    selected = gdb.selected_thread()
    thread = self.addr_space.threads.get(selected.num) if selected is not None else None
    if self.switched_on and thread is not None:
        if not any(thread.get_current_task().get_task_frame()):
            return frames
    return original(self, frames)
