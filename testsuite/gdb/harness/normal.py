# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings what the commands say into a form in which a process and its core file must be equal.

GDB numbers the threads of a core file anew, and a core file does not have their names. So threads
are called by their LWP here, lists are in the order of the LWPs, and teams lose their labels. How long
ago something was recorded depends on when one asks.
"""

from typing import Any, Dict, List

from harness.snapshots import Snapshot

_DIFFERENT = ("name", "selected", "label", "gdb", "age")


def normal(part: str, snapshot: Snapshot) -> Any:
    """A part of a snapshot ("threads", "tasks", ...) without what a core file has otherwise."""
    lwps = {row["gdb"]: row["lwp"] for row in snapshot["threads"]["threads"]}
    return _normal(snapshot[part], lwps)


def ageless(value: Any) -> Any:
    """The same without ages of what was recorded."""
    if isinstance(value, list):
        return [ageless(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: ageless(item) for key, item in value.items() if key != "age"}


def _normal(value: Any, lwps: Dict[int, int]) -> Any:
    if isinstance(value, list):
        items = [_normal(item, lwps) for item in value]
        return sorted(items, key=_order) if _is_by_thread(items) else items
    if not isinstance(value, dict):
        return value
    found: Dict[str, Any] = {}
    for key, item in value.items():
        if key in ("thread", "primary") and isinstance(item, int):
            found[key] = lwps[item]
        elif key == "threads" and item and isinstance(item[0], int):
            found[key] = sorted(lwps[number] for number in item)
        elif key not in _DIFFERENT:
            found[key] = _normal(item, lwps)
    return found


def _is_by_thread(items: List[Any]) -> bool:
    return bool(items) and isinstance(items[0], dict) and not _order(items[0]) == ""


def _order(item: Dict[str, Any]) -> str:
    """What the lists that are in the debugger's order are sorted by."""
    if "lwp" in item:
        return "{:010}".format(item["lwp"])
    if "parts" in item:
        return "{:010}".format(item["parts"][0]["thread"])
    if "primary" in item:
        return str(item["id"])
    return ""
