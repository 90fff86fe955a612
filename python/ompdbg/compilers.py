# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which compilers made an ELF file: each leaves its version in the section .comment."""

from __future__ import annotations

import os
import re
import stat
from typing import Optional

import _ompd

from ompdbg.text import encoded

# "GCC: (Debian 12.2.0-14) 12.2.0", "GCC: (GNU) 17.0.0 20261101 (experimental)"
_GCC = re.compile(rb"^GCC: \(.*\) (\d{1,4})\.\d+")


def newest_gcc(path: str) -> Optional[int]:
    """The latest major release of GCC that any part of the file is of; None: none is told."""
    try:
        with open(encoded(path), "rb", opener=_open_at_once) as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            comments = _ompd.comment(file.fileno()) if is_regular else b""
    except OSError:
        return None
    found = [_GCC.match(one) for one in comments.split(b"\0") if one.startswith(b"GCC")]
    releases = [int(match.group(1)) for match in found if match]
    return max(releases, default=None) if len(releases) == len(found) else None


def _open_at_once(path: bytes, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe has nobody at its other end
