# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the selected thread is, as `omp frame` shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, List, Optional

import gdb

from ompdbg.gdb_services.printed import printed

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.render.palette import Palette

_SOURCE = re.compile(r"^\d+\t.*$", re.M)


def lines(
    thread: "Thread", level: int, palette: "Palette", headed: bool = True, sourced: bool = True
) -> List[str]:
    """Thread and frame, and the source line, which `list` goes on from."""
    from ompdbg.frames import USER
    from ompdbg.model.stack import Part
    from ompdbg.model.walk import logical_frames
    from ompdbg.render.stack import Options, frame_line, heading

    services, items = thread.runtime.services, logical_frames(thread)
    source = _source() if sourced and level == selected_level() else None
    found: List[str] = []
    if headed or source is None:
        part = Part(thread, thread.team, thread.thread_num, items)
        options = Options(
            raw=items[level].kind != USER,
            arguments=lambda part, item: services.arguments(thread.target, item.frame),
            palette=palette,
            addresses=bool(gdb.parameter("print address")),
        )
        found = [heading(part), frame_line(part, items[level], options)]
    return found if source is None else [*found, source]


def users_level(thread: "Thread") -> int:
    """The number of the innermost frame of the user's code; 0 if there is none."""
    from ompdbg.frames import USER
    from ompdbg.model.walk import logical_frames

    users = (item.frame.level for item in logical_frames(thread) if item.kind == USER)
    return next(users, 0)


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
