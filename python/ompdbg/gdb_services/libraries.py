# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which OMPD libraries are loaded for a process, and who may say so.

Our own is asked for every runtime that it recognises. For others the runtime may name libraries in
its memory (`ompd_dll_locations`, OpenMP 5.2, 20.2.2). A process is not to be trusted with what is
loaded into the debugger: such a library is loaded only from where GDB loads scripts by itself
(auto-load safe-path), and where nobody but its owner can put it.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from typing import List, Optional, Tuple, Type

import _ompd
import gdb

from ompdbg import gdb_plugin
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.runtimes import Found, library_at, open_with

AUTOMATIC = "auto"

_LOCATIONS = "ompd_dll_locations"
_POINTER = 8
# More of them, or longer ones, are taken for damaged memory.
_MAX_LOCATIONS = 64
_MAX_PATH = 4096


def open_all(services: GdbServices) -> Found:
    """Opens every runtime of the process with the library that the user wants. Raises NotOpened,
    or _ompd.Error for a file that is no OMPD library."""
    wanted = str(gdb.parameter("omp library") or AUTOMATIC)
    if wanted != AUTOMATIC:
        found = open_with(library_at(os.path.expanduser(wanted)), services)
    else:
        found = open_with(library_at(gdb_plugin.library_path()), services)
        if not found.spaces or found.problems:
            named = _open_named_by_program(services)
            spaces, problems = found.spaces + named.spaces, found.problems + named.problems
            found = Found(spaces, problems, found.absent)
    return found.checked()


# ---- Libraries that the program names -------------------------------------------------------


def _open_named_by_program(services: GdbServices) -> Found:
    problems: List[str] = []
    own = os.path.realpath(gdb_plugin.library_path())
    for path in locations(services):
        if os.path.realpath(path) == own:
            continue  # it has been asked
        problem = distrust(path)
        if problem is not None:
            problems.append(
                f"the program names the OMPD library {path}, not loaded: {problem}; to load"
                f' it all the same, "set omp library {path}"'
            )
            continue
        try:
            return open_with(library_at(os.path.realpath(path)), services)
        except _ompd.Error as error:
            problems.append(f"{path}: {error.reason}")
    return Found([], problems)


def locations(services: GdbServices) -> List[str]:
    """The paths in the runtime's `ompd_dll_locations`; [] if it has none, or none yet."""
    variable = services.symbol_address(_LOCATIONS, None, None)
    if variable is None:
        return []
    found: List[str] = []
    unreadable: Tuple[Type[Exception], ...] = (*services.errors, ValueError)
    try:
        array = _pointer(services, variable)
        while array and len(found) < _MAX_LOCATIONS:
            text = _pointer(services, array + _POINTER * len(found))
            if not text:
                break
            found.append(_string(services, text))
    except unreadable:
        return found
    return found


def _pointer(services: GdbServices, address: int) -> int:
    return int.from_bytes(services.read_memory(address, _POINTER), "little")


def _string(services: GdbServices, address: int) -> str:
    text = bytearray()
    while len(text) < _MAX_PATH:
        byte = services.read_memory(address + len(text), 1)
        if byte == b"\0":
            return text.decode("utf-8")
        text += byte
    raise ValueError("no string")


def distrust(path: str) -> Optional[str]:
    """Why a library is not loaded that only the program names; None if it is."""
    if not os.path.isabs(path):
        return "it is no absolute path"
    if not os.path.isfile(path):
        return "there is no such file"
    real = os.path.realpath(path)
    safe = str(gdb.parameter("auto-load safe-path") or "")
    if not is_below(real, safe_directories(safe)):
        return 'it is not in the "auto-load safe-path"'
    place = _place_of_others(real)
    return None if place is None else f"others may write to {place}"


def safe_directories(safe_path: str) -> List[str]:
    """The directories of GDB's setting, which may hold variables."""
    data = str(gdb.parameter("data-directory") or "")
    debug = str(gdb.parameter("debug-file-directory") or "")
    found: List[str] = []
    for entry in safe_path.split(os.pathsep):
        for one in entry.replace("$datadir", data).replace("$debugdir", debug).split(os.pathsep):
            if one:
                found.append(os.path.expanduser(one))
    return found


def is_below(path: str, directories: List[str]) -> bool:
    """As GDB decides: each part of a directory may be a pattern."""
    parts = _parts(path)
    for directory in directories:
        for spelling in (directory, os.path.realpath(directory)):
            patterns = _parts(spelling)
            if len(patterns) <= len(parts) and all(map(fnmatch.fnmatchcase, parts, patterns)):
                return True
    return False


def _parts(path: str) -> Tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)


def _place_of_others(path: str) -> Optional[str]:
    """The file or folder on the way to it that others than root and the user may change."""
    while True:
        status = os.stat(path)
        if status.st_uid not in (0, os.getuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return path
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent
