# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether LLVM's runtime has counted a thread at a barrier to which not all have come.

It counts those that do not gather others, and libompd tells of them by their states; unless a tool
(OMPT) is active: then states are what the threads themselves record, and a thread that was let go
may not have changed its own yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import _ompd

from ompdbg import waits

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

_STATES = (waits.WAIT_BARRIER, waits.WAIT_BARRIER_PARALLEL, waits.WAIT_BARRIER_IMPLEMENTATION)


def is_counted(thread: "Thread") -> bool:
    """It is certain that the thread was not let go."""
    handle = thread.handle
    if handle is None or not thread.runtime.space.library.extended:
        return False
    try:
        if handle.state()[0] not in _STATES:
            return False
    except _ompd.Error:
        return False
    try:
        handle.tool_data()
    except _ompd.Error:
        return True
    return False
