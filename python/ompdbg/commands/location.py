# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the selected thread is, as `omp frame` shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, List, Optional

import gdb

from ompdbg.commands.command import printed_view
from ompdbg.console.output import printed

if TYPE_CHECKING:
    from _ompdbg import Thread

_SOURCE = re.compile(r"^\d+\t.*$", re.M)
_NONE = -1


def lines(thread: "Thread", level: int, headed: bool = True, sourced: bool = True) -> List[str]:
    """Thread and frame, and the source line, which `list` goes on from."""
    source = _source() if sourced and level == selected_level() else None
    found: List[str] = []
    if headed or source is None:
        found = _shown(thread, level)
    return found if source is None else [*found, source]


def heading(thread: "Thread") -> str:
    """The thread, and its place in its team."""
    return "\n".join(_shown(thread, _NONE))


def _shown(thread: "Thread", level: int) -> List[str]:
    text = printed_view(thread.process, "frame", thread=thread.number, level=level)
    return text.rstrip("\n").split("\n")


def selected_level() -> int:
    """The number of the selected frame. Raises gdb.error where there is none."""
    level = -1
    frame: Optional[gdb.Frame] = gdb.selected_frame()
    while frame is not None:
        frame = frame.newer()
        level += 1
    return level


def _source() -> Optional[str]:
    match = _SOURCE.search(printed("frame"))
    return match.group() if match is not None else None
