# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When each program was stopped: noted as it happens, for nobody can be asked later."""

from __future__ import annotations

import time
from typing import Any, Dict, Optional

import gdb

_times: Dict[int, int] = {}  # id of the process -> ns of CLOCK_MONOTONIC


def listen() -> None:
    """Note all stops from now on."""
    gdb.events.stop.connect(_on_stop)
    gdb.events.cont.connect(_on_cont)


def of(inferior: gdb.Inferior) -> Optional[int]:
    """The time at which a program stopped; None: it was not seen to stop."""
    return _times.get(inferior.pid)


def _on_stop(event: Any) -> None:
    _times[gdb.selected_inferior().pid] = time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def _on_cont(event: Any) -> None:
    if event.inferior_thread is None:
        _times.clear()
    else:
        _times.pop(event.inferior_thread.ptid[0], None)
