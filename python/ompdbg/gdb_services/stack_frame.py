# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One frame of a stack in GDB, and what is at its place in the program."""

from __future__ import annotations

from typing import Optional, Tuple

import gdb

from ompdbg.gdb_services import texts
from ompdbg.gdb_services.outlined import full_name, linkage_name
from ompdbg.gdb_services.symbols import Symbols


class Code:
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
        self._function = texts.of(handle, "name")
        self._symbol = full_name(linkage_name(symbol), symbol.symtab, symbol.line)
        where = symbol.value().address
        self._start = int(where) if where is not None else None
        place = handle.find_sal()
        file = texts.file(place.symtab)
        self._place = (file, place.line or None)

    def _from_address(self) -> None:
        function = self._symbols.function_at(self._address)
        if function is not None:
            self._function, self._symbol = function.name, function.symbol
            self._start = function.start
            if self._place is None and function.file is not None:
                place = gdb.find_pc_line(self._address)
                file = texts.file(place.symtab)
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
        if self._start is None and self._function is None:
            self._start = self._symbols.unwind_tables.start(self._address)
        return self._start

    @property
    def place(self) -> Tuple[Optional[str], Optional[int]]:
        self._known()
        assert self._place is not None
        return self._place


class StackFrame:
    """One frame, as the model wants it."""

    __slots__ = (
        "level",
        "pc",
        "is_call",
        "is_signal",
        "is_inlined",
        "is_deduced",
        "object_file",
        "_code",
    )

    def __init__(
        self,
        level: int,
        pc: int,
        is_call: bool,
        frame_type: int,
        object_file: Optional[str],
        code: Code,
    ) -> None:
        self.level = level
        self.pc = pc
        self.is_call = is_call
        self.is_signal = frame_type == gdb.SIGTRAMP_FRAME
        self.is_inlined = frame_type == gdb.INLINE_FRAME
        # GDB infers frames that left no trace on the stack from the addresses of those that did.
        self.is_deduced = self.is_inlined or frame_type == gdb.TAILCALL_FRAME
        self.object_file = object_file
        self._code = code

    @property
    def code(self) -> object:
        """What frames at the same place have in common."""
        return self._code

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
