# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that GDB has loaded for a program, where libtarget reads names."""

from __future__ import annotations

import os
import re
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
_AUXILIARY = re.compile(r"^(\d+) .*(0x[0-9a-f]+)$", re.M)
_ENTRY, _VDSO = "9", "33"
_ON_TARGET = "target:"  # begins the names of files that GDB reads from there


def names(inferior: gdb.Inferior, debugger: object) -> _ompdbg.Files:
    """Return what tells names of a program. `debugger` reads memory."""
    auxiliary = {
        kind: int(value, 16) for kind, value in _AUXILIARY.findall(output.said("info auxv"))
    }
    program = encoding.of(inferior.progspace, "filename")
    debug = _debug_files(inferior.progspace)
    read = {encoding.of(objfile, "filename") for objfile in inferior.progspace.objfiles()}
    copies: List[int] = []
    found: List[Tuple[str, str, Optional[str], Optional[str], int, bool]] = []
    try:
        if program and _ENTRY in auxiliary:
            opened = _opened(inferior, program, copies)
            found.append((program, opened, debug.get(program), None, auxiliary[_ENTRY], True))
        code = {path: at for at, path in _SECTION.findall(output.said("info files"))}
        for address, is_read, path in _LIBRARY.findall(
            output.said("info sharedlibrary") if found else ""
        ):
            if is_read == "No" and path not in read:
                continue
            opened = _opened(inferior, path, copies)
            begin = int(code.get(path, address), 16)
            found.append((path, opened, debug.get(path), _CODE, begin, False))
        return _ompdbg.Files(debugger, found, auxiliary.get(_VDSO, 0))
    finally:
        for copy in copies:
            os.close(copy)


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
