# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB lacks: why no runtime is found in a program that may well have one, and whether GDB
reads the files that the process was made from."""

from __future__ import annotations

import re
from os.path import basename
from typing import List, NamedTuple, Optional

import _ompdbg
import gdb

from ompdbg.console import encoding, output
from ompdbg.inferior import object_files

# "0x00007ffff7f6c6b0  0x00007ffff7f9aa6e  Yes (*)     /lib/x86_64-linux-gnu/libgomp.so.1"
_LIBRARY = re.compile(r"^(?:0x\S+ +0x\S+)? +(?P<read>Yes|No)\b.*? (?P<path>/.*)$", re.M)
_INTERPRETER = re.compile(r" is \.interp$", re.M)
# Of a note in an ELF file: sizes of its name and of the id, its type, its name.
_BUILD_ID = re.compile(rb"\x04\0\0\0([\x08-\x40])\0\0\0\x03\0\0\0GNU\0", re.S)
_HEADERS = 4096  # in which GNU's linkers put that note
# "0x555555554000 0x555555555000 0x1000 0x0 r--p /home/me/program"; a core file has no r--p.
_MAPPING = re.compile(
    r"^\s*(?P<start>0x[0-9a-f]+)\s+(?P<end>0x[0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+"
    r"(?:[rwxsp-]{4}\s+)?(?P<path>/.*?)\s*$",
    re.M,
)
_DELETED = " (deleted)"  # the kernel writes it after the name
_FIND_LIBRARY = 'name its folder with "set solib-search-path" or "set sysroot"'


def why_missing() -> Optional[str]:
    """Return what GDB lacks to find the runtime; None if it lacks nothing."""
    program = encoding.of(gdb.current_progspace(), "filename")
    if not program:
        return f"no program is loaded; {_use_file(_program_in_memory())}."
    libraries, files = _LIBRARY.findall(output.said("info sharedlibrary")), output.said(
        "info files"
    )
    for read, path in libraries:
        if read == "No" and _ompdbg.is_runtime_object(path):
            if not gdb.parameter("auto-solib-add"):
                return f'the symbols of {path} have not been read; use "sharedlibrary".'
            return f"GDB does not find {path}, or another file is there; {_FIND_LIBRARY}."
    if libraries or " is .text" not in files:
        return None  # all is there, or GDB has lost the process and tells nothing
    if not _INTERPRETER.search(files):
        return _why_in_static(program)
    if object_files.CORE in files:
        other = _program_in_memory()
        if other and basename(other) != basename(program):
            return f"the core file is of {other}; {_use_file(other)}."
        return (
            f"the core file does not tell the program's libraries: it is truncated, or"
            f" {program} is not the program that wrote it."
        )
    return None


def _why_in_static(program: str) -> Optional[str]:
    if output.said("info address _start") or output.said("info address main"):
        return None
    return f"{program} is statically linked and stripped: nothing tells where in it libgomp is."


def why_mismatched() -> Optional[str]:
    """Return which file that GDB reads is not the one that the process was made from; None if all
    are. Build ids of program and runtime tell, in the file and in memory."""
    objfiles = [o for o in gdb.current_progspace().objfiles() if o.owner is None and o.build_id]
    program = encoding.of(gdb.current_progspace(), "filename")
    if not objfiles or not program:
        return None
    mappings = mapped_files()
    process = "the core file" if object_files.CORE in output.said("info files") else "the process"
    mapped = _mapped_at_entry(mappings)
    own = {
        o.build_id
        for o in objfiles
        if program in (encoding.of(o, "filename"), encoding.of(o, "username"))
    }
    if mapped and own and _build_id_in_memory(mapped.path, mappings) not in (None, *own):
        return f"{program} is not the program of {process}; {_use_file(mapped.path)}."
    runtimes = {
        o.build_id: encoding.of(o, "username")
        for o in objfiles
        if _ompdbg.is_runtime_object(encoding.of(o, "username"))
    }
    for path in {mapping.path for mapping in mappings if _ompdbg.is_runtime_object(mapping.path)}:
        if runtimes and _build_id_in_memory(path, mappings) not in (None, *runtimes):
            name = " or ".join(str(name) for name in runtimes.values())
            return f"{name} is not the file that {process} has loaded; {_FIND_LIBRARY}."
    return None


def _use_file(path: Optional[str]) -> str:
    if path is not None and path.endswith(_DELETED):
        # The kernel still has the file, as long as the process lives.
        pid = gdb.selected_inferior().pid
        is_live = pid and object_files.CORE not in output.said("info files")
        path = f"/proc/{pid}/exe" if is_live else None
    return f'use "file {path or "PROGRAM"}"'


class _Mapping(NamedTuple):
    start: int
    end: int
    path: str


def mapped_files() -> List[_Mapping]:
    """Return what is mapped from files."""
    found = _MAPPING.findall(output.said("info proc mappings"))
    return [_Mapping(int(start, 16), int(end, 16), path) for start, end, path in found]


def _mapped_at_entry(mappings: List[_Mapping]) -> Optional[_Mapping]:
    """Return what is mapped where the program was entered."""
    entry = object_files.auxiliary().get(object_files.ENTRY, 0)
    return next((m for m in mappings if m.start <= entry < m.end), None)


def _program_in_memory() -> Optional[str]:
    mapping = _mapped_at_entry(mapped_files())
    return mapping.path if mapping is not None else None


def _build_id_in_memory(path: str, mappings: List[_Mapping]) -> Optional[str]:
    start = min(mapping.start for mapping in mappings if mapping.path == path)
    try:
        headers = bytes(gdb.selected_inferior().read_memory(start, _HEADERS))
    except gdb.error:
        return None
    match = _BUILD_ID.search(headers)
    return headers[match.end() :][: match.group(1)[0]].hex() if match else None
