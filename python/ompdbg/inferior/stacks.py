# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of a program's threads in GDB, unwound lazily and once per stop.

GDB unwinds the selected thread only. A stack therefore selects its thread again each time that it
is asked for one more frame; who walks many stacks walks them one after another.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

import gdb

from ompdbg.inferior.selection import switch

# A stack deeper than this is taken for a damaged one.
_MAX_DEPTH = 100_000
_ENDS_STACKS = ("backtrace past-main", "backtrace past-entry", "backtrace limit")


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self) -> None:
        self._stacks: Dict[int, _Stack] = {}
        self._settings: Optional[Tuple[object, ...]] = None

    def forget(self) -> None:
        """Forget all: the program moved."""
        self._stacks.clear()
        self._settings = None

    def ask_settings(self) -> None:
        """Ask for the settings again, once they are needed: GDB does not tell of changes."""
        self._settings = None

    @property
    def settings(self) -> Tuple[object, ...]:
        """Return GDB's settings that tell where stacks end."""
        if self._settings is None:
            self._settings = tuple(gdb.parameter(name) for name in _ENDS_STACKS)
        return self._settings

    def of(self, thread: gdb.InferiorThread) -> _Stack:
        """Find the stack of a thread."""
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            stack = self._stacks[thread.global_num] = _Stack(thread)
        return stack


def _ends_without_reason(frame: gdb.Frame) -> bool:
    """Check that GDB does not say why there is no older frame. It ends stacks at main, which is
    the user's code, and at the function that starts a program."""
    return frame.unwind_stop_reason() == gdb.FRAME_UNWIND_NO_REASON and frame.name() != "_start"


class _Stack:
    """One thread's stack, as far as it was unwound."""

    def __init__(self, thread: gdb.InferiorThread) -> None:
        self._thread = thread
        self._frames: List[gdb.Frame] = []
        self._ended = False
        self.is_cut_off = False  # GDB failed to unwind it further

    def walk(self) -> Iterator[gdb.Frame]:
        """Yield the frames, innermost first, each with the thread selected."""
        level, frame = 0, self.frame(0)
        while frame is not None:
            yield frame
            level += 1
            frame = self.frame(level)

    def frame(self, level: int) -> Optional[gdb.Frame]:
        """Find the frame of a level, and select the thread: GDB finds a frame in its stack."""
        selected = gdb.selected_thread()
        if selected is None or selected.global_num != self._thread.global_num:
            switch(self._thread)
        while len(self._frames) <= level and self._extend():
            pass
        return self._frames[level] if level < len(self._frames) else None

    def _extend(self) -> bool:
        if self._ended or len(self._frames) >= _MAX_DEPTH:
            return False
        try:
            frame = self._frames[-1].older() if self._frames else gdb.newest_frame()
            # No function returns to 0: a thread's stack may end with such a frame.
            if frame is not None and (frame.pc() or not self._frames):
                self._frames.append(frame)
                return True
            # An error is raised once: if GDB met it before, there is neither a frame nor a reason.
            self.is_cut_off = frame is None and _ends_without_reason(self._frames[-1])
        except gdb.error:
            self.is_cut_off = True  # what was unwound so far is all that can be had
        self._ended = True
        return False
