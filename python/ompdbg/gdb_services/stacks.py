# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of a program's threads in GDB, unwound lazily and once per stop.

GDB unwinds the selected thread only. A stack therefore selects its thread again each time that it
is asked for one more frame; who walks many stacks walks them one after another.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.gdb_services import texts
from ompdbg.gdb_services.outlined import full_name, linkage_name
from ompdbg.gdb_services.selection import switch
from ompdbg.gdb_services.symbols import Symbols

# A stack deeper than this is taken for a damaged one.
_MAX_DEPTH = 100_000
_ENDS_STACKS = ("backtrace past-main", "backtrace past-entry", "backtrace limit")

# Name, linkage name, entry point, file and line.
Place = Tuple[Optional[str], Optional[str], int, Optional[str], int]


class StackFrame:
    """One frame, which may be kept longer than GDB's own: for threads that stop alike."""

    __slots__ = ("level", "pc", "is_call", "type", "object_file", "_address", "_place", "_symbols")

    def __init__(
        self, level: int, handle: gdb.Frame, newer: "Optional[StackFrame]", symbols: Symbols
    ) -> None:
        self.level = level
        self.pc = handle.pc()
        self.type = handle.type()
        if newer is None or newer.is_signal or self.is_signal:
            self.is_call = False
        else:
            self.is_call = newer.is_call if newer.is_inlined else True
        self._address = self.pc - 1 if self.is_call else self.pc
        self._symbols = symbols
        self.object_file = symbols.object_of(self._address)
        # The innermost frame may hide frames that GDB has not stepped into yet.
        is_told_by_address = newer is not None and not newer.is_inlined and not self.is_inlined
        foreign = _ompdbg.is_runtime_object(self.object_file)
        foreign = foreign or _ompdbg.is_system_object(self.object_file)
        # Among frames inlined into one another the address does not tell which is which.
        self._place: Optional[Place] = None
        if not is_told_by_address or not foreign:
            self._place = _place_of(handle)

    @property
    def is_signal(self) -> bool:
        """It was pushed by the kernel to call a signal handler."""
        return bool(self.type == gdb.SIGTRAMP_FRAME)

    @property
    def is_inlined(self) -> bool:
        """The function was inlined into that of the next older frame."""
        return bool(self.type == gdb.INLINE_FRAME)

    @property
    def place(self) -> Optional[Place]:
        """What is at its place in the program."""
        if self._place is None:
            self._place = _place_at(self._address, self._symbols)
        return self._place


def _place_of(handle: gdb.Frame) -> Optional[Place]:
    symbol = handle.function()
    if symbol is None:
        return None
    name = full_name(linkage_name(symbol), symbol.symtab, symbol.line)
    where, place = symbol.value().address, handle.find_sal()
    start = 0 if where is None else int(where)
    return texts.of(handle, "name"), name, start, texts.file(place.symtab), place.line or 0


def _place_at(address: int, symbols: Symbols) -> Optional[Place]:
    function = symbols.function_at(address)
    if function is None:
        start = symbols.unwind_tables.start(address)
        return None if start is None else (None, None, start, None, 0)
    file, line = None, 0
    if function.file is not None:
        place = gdb.find_pc_line(address)
        file, line = texts.file(place.symtab), place.line or 0
    return function.name, function.symbol, function.start, file, line


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._stacks: Dict[int, _Stack] = {}
        self._settings: Optional[Tuple[object, ...]] = None

    def forget(self) -> None:
        """The program moved."""
        self._stacks.clear()
        self._settings = None

    def ask_settings(self) -> None:
        """The user may have changed some: GDB does not tell, and to ask takes long."""
        self._settings = None

    @property
    def settings(self) -> Tuple[object, ...]:
        """GDB's, as far as they tell where stacks end."""
        if self._settings is None:
            self._settings = tuple(gdb.parameter(name) for name in _ENDS_STACKS)
        return self._settings

    def of(self, thread: gdb.InferiorThread) -> "_Stack":
        """Find the stack of a thread."""
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            stack = self._stacks[thread.global_num] = _Stack(self._symbols, thread)
        return stack


class _Stack:
    """One thread's stack, as far as it was unwound."""

    def __init__(self, symbols: Symbols, thread: gdb.InferiorThread) -> None:
        self._symbols = symbols
        self._thread = thread
        self._frames: List[StackFrame] = []
        self._handles: List[gdb.Frame] = []
        self._ended = False

    def walk(self) -> Iterator[StackFrame]:
        """Yield the frames, innermost first."""
        index = 0
        while index < len(self._frames) or self._extend():
            yield self._frames[index]
            index += 1

    def handle(self, level: int) -> Optional[gdb.Frame]:
        """Find GDB's frame of a level, and select the thread."""
        select(self._thread)
        while len(self._handles) <= level and self._extend():
            pass
        return self._handles[level] if level < len(self._handles) else None

    def _extend(self) -> bool:
        if self._ended or len(self._frames) >= _MAX_DEPTH:
            return False
        try:
            select(self._thread)
            handle = self._handles[-1].older() if self._handles else gdb.newest_frame()
            # No function returns to 0: a thread's stack may end with such a frame.
            if handle is not None and (handle.pc() or not self._frames):
                newer = self._frames[-1] if self._frames else None
                frame = StackFrame(len(self._frames), handle, newer, self._symbols)
                self._frames.append(frame)
                self._handles.append(handle)
                return True
        except gdb.error:
            pass  # what was unwound so far is all that can be had
        self._ended = True
        return False


def select(thread: gdb.InferiorThread) -> None:
    """Make a thread GDB's current one."""
    selected = gdb.selected_thread()
    if selected is None or selected.global_num != thread.global_num:
        switch(thread)
