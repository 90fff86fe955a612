# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are named by whoever calls: a pipe or a device would block, or never end."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO

from ompdbg.text import decoded


def opened(path: str) -> IO[bytes]:
    """Open a regular file, without a buffer. Raise OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb", buffering=0)
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "not a regular file")


def of_path(path: str) -> str:
    """Return the text of a path that Python gave us, in a command line, say."""
    return decoded(os.fsencode(path))
