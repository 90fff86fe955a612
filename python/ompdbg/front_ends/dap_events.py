# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's server for the Debug Adapter Protocol, and what it would tell its client otherwise.

Of every breakpoint it tells, of internal ones too, which GDB has numbers below zero for: front
ends would show them among the user's, and at a stop look for them there. Of a stop at one of these
it has no reason to tell. Of a reference it tells the address alone, and Clang makes references of
what a construct shares.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import gdb

from ompdbg.console import encoding
from ompdbg.variables.symbols import is_of_construct

_SERVER = "gdb.dap.breakpoint"
_LISTENERS = {
    "breakpoint_created": "_bp_created",
    "breakpoint_modified": "_bp_modified",
    "breakpoint_deleted": "_bp_deleted",
}
_EVALUATION, _RESULT = "gdb.dap.evaluate", "EvaluateResult"
# Of stops these names are told.
_SENDERS, _HIT = ("send_event_maybe_later", "send_event"), "hitBreakpointIds"
_EVENTS, _EXPECT, _EXPECTED = "gdb.dap.events", "expect_stop", "_expected_stop_reason"
_done = False
_is_following = False


def hide_internal_breakpoints() -> None:
    """Let the server, if there is one, tell of the user's breakpoints only from now on."""
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
    events = sys.modules.get(_EVENTS)
    for name in _SENDERS:
        send = getattr(events, name, None)
        if send is not None:
            setattr(events, name, _with_users_only(send))


def _users_only(listener: Callable[[Any], None]) -> Callable[[Any], None]:
    def told(breakpoint: Any) -> None:
        if breakpoint.number > 0:
            listener(breakpoint)

    return told


def _with_users_only(send: Callable[..., None]) -> Callable[..., None]:
    def sent(event: str, body: Any = None, *more: Any) -> None:
        if isinstance(body, dict) and _HIT in body:
            users = [number for number in body[_HIT] if number > 0]
            body = {key: value for key, value in body.items() if key != _HIT}
            if users:
                body[_HIT] = users
        send(event, body, *more)

    return sent


def expect(reason: str) -> None:
    """Note why the program is about to stop: "step", or "breakpoint"."""
    events = sys.modules.get(_EVENTS)
    if events is not None and hasattr(events, _EXPECT) and hasattr(events, _EXPECTED):
        getattr(events, _EXPECT)(reason)


def put(text: str) -> None:
    """Print at a stop: what GDB writes there its server did not pass on before GDB 18."""
    send = getattr(sys.modules.get("gdb.dap.server"), "send_event", None)
    if send is not None:
        send("output", {"category": "console", "output": text})
    else:
        encoding.put(text)


def follow_references() -> None:
    """Let the server, if there is one, tell values instead of references from now on."""
    global _is_following
    evaluation = sys.modules.get(_EVALUATION)
    if _is_following or evaluation is None:
        return
    _is_following = True
    result = getattr(evaluation, _RESULT, None)
    if result is not None:
        setattr(evaluation, _RESULT, lambda value: result(_followed(value)))


def _followed(value: gdb.Value) -> gdb.Value:
    try:
        is_shared = value.type.code == gdb.TYPE_CODE_REF and is_of_construct(gdb.selected_frame())
        return value.referenced_value() if is_shared else value
    except Exception:  # pylint: disable=broad-except
        return value  # as GDB alone has it
