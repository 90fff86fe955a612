# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The thread and frame that the user has selected: whoever selects others gives them back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, List, Optional, Tuple

import gdb

_Selection = Tuple[Optional[gdb.InferiorThread], Optional[gdb.Frame]]


class KeptIfChanged:
    """Around what may select others: selects the user's thread and frame again if switch() or
    frame() did. To find the frame, GDB has to look at the thread's stack, which many commands can
    do without."""

    __slots__ = ("selection",)

    def __init__(self) -> None:
        self.selection: Optional[_Selection] = None

    def __enter__(self) -> None:
        _waiting.append(self)

    def __exit__(self, *raised: object) -> None:
        if self.selection is None:
            _waiting.remove(self)
        else:
            _select_again(self.selection)


_waiting: List[KeptIfChanged] = []  # for the first switch


def switch(thread: gdb.InferiorThread) -> None:
    """Makes a thread GDB's current one."""
    _remember()
    thread.switch()


def choose(handle: gdb.Frame) -> None:
    """Makes a frame of the current thread the selected one."""
    _remember()
    handle.select()


@contextmanager
def frame(handle: gdb.Frame) -> Iterator[None]:
    """What is done within goes by this frame of the current thread, its language too."""
    before = gdb.selected_frame()
    if before == handle:
        yield
        return
    _remember()
    handle.select()
    try:
        yield
    finally:
        before.select()


def _remember(selection: Optional[_Selection] = None) -> None:
    if _waiting:
        now = selection or _selection()
        for kept in _waiting:
            kept.selection = now
        _waiting.clear()


@contextmanager
def kept() -> Iterator[None]:
    """Selects the user's thread and frame again, whoever selects others."""
    selection = _selection()
    _remember(selection)  # within, it may be another when the first switch is made
    try:
        yield
    finally:
        _select_again(selection)


@contextmanager
def kept_on_failure() -> Iterator[None]:
    """Selects the user's thread and frame again if what is done fails."""
    selection = _selection()
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            _select_again(selection)


def _selection() -> _Selection:
    thread = gdb.selected_thread()
    if thread is None or not thread.is_valid() or thread.is_running():
        return thread, None
    try:
        return thread, gdb.selected_frame()
    except gdb.error:
        return thread, None  # no registers, no stack


def _select_again(selection: _Selection) -> None:
    thread, handle = selection
    if thread is None or not thread.is_valid():
        return
    try:
        thread.switch()
        if handle is not None and handle.is_valid():
            handle.select()
    except gdb.error:
        pass  # it ended meanwhile
