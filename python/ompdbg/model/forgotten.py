# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that LLVM's runtime has started, and of which its memory knows nothing.

A runtime that has never been used knows no thread, and neither does one whose memory was zeroed.
But only one that is in use has started threads; it ends them before it forgets them, save one that
helps with target tasks. So libgomp's do not.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Sequence

from ompdbg.frames import is_system_object, runtime_of_object

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

_LLVMS = ("libomp", "libiomp5")
_LEAST, _MOST_THREADS, _MOST_FRAMES = 2, 32, 1000


def mark_forgotten(name: str, threads: "Sequence[Thread]") -> None:
    """Of all threads of a process nothing is known, if its runtime knows none of those that it
    has started."""
    if name not in _LLVMS or any(thread.openmp is not False for thread in threads):
        return
    started = (thread for thread in threads[:_MOST_THREADS] if _is_started_by(name, thread))
    if sum(1 for _ in itertools.islice(started, _LEAST)) == _LEAST:
        for thread in threads:
            thread.error = (
                f"memory of {name} is damaged: it knows no thread, though {name} has started some"
            )


def _is_started_by(name: str, thread: "Thread") -> bool:
    """Its stack begins in the C library, and goes on in the runtime."""
    frames = thread.runtime.services.stack(thread.target)
    objects = [frame.object_file for frame in itertools.islice(frames, _MOST_FRAMES)]
    if not objects or not is_system_object(objects[-1]):
        return False
    others = (path for path in reversed(objects) if not is_system_object(path))
    return runtime_of_object(next(others, None)) == name
