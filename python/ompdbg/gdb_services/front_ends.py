# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's server for the Debug Adapter Protocol tells its client of every breakpoint, internal ones
too, which GDB has numbers below zero for: front ends would show them among the user's."""

from __future__ import annotations

import sys
from typing import Any, Callable

import gdb

_SERVER = "gdb.dap.breakpoint"
_LISTENERS = {
    "breakpoint_created": "_bp_created",
    "breakpoint_modified": "_bp_modified",
    "breakpoint_deleted": "_bp_deleted",
}
_done = False


def hide_internal_breakpoints() -> None:
    """From now on the server, if there is one, tells of the user's breakpoints only."""
    global _done
    server = sys.modules.get(_SERVER)
    if _done or server is None:
        return
    _done = True
    for event, name in _LISTENERS.items():
        listener, registry = getattr(server, name, None), getattr(gdb.events, event)
        if listener is not None:
            try:
                registry.disconnect(listener)
            except ValueError:
                continue  # a server that is made in another way
            registry.connect(_users_only(listener))


def _users_only(listener: Callable[[Any], None]) -> Callable[[Any], None]:
    def told(breakpoint: Any) -> None:
        if breakpoint.number > 0:
            listener(breakpoint)

    return told
