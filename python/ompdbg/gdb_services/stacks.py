# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of a program's threads in GDB, unwound lazily and once per stop.

GDB unwinds the selected thread only. A stack therefore selects its thread again each time that it
is asked for one more frame; who walks many stacks walks them one after another.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

import gdb

from ompdbg import frames
from ompdbg.gdb_services.outlined import full_name
from ompdbg.gdb_services.symbols import Symbols
from ompdbg.services import Variable

# A stack deeper than this is taken for a damaged one.
_MAX_DEPTH = 100_000


class _Code:
    """What is known of a frame's place in the program; worked out when it is asked for."""

    __slots__ = ("_symbols", "_address", "_handle", "_function", "_symbol", "_start", "_place")

    def __init__(self, symbols: Symbols, address: int, handle: Optional[gdb.Frame]) -> None:
        self._symbols = symbols
        self._address = address
        self._handle = handle
        self._place: Optional[Tuple[Optional[str], Optional[int]]] = None
        self._start: Optional[int] = None
        self._function: Optional[str] = None
        self._symbol: Optional[str] = None
        if handle is not None:
            self._from_frame(handle)
            self._handle = None

    def _from_frame(self, handle: gdb.Frame) -> None:
        """Frames of the program are looked at at once: among frames inlined into one another
        the address alone does not tell which is which."""
        symbol = handle.function()
        if symbol is None:
            return
        self._function = handle.name()
        self._symbol = full_name(symbol.linkage_name, symbol.symtab, symbol.line)
        where = symbol.value().address
        self._start = int(where) if where is not None else None
        place = handle.find_sal()
        file = place.symtab.filename if place.symtab is not None else None
        self._place = (file, place.line or None)

    def _from_address(self) -> None:
        function = self._symbols.function_at(self._address)
        if function is not None:
            self._function, self._symbol = function.name, function.symbol
            self._start = function.start
            if self._place is None and function.file is not None:
                place = gdb.find_pc_line(self._address)
                file = place.symtab.filename if place.symtab is not None else None
                self._place = (file, place.line or None)
        if self._place is None:
            self._place = (None, None)

    def _known(self) -> None:
        if self._place is None:
            self._from_address()

    @property
    def function(self) -> Optional[str]:
        self._known()
        return self._function

    @property
    def symbol(self) -> Optional[str]:
        self._known()
        return self._symbol

    @property
    def start(self) -> Optional[int]:
        self._known()
        return self._start

    @property
    def place(self) -> Tuple[Optional[str], Optional[int]]:
        self._known()
        assert self._place is not None
        return self._place


class StackFrame:
    """One frame, as the model wants it."""

    __slots__ = ("level", "pc", "is_call", "is_signal", "is_inlined", "object_file", "_code")

    def __init__(
        self,
        level: int,
        pc: int,
        is_call: bool,
        frame_type: int,
        object_file: Optional[str],
        code: _Code,
    ) -> None:
        self.level = level
        self.pc = pc
        self.is_call = is_call
        self.is_signal = frame_type == gdb.SIGTRAMP_FRAME
        self.is_inlined = frame_type == gdb.INLINE_FRAME
        self.object_file = object_file
        self._code = code

    @property
    def function(self) -> Optional[str]:
        return self._code.function

    @property
    def symbol(self) -> Optional[str]:
        return self._code.symbol

    @property
    def start(self) -> Optional[int]:
        return self._code.start

    @property
    def file(self) -> Optional[str]:
        return self._code.place[0]

    @property
    def line(self) -> Optional[int]:
        return self._code.place[1]


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._stacks: Dict[int, _Stack] = {}
        self._code: Dict[int, _Code] = {}

    def forget(self) -> None:
        """The program moved."""
        self._stacks.clear()

    def forget_code(self) -> None:
        """Object files came or went."""
        self._stacks.clear()
        self._code.clear()

    def walk(self, thread: gdb.InferiorThread) -> Iterator[StackFrame]:
        """Frames of a thread, innermost first."""
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            stack = self._stacks[thread.global_num] = _Stack(self, thread)
        return stack.walk()

    def handle(self, thread: gdb.InferiorThread, level: int) -> Optional[gdb.Frame]:
        """GDB's frame of a level that was walked over; selects the thread."""
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            select(thread)
            return None
        return stack.handle(level)

    def code(self, handle: gdb.Frame, pc: int, is_call: bool, cached: bool) -> _Code:
        """What is at the place of a frame."""
        address = pc - 1 if is_call else pc
        code = self._code.get(address) if cached else None
        if code is None:
            path = self._symbols.object_of(address)
            foreign = frames.is_runtime_object(path) or frames.is_system_object(path)
            code = _Code(self._symbols, address, None if foreign else handle)
            if cached:
                self._code[address] = code
        return code

    def object_of(self, pc: int, is_call: bool) -> Optional[str]:
        """Path of the shared object of a frame's code."""
        return self._symbols.object_of(pc - 1 if is_call else pc)


class _Stack:
    """One thread's stack, as far as it was unwound."""

    def __init__(self, stacks: Stacks, thread: gdb.InferiorThread) -> None:
        self._stacks = stacks
        self._thread = thread
        self._frames: List[StackFrame] = []
        self._handles: List[gdb.Frame] = []
        self._ended = False
        self._frame_is_call = False  # of the physical frame to which the next frame belongs

    def walk(self) -> Iterator[StackFrame]:
        index = 0
        while index < len(self._frames) or self._extend():
            yield self._frames[index]
            index += 1

    def handle(self, level: int) -> Optional[gdb.Frame]:
        select(self._thread)
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
        if newer is None or newer.is_signal:
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
    """Makes a thread GDB's current one."""
    selected = gdb.selected_thread()
    if selected is None or selected.global_num != thread.global_num:
        thread.switch()


# ---- Variables ------------------------------------------------------------------------------


def arguments(handle: gdb.Frame) -> List[Variable]:
    """Arguments of a frame's function."""
    function = handle.function()
    if function is None:
        return []
    block: Optional[gdb.Block] = handle.block()
    while block is not None and block.function is None:
        block = block.superblock
    if block is None:
        return []
    return [_variable(symbol, handle) for symbol in block if symbol.is_argument]


def local_variables(handle: gdb.Frame) -> List[Variable]:
    """Local variables, those of the innermost block first."""
    found: List[Variable] = []
    try:
        block: Optional[gdb.Block] = handle.block()
    except RuntimeError:
        return found  # no debug information
    while block is not None and not block.is_global and not block.is_static:
        found.extend(
            _variable(symbol, handle)
            for symbol in block
            if symbol.is_variable and not symbol.is_argument
        )
        if block.function is not None:
            break
        block = block.superblock
    return found


def _variable(symbol: gdb.Symbol, handle: gdb.Frame) -> Variable:
    try:
        text = symbol.value(handle).format_string()
    except (gdb.error, ValueError) as error:
        text = f"<error: {error}>"
    return Variable(symbol.name, text)
