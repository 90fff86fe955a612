# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which OMPD libraries are loaded for a process, and who may say so.

Our own is asked for every runtime that it recognises. For others the runtime may name libraries in
its memory (`ompd_dll_locations`, OpenMP 5.2, 20.2.2). A process is not to be trusted with what is
loaded into the debugger: such a library is loaded only if trust.py lets it.
"""

from __future__ import annotations

import os
from typing import List, Optional, Tuple, Type

import _ompdbg
import gdb

from ompdbg import gdb_plugin
from ompdbg.inferior import trust
from ompdbg.inferior.services import GdbServices
from ompdbg.text import encoded

AUTOMATIC = "auto"

_LOCATIONS = "ompd_dll_locations"
_POINTER = 8
# More of them, or longer ones, are taken for damaged memory.
_MAX_LOCATIONS = 64
_MAX_PATH = 4096


class NotOpened(Exception):
    """No runtime of the process is understood; the message says why."""


def understand(services: GdbServices) -> Tuple[_ompdbg.Process, bool]:
    """Open every runtime of the process with the library that the user wants; and tell whether a
    runtime is there that is not understood. Raises NotOpened, or _ompdbg.Error for a file that is
    no OMPD library."""
    process = _ompdbg.Process(services)
    wanted = str(gdb.parameter("omp library") or AUTOMATIC)
    if wanted != AUTOMATIC:
        count, problems, absent = process.open(encoded(os.path.expanduser(wanted)))
    else:
        count, problems, absent = process.open(gdb_plugin.library_path())
        if not count or problems:
            named, more = _named_by_program(services, process)
            count, problems = count + (named or 0), problems + more
            for problem in more if named is None else []:
                process.note(problem)
    if not count:
        raise NotOpened("; ".join(problems) or absent)
    return process, bool(problems)


# ---- Libraries that the program names -------------------------------------------------------


def _named_by_program(
    services: GdbServices, process: _ompdbg.Process
) -> Tuple[Optional[int], List[str]]:
    """How many runtimes the first library recognises that the program names and that may be
    loaded, and its problems; without one, None and why none is loaded."""
    problems: List[str] = []
    own = os.path.realpath(gdb_plugin.library_path())
    for path in locations(services):
        try:
            real = trust.resolved(path)
            if real == own:
                continue  # it has been asked
            return process.open(real, trust.descriptor(real))[:2]
        except trust.Distrusted as problem:
            problems.append(
                f"the program names the OMPD library {path}, not loaded: {problem}; to load"
                f' it all the same, "set omp library {path}"'
            )
        except _ompdbg.Error as error:
            problems.append(f"{path}: {error}")
    return None, problems


def locations(services: GdbServices) -> List[str]:
    """The paths in the runtime's `ompd_dll_locations`; [] if it has none, or none yet."""
    variable = services.files.address(_LOCATIONS)
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
    return int.from_bytes(services.memory(address, _POINTER), "little")


def _string(services: GdbServices, address: int) -> str:
    text = bytearray()
    while len(text) < _MAX_PATH:
        byte = services.memory(address + len(text), 1)
        if byte == b"\0":
            return text.decode("utf-8")
        text += byte
    raise ValueError("no string")
