# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that GDB has loaded for a program: where libtarget reads names, and what GDB reads in
place of memory that a core file lacks.

Of the latter it has their sections only. Between two of them it says that memory is zero, and so
does what follows in the same request.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import Dict, List, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.console import encoding, output

# "0x00007ffff7f6c6b0  0x00007ffff7f9aa6e  Yes (*)     /lib/x86_64-linux-gnu/libgomp.so.1", first
# of all where its code begins; from GDB 18 on, where the library does. Through libraries that it
# has not read GDB unwinds nothing. While it reads one, it already has the object, and says "No".
_LIBRARY = re.compile(r"^(0x[0-9a-f]+) +0x[0-9a-f]+ .*?\b(Yes|No)\b.*?((?:target:)?/.*)$", re.M)
# "0x00007ffff7f6c6b0 - 0x00007ffff7f9aa6e is .text in /lib/x86_64-linux-gnu/libgomp.so.1"
_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - 0x[0-9a-f]+ is \.text in (.*)$", re.M)
_CODE = ".text"
_ENTRY = re.compile(r"^\s*Entry point: (0x[0-9a-f]+)$", re.M)
_AUXILIARY = re.compile(r"^(\d+) .*(0x[0-9a-f]+)$", re.M)
ENTRY, _VDSO = "9", "33"
_ON_TARGET = "target:"  # begins the names of files that GDB reads from there
CORE = "core dump file"
# "0x00007ffff7fc9000 - 0x00007ffff7fca000 is .text in PATH"; a core file's own are load1.
_FILE_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (?!load\d)", re.M)


def names(inferior: gdb.Inferior, debugger: object) -> _ompdbg.Files:
    """Return what tells names of a program. `debugger` reads memory."""
    vector = auxiliary()
    program = encoding.of(inferior.progspace, "filename")
    debug = _debug_files(inferior.progspace)
    read = {encoding.of(objfile, "filename") for objfile in inferior.progspace.objfiles()}
    copies: List[int] = []
    found: List[Tuple[str, str, Optional[str], Optional[str], int, bool]] = []
    try:
        if program and ENTRY not in vector and not inferior.pid:
            vector.update({ENTRY: int(at, 16) for at in _ENTRY.findall(output.said("info files"))})
        if program and ENTRY in vector:
            opened = _opened(inferior, program, copies)
            found.append((program, opened, debug.get(program), None, vector[ENTRY], True))
        code = {path: at for at, path in _SECTION.findall(output.said("info files"))}
        for address, is_read, path in _LIBRARY.findall(
            output.said("info sharedlibrary") if found else ""
        ):
            if is_read == "No" and path not in read:
                continue
            opened = _opened(inferior, path, copies)
            begin = int(code.get(path, address), 16)
            found.append((path, opened, debug.get(path), _CODE, begin, False))
        return _ompdbg.Files(debugger, found, vector.get(_VDSO, 0))
    finally:
        for copy in copies:
            os.close(copy)


def auxiliary() -> Dict[str, int]:
    """Return the auxiliary vector of the selected program."""
    return {kind: int(value, 16) for kind, value in _AUXILIARY.findall(output.said("info auxv"))}


def _debug_files(space: gdb.Progspace) -> Dict[str, str]:
    """Return the files with separate debug information."""
    found: Dict[str, str] = {}
    for objfile in space.objfiles():
        if objfile.owner is not None:
            found.setdefault(
                encoding.of(objfile.owner, "filename"), encoding.of(objfile, "filename")
            )
    return found


def _opened(inferior: gdb.Inferior, path: str, copies: List[int]) -> str:
    """Return where a file can be read on this machine, if need be in a copy."""
    if not path.startswith(_ON_TARGET):
        return path
    plain = path[len(_ON_TARGET) :]
    connection = inferior.connection
    if connection is not None and connection.type == "native":
        return f"/proc/{inferior.pid}/root{plain}"
    copies.append(os.memfd_create("file"))
    copy = f"/proc/self/fd/{copies[-1]}"
    output.said(f"remote get {encoding.given(plain)} {copy}")
    return copy


# ---- Sections in place of memory ------------------------------------------------------------


class FileSections:
    """The sections of all object files, those next to one another as one."""

    def __init__(self) -> None:
        self._ranges: Optional[List[Tuple[int, int]]] = None

    @property
    def is_whole(self) -> bool:
        """Check that there is no core file: nothing must be read in pieces."""
        return self._ranges is not None and not self._ranges

    def pieces(self, address: int, size: int) -> List[Tuple[int, int]]:
        """Begin and size of what must be read of a core file in requests of their own."""
        if self._ranges is None:
            self._ranges = _merged(_of_core())
        end = address + size
        found: List[Tuple[int, int]] = []
        index = max(bisect_right(self._ranges, (address,)) - 1, 0)
        for low, high in self._ranges[index:]:
            if low >= end:
                break
            for border in (low, high):
                if address < border < end:
                    found.append((address, border - address))
                    address = border
        return [*found, (address, end - address)]


def _of_core() -> List[Tuple[int, int]]:
    text = output.said("info files")
    if CORE not in text:
        return []
    return [(int(low, 16), int(high, 16)) for low, high in _FILE_SECTION.findall(text)]


def _merged(ranges: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
    found: List[Tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        elif low < high:
            found.append((low, high))
    return found
