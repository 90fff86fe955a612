# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libompdbg asks of GDB (gdb-plugin/bridge/), one method for each question that only Python
can ask. Texts come as bytes; None is the answer for what does not exist."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Optional, Tuple, Union

import gdb

from ompdbg.gdb_services import frame_names
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.gdb_services.stack_frame import StackFrame
from ompdbg.members import Type, member
from ompdbg.gdb_services.values import Function, TargetThread
from ompdbg.text import decoded

# GDB's words for the first byte that it could not read.
_UNREADABLE = re.compile(r"Cannot access memory at address (0x[0-9a-f]+)")
_BYTE = 8  # bits
_WORD = 8  # bytes of the unit that holds a bit field

_Thread = Tuple[int, str, int, bool]
_Frame = Tuple[object, int, bool, bool, bool, bool, Optional[str]]
_Place = Tuple[Optional[str], Optional[str], int, Optional[str], int]


class Bridge:
    """GDB for one inferior."""

    def __init__(self, services: GdbServices) -> None:
        self.errors = services.errors  # GDB's answers
        self._services = services
        self._targets: Dict[int, TargetThread] = {}

    # ---- Memory and the user ----------------------------------------------------------------

    def log(self, line: bytes) -> None:
        """Print a line of the OMPD library's."""
        self._services.message(decoded(line))

    def program(self) -> str:
        """Return the path of the program."""
        return self._services.program

    def read_memory(self, address: int, size: int) -> Union[bytes, int]:
        """Return the bytes, or the address of the first that cannot be read."""
        try:
            return self._services.read_memory(address, size)
        except gdb.MemoryError as error:
            found = _UNREADABLE.search(str(error))
            first = address if found is None else int(found.group(1), 16)
            return first if address <= first < address + size else address

    def direct_pid(self) -> int:
        """Return the process whose memory and registers may be read past GDB, or 0."""
        return self._services.direct_pid()

    # ---- Threads ----------------------------------------------------------------------------

    def threads(self) -> List[_Thread]:
        """Return number, label, LWP and whether it runs, of all threads."""
        self._targets = {one.number: one for one in self._services.threads()}
        return [(one.number, one.label, one.lwp, one.running) for one in self._targets.values()]

    def thread_name(self, number: int) -> str:
        """Return the name that the user or the system has for a thread."""
        return self._services.thread_name(self._targets[number])

    def selected(self) -> int:
        """Return the number of the thread that the user has selected, or 0."""
        return self._services.selected_number()

    def pthread(self, number: int) -> Optional[int]:
        """Return the pthread_t of a thread."""
        return self._services.pthread(number)

    def register(self, number: int, name: str) -> Optional[int]:
        """Return a register of a thread's innermost frame."""
        found = self._services.registers(self._targets[number], name)
        return None if found is None else found[0]

    # ---- Stacks -----------------------------------------------------------------------------

    def stack(self, number: int) -> Iterator[_Frame]:
        """Yield the frames of a thread, and what tells one from another."""
        for frame in self._services.stack(self._targets[number]):
            is_tail_call = frame.is_deduced and not frame.is_inlined
            yield (
                frame,
                frame.pc,
                frame.is_call,
                frame.is_signal,
                frame.is_inlined,
                is_tail_call,
                frame.object_file,
            )

    def is_plain(self, pc: int) -> bool:
        """Check that no function is inlined at an address."""
        return not self._services.is_inlined(pc)

    def frame_register(self, number: int, frame: StackFrame, name: str) -> Optional[int]:
        """Return a register of a frame."""
        found = self._services.frame_registers(number, frame.level, name)
        return None if found is None else found[0]

    def place(self, frame: StackFrame) -> Optional[_Place]:
        """Return what is at the place of a frame."""
        if frame.function is None and frame.start is None and frame.file is None:
            return None
        return frame.function, frame.symbol, frame.start or 0, frame.file, frame.line or 0

    def arguments(self, number: int, frame: StackFrame) -> List[Tuple[str, str]]:
        """Return names and values."""
        return [*self._services.arguments(number, frame.level)]

    def locals(self, number: int, frame: StackFrame) -> List[Tuple[str, str]]:
        """Return names and values."""
        return [*self._services.locals(number, frame.level)]

    def frame_name(self, number: int, frame: StackFrame, address: int) -> Optional[str]:
        """Return what a frame knows an address by."""
        handle = self._services.frame_of(number, frame.level)
        return None if handle is None else frame_names.find(handle, address)

    # ---- Names ------------------------------------------------------------------------------

    def object_at(self, address: int) -> Optional[Tuple[str, Optional[str], bool]]:
        """Return path, path on this machine, and whether it is the program."""
        path = self._services.object_of(address)
        if path is not None:
            return path, self._services.opened(path), False
        if not self._services.is_in_program(address):
            return None
        return self._services.program, self._services.opened(self._services.program), True

    def symbol_address(
        self, name: bytes, file_name: Optional[bytes], number: int
    ) -> Optional[int]:
        """Return the address of a symbol, in a thread if one is given."""
        file = None if file_name is None else decoded(file_name)
        return self._services.symbol_address(decoded(name), file, number or None)

    def symbol_at(self, address: int) -> Optional[Tuple[str, int, Optional[str]]]:
        """Return name, distance, and path of the shared object."""
        found = self._services.symbol_at(address)
        return found

    def function_at(self, address: int) -> Optional[_Place]:
        """Return the function that covers an address."""
        return _place(self._services.function_at(address))

    def function_named(self, symbol: bytes) -> Optional[_Place]:
        """Return the function with a linkage name."""
        return _place(self._services.function_named(decoded(symbol)))

    def variable_at(self, address: int, is_lock: bool, near: int) -> Optional[str]:
        """Return the name of what begins at an address."""
        return self._services.variable_at(address, is_lock, near or None)

    def layout(
        self, structure: bytes, field: Optional[bytes], file_name: Optional[bytes]
    ) -> Optional[Tuple[int, int, int, int]]:
        """Return offset, size, and the bits of a bit field."""
        file = None if file_name is None else decoded(file_name)
        found = self._services.structure(decoded(structure), file)
        if found is None or field is None:
            return None if found is None else (0, found.size, 0, 0)
        kind: Type = found
        bit, bits = 0, 0
        for name in decoded(field).split("."):
            inner = None if bits else member(kind.plain(), name)
            if inner is None:
                return None
            kind, bit, bits = inner.kind, bit + inner.bit, inner.bits
        return (0, _WORD, bit, bits) if bits else (bit // _BYTE, kind.size, 0, 0)


def _place(found: Optional[Function]) -> Optional[_Place]:
    if found is None:
        return None
    return found.name, found.symbol, found.start, found.file, found.line or 0
