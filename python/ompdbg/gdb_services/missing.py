# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why no runtime is found in a program that may well have one."""

from __future__ import annotations

import re
from typing import Optional

import gdb

from ompdbg.frames import is_runtime_object

# "0x00007ffff7f6c6b0  0x00007ffff7f9aa6e  Yes (*)     /lib/x86_64-linux-gnu/libgomp.so.1"
_LIBRARY = re.compile(r"^(?:0x\S+ +0x\S+)? +(?P<read>Yes|No)\b.*? (?P<path>/.*)$", re.M)
_INTERPRETER = re.compile(r" is \.interp$", re.M)
_CORE = "core dump file"


def why_missing() -> Optional[str]:
    """What GDB lacks to find the runtime; None if it lacks nothing."""
    try:
        libraries = _LIBRARY.findall(gdb.execute("info sharedlibrary", to_string=True))
        files = gdb.execute("info files", to_string=True)
    except gdb.error:
        return None
    for read, path in libraries:
        if read == "No" and is_runtime_object(path):
            return (
                f"GDB has not read the symbols of {path}; name the program, and see"
                ' "help set sysroot".'
            )
    if libraries or _CORE not in files or not _INTERPRETER.search(files):
        return None
    return "the core file does not tell the program's libraries: it is truncated or another's."
