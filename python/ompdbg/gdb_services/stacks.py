# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of a program's threads in GDB, unwound lazily and once per stop.

GDB unwinds the selected thread only. A stack therefore selects its thread again each time that it
is asked for one more frame; who walks many stacks walks them one after another.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.gdb_services.selection import switch
from ompdbg.gdb_services.stack_frame import Code, StackFrame
from ompdbg.gdb_services.symbols import Symbols

# A stack deeper than this is taken for a damaged one.
_MAX_DEPTH = 100_000
_ENDS_STACKS = ("backtrace past-main", "backtrace past-entry", "backtrace limit")


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._stacks: Dict[int, _Stack] = {}
        self._code: Dict[int, Code] = {}
        self._settings: Optional[Tuple[object, ...]] = None

    def forget(self) -> None:
        """The program moved."""
        self._stacks.clear()
        self._settings = None

    def forget_code(self) -> None:
        """Object files came or went."""
        self.forget()
        self._code.clear()

    def ask_settings(self) -> None:
        """The user may have changed some: GDB does not tell, and to ask takes long."""
        self._settings = None

    @property
    def settings(self) -> Tuple[object, ...]:
        """GDB's, as far as they tell where stacks end."""
        if self._settings is None:
            self._settings = tuple(gdb.parameter(name) for name in _ENDS_STACKS)
        return self._settings

    def walk(self, thread: gdb.InferiorThread) -> Iterator[StackFrame]:
        """Yield the frames of a thread, innermost first."""
        return self._stack(thread).walk()

    def handle(self, thread: gdb.InferiorThread, level: int) -> Optional[gdb.Frame]:
        """Find GDB's frame of a level, and select the thread."""
        return self._stack(thread).handle(level)

    def _stack(self, thread: gdb.InferiorThread) -> "_Stack":
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            stack = self._stacks[thread.global_num] = _Stack(self, thread)
        return stack

    def code(self, handle: gdb.Frame, pc: int, is_call: bool, cached: bool) -> Code:
        """Find what is at the place of a frame."""
        address = pc - 1 if is_call else pc
        code = self._code.get(address) if cached else None
        if code is None:
            path = self._symbols.object_of(address)
            foreign = _ompdbg.is_runtime_object(path) or _ompdbg.is_system_object(path)
            code = Code(self._symbols, address, None if foreign and cached else handle)
            if cached:
                self._code[address] = code
        return code

    def object_of(self, pc: int, is_call: bool) -> Optional[str]:
        """Return the path of the shared object of a frame's code."""
        return self._symbols.object_of(pc - 1 if is_call else pc)


class _Stack:
    """One thread's stack, as far as it was unwound."""

    def __init__(self, stacks: Stacks, thread: gdb.InferiorThread) -> None:
        self._stacks = stacks
        self._thread = thread
        self._frames: List[StackFrame] = []
        self._handles: List[gdb.Frame] = []
        self._ended = False

    def walk(self) -> Iterator[StackFrame]:
        index = 0
        while index < len(self._frames) or self._extend():
            yield self._frames[index]
            index += 1

    def handle(self, level: int) -> Optional[gdb.Frame]:
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
                self._append(handle)
                return True
        except gdb.error:
            pass  # what was unwound so far is all that can be had
        self._ended = True
        return False

    def _append(self, handle: gdb.Frame) -> None:
        pc = handle.pc()
        kind = handle.type()
        newer = self._frames[-1] if self._frames else None
        in_inlined = newer is not None and newer.is_inlined
        if newer is None or newer.is_signal or kind == gdb.SIGTRAMP_FRAME:
            is_call = False
        elif in_inlined:
            is_call = newer.is_call
        else:
            is_call = True
        # The innermost frame may hide frames that GDB has not stepped into yet.
        cached = newer is not None and not in_inlined and kind != gdb.INLINE_FRAME
        code = self._stacks.code(handle, pc, is_call, cached)
        object_file = self._stacks.object_of(pc, is_call)
        frame = StackFrame(len(self._frames), pc, is_call, kind, object_file, code)
        self._frames.append(frame)
        self._handles.append(handle)


def select(thread: gdb.InferiorThread) -> None:
    """Make a thread GDB's current one."""
    selected = gdb.selected_thread()
    if selected is None or selected.global_num != thread.global_num:
        switch(thread)
