# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands of GDB/MI, the language of front ends: for each command that prints JSON one that
answers the same, `-omp-threads` for `omp threads`. GDB takes such commands since 13."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

import gdb

from ompdbg.commands.command import OmpCommand
from ompdbg.console import encoding


def register() -> None:
    """Makes them of the commands that there are."""
    kind: Any = getattr(gdb, "MICommand", None)
    if kind is None:
        return

    class Command(kind):  # type: ignore[misc]
        """One of them."""

        def __init__(self, command: OmpCommand) -> None:
            self._command = command
            super().__init__("-" + command.name.replace(" ", "-"))

        def invoke(self, argv: List[str]) -> Any:
            """Called by GDB."""
            return json.loads(self._command.document(argv), object_pairs_hook=_members)

    for command in OmpCommand.made.values():
        if any(option.name == "-json" for option in command.options):
            Command(command)


def _members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """MI has no null, and its truth is "y" or "n"."""
    return {name: _value(value) for name, value in pairs if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, list):
        return [_value(one) for one in value]
    return encoding.printable(value) if isinstance(value, str) else value
