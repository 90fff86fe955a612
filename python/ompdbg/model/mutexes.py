# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutexes of the C library, as of std::mutex, that threads sleep on: they hold one another up as
locks of OpenMP do.

The GNU C library has in a mutex whether somebody waits for it, and which thread owns it.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Dict, List, Optional

import _ompd

from ompdbg import frames, waits
from ompdbg.model.doing import doing
from ompdbg.model.locks import RECORDED, Lock

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Thread
    from ompdbg.model.waiting import Waiting

KIND = "pthread_mutex"

_FUNCTION = re.compile(r"^pthread_mutex_lock(?:_full)?$")  # those that do not end by themselves
_HEAD = "<iIi"  # of pthread_mutex_t: its word, how often it is taken, by which thread
_AWAITED = 2
_MAX_FRAMES = 64


class Mutex(Lock):
    """A mutex that threads wait for."""

    def __init__(self, first: "Thread", address: int, name: Optional[str]) -> None:
        """Not Lock's: these threads wait for nothing of the runtime's."""
        self.kind = KIND
        self.runtime = first.runtime
        self.title = f"mutex {name or hex(address)}"
        self.symbol = name
        self.address = address
        self.waiters: "List[Thread]" = []
        self.owner: "Optional[Thread]" = None
        self.how: Optional[str] = None
        self.taken = None
        self.is_held: Optional[bool] = True
        self.reason: Optional[str] = None
        self.is_named = True
        self.owner_ended = False


def mutexes(waiting: "Waiting") -> List[Mutex]:
    """Those that threads sleep on, and whose owner is known."""
    found: Dict[int, Mutex] = {}
    for thread in waiting.process.threads:
        if thread.wait is not None or thread.target.running or not waiting.is_asleep(thread):
            continue
        function = doing(thread).function
        values = thread.runtime.services.registers(thread.target, "rdi")
        if function is None or not _FUNCTION.match(function) or values is None:
            continue
        address = values[0]
        if address not in found:
            owner = _owner(waiting.process, thread, address)
            if owner is None:
                continue
            found[address] = Mutex(thread, address, _name(thread, address))
            found[address].owner, found[address].how = owner, RECORDED
        found[address].waiters.append(thread)
    return list(found.values())


def _owner(process: "Process", thread: "Thread", address: int) -> "Optional[Thread]":
    services = thread.runtime.services
    try:
        head = services.read_memory(address, struct.calcsize(_HEAD))
    except services.errors:
        return None
    word, _, owner = struct.unpack(_HEAD, head)
    if word != _AWAITED:
        return None
    for other in process.threads:
        if (_ompd.THREAD_ID_LWP, owner) in services.thread_ids(other.target):
            return other
    return None


def _name(thread: "Thread", address: int) -> Optional[str]:
    services = thread.runtime.services
    symbol = services.symbol_at(address)
    if not thread.runtime.classifier.is_users_data(address, symbol):
        return None
    near = None
    for depth, frame in enumerate(services.stack(thread.target)):
        if thread.runtime.classifier.kind(frame) == frames.USER or depth >= _MAX_FRAMES:
            near = frame.pc
            break
    return services.variable_at(address, True, near) or waits.symbol_name(symbol)
