# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that may be loaded into GDB although only the program names them.

Such a file lies where GDB loads scripts by itself (auto-load safe-path). Neither the file nor a
folder on the way to it can be changed by others than root and the user. A name is resolved once;
from then on the file is its descriptor. A link or a file that is exchanged changes nothing.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from typing import Dict, List, Tuple

import gdb

# Every file that was ever loaded, by device and inode. The loader remembers a library by the
# number of its descriptor: none is closed, so that no number comes to name another file.
_descriptors: Dict[Tuple[int, int], int] = {}

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC  # a FIFO does not block


class Distrusted(Exception):
    """A file is not loaded; the message says why."""


def resolved(path: str) -> str:
    """Return the path without links. Raise Distrusted if no file has it."""
    if not os.path.isabs(path):
        raise Distrusted("its path is not absolute")
    real = os.path.realpath(path)
    if not os.path.isfile(real):
        raise Distrusted("there is no such file")
    return real


def descriptor(real: str) -> int:
    """Return the open file of a resolved path, which stays open. Raise Distrusted."""
    safe = str(gdb.parameter("auto-load safe-path") or "")
    if not is_below(real, safe_directories(safe)):
        raise Distrusted('it is not in the "auto-load safe-path"')
    try:
        opened, status = _opened(real)
    except OSError as error:
        raise Distrusted(f"it cannot be opened ({error.strerror})") from None
    kept = _descriptors.setdefault((status.st_dev, status.st_ino), opened)
    if kept != opened:
        os.close(opened)
    return kept


def _opened(real: str) -> Tuple[int, os.stat_result]:
    """Open a file and check every folder on the way, from the root, without following a link."""
    *folders, name = _parts(real)
    place = "/"
    current = os.open(place, _FOLDER)
    try:
        status = _checked(place, current)
        for part, flags in [*((folder, _FOLDER) for folder in folders), (name, _FILE)]:
            below = os.open(part, flags, dir_fd=current)
            os.close(current)
            current, place = below, os.path.join(place, part)
            status = _checked(place, current)
        if not stat.S_ISREG(status.st_mode):
            raise Distrusted("there is no such file")
    except BaseException:
        os.close(current)
        raise
    return current, status


def _checked(place: str, opened: int) -> os.stat_result:
    """Return the status of an open file. Raise Distrusted if others than root and the user may
    change it."""
    status = os.fstat(opened)
    if status.st_uid not in (0, os.getuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Distrusted(f"others may write to {place}")
    return status


def safe_directories(safe_path: str) -> List[str]:
    """Return the directories of GDB's setting, which may hold variables."""
    data = str(gdb.parameter("data-directory") or "")
    debug = str(gdb.parameter("debug-file-directory") or "")
    found: List[str] = []
    for entry in safe_path.split(os.pathsep):
        for one in entry.replace("$datadir", data).replace("$debugdir", debug).split(os.pathsep):
            if one:
                found.append(os.path.expanduser(one))
    return found


def is_below(path: str, directories: List[str]) -> bool:
    """Check as GDB does: each part of a directory may be a pattern."""
    parts = _parts(path)
    for directory in directories:
        for spelling in (directory, os.path.realpath(directory)):
            patterns = _parts(spelling)
            if len(patterns) <= len(parts) and all(map(fnmatch.fnmatchcase, parts, patterns)):
                return True
    return False


def _parts(path: str) -> Tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)
