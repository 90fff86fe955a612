# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a thread does that does not wait in the OpenMP runtime."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, NamedTuple, Optional

from ompdbg import frames
from ompdbg.model.asleep import system_call

if TYPE_CHECKING:
    from ompdbg.model.thread import Location, Thread

_MAX_FRAMES = 64
# The C library's names for its own functions: `__GI___pthread_mutex_lock`, `___pthread_...`.
_OWN_PREFIX = re.compile(r"^_+(?:(?:GI_+)?(?:libc_+|new_+)?)")
_OWN_SUFFIX = re.compile(r"(?:_slow(?:32|64)?)?(?:\.(?:constprop|isra|part|cold|\d+))*$")
_HEADERS = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_MUTEX = re.compile(r"lll_lock_wait")


class Doing(NamedTuple):
    """What a thread does."""

    in_kernel: bool  # it is in a system call
    function: Optional[str]  # of the system, that the user's code called


def own_name(function: str) -> str:
    """A function of the system by the name under which it is called."""
    return _OWN_SUFFIX.sub("", _OWN_PREFIX.sub("", function))


def doing(thread: "Thread") -> Doing:
    """Looks at the frames above the user's code."""
    called: Optional[str] = None
    for depth, frame in enumerate(thread.runtime.services.stack(thread.target)):
        kind = thread.runtime.classifier.kind(frame)
        if kind == frames.USER or depth >= _MAX_FRAMES:
            break
        if frame.function is not None and not _MUTEX.search(frame.function):
            called = own_name(frame.function)
    return Doing(system_call(thread) is not None, called)


def own_place(thread: "Thread") -> "Optional[Location]":
    """Where a thread is in the program's own files: what a library's headers have made of it is
    not looked at, if that called the system."""
    location = thread.location
    if location is None or not _is_header(location.file):
        return location
    for depth, frame in enumerate(thread.runtime.services.stack(thread.target)):
        kind = thread.runtime.classifier.kind(frame)
        if kind == frames.RUNTIME or depth >= _MAX_FRAMES:
            break
        if kind == frames.USER and frame.file is not None and not _is_header(frame.file):
            return thread.locate(frame)
    return location


def _is_header(file: Optional[str]) -> bool:
    return file is not None and os.path.normpath(file).startswith(_HEADERS)
