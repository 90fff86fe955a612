# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the selected thread is, as `omp frame` shows it."""

from __future__ import annotations

import re
from typing import List

import _ompdbg
import gdb

from ompdbg.commands.command import print_view
from ompdbg.console.output import printed
from ompdbg.text import shown

_SOURCE = re.compile(r"^\d+\t.*$", re.M)
_NONE = -1


def text(thread: _ompdbg.Thread, level: int, headed: bool = True, sourced: bool = True) -> str:
    """Return thread and frame, and the source line, which `list` goes on from."""
    source = _source() if sourced and level == gdb.selected_frame().level() else ""
    return (_shown(thread, level) if headed or not source else "") + source


def heading(thread: _ompdbg.Thread) -> str:
    """Return the thread, and its place in its team."""
    return _shown(thread, _NONE)


def _shown(thread: _ompdbg.Thread, level: int) -> str:
    said: List[str] = []
    print_view(thread.process, "frame", said.append, thread=thread.number, level=level)
    return "".join(said)


def _source() -> str:
    match = _SOURCE.search(printed("frame"))
    return shown(match.group()) + "\n" if match is not None else ""
