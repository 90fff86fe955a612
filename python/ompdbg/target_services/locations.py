# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where values are: expressions of DWARF 5 (2.5, 2.6) on the registers of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Protocol, Tuple

from ompdbg.target_services import operations

if TYPE_CHECKING:
    from _target import Expression

_WORD_SIZE = 8
_MAX_OPERATIONS = 10_000
_AFTER_A_VALUE = (operations.PIECE, operations.STACK_VALUE, operations.NOP)
_VALUES = (operations.IMPLICIT_VALUE, *operations.CONST_TYPES)


class OptimizedOut(Exception):
    """The value is nowhere any more."""


class Unavailable(Exception):
    """The value cannot be had; with the reason."""

    def __init__(self, reason: str, text: Optional[str] = None) -> None:
        """`text`: what stands for the value, if it isn't the reason."""
        super().__init__(reason)
        self.text = f"<unavailable: {reason}>" if text is None else text


def unsure() -> Unavailable:
    """What may be wrong."""
    return Unavailable("it may be wrong", "<unavailable>")


def no_memory(address: int) -> Unavailable:
    """Memory that cannot be read."""
    reason = f"Cannot access memory at address {address:#x}"
    return Unavailable(reason, f"<error: {reason}>")


class Bytes(NamedTuple):
    """A value as it is stored, where it is in memory, and which parts of it are lost."""

    data: bytes
    address: Optional[int] = None
    lost: Tuple[Tuple[int, int], ...] = ()

    def part(self, offset: int, size: int) -> bytes:
        """Some bytes of it."""
        if any(low < offset + size and offset < high for low, high in self.lost):
            raise OptimizedOut
        found = self.data[offset : offset + size]
        if len(found) < size:
            raise Unavailable("the value is larger than what holds it")
        return found


class Surroundings(Protocol):
    """What expressions ask of a frame."""

    bias: int

    def register(self, number: int) -> int:
        """By its number in DWARF. Raises Unavailable."""

    def frame_base(self) -> int:
        """Of the function. Raises Unavailable."""

    def caller_stack(self) -> int:
        """The stack pointer of the caller after the call (DW_OP_call_frame_cfa)."""

    def entry_register(self, number: int) -> int:
        """A register as it was when the function began. Raises OptimizedOut."""

    def thread_local(self, offset: int) -> int:
        """Address of a thread-local variable. Raises Unavailable."""

    def read(self, address: int, size: int) -> bytes:
        """Memory. Raises Unavailable."""


class _Place(NamedTuple):
    """Where a value or a piece of one is: in memory, or nowhere but here."""

    address: Optional[int]
    data: bytes = b""


class Evaluation:
    """Of one expression."""

    def __init__(self, frame: Surroundings, whole: Optional[int] = None) -> None:
        """`whole`: address of the value of which something is computed."""
        self._frame = frame
        self._object = whole
        self._stack: List[int] = []
        self._data: Optional[bytes] = None  # a value that has no address
        self._pieces: List[Tuple[int, Optional[_Place]]] = []
        self._is_synthetic = False  # a pointer to what is nowhere in memory

    def value(self, expression: "Expression", size: int) -> Bytes:
        """The value of a variable."""
        self._run(expression)
        if not self._pieces:
            return self._whole(size)
        data, lost, at = b"", [], 0
        for length, place in self._pieces:
            if place is None:
                lost.append((at, at + length))
                data += bytes(length)
            else:
                data += self._bytes_of(place, length)
            at += length
        if sum(high - low for low, high in lost) >= size:
            raise OptimizedOut
        return Bytes(data, None, tuple(lost))

    def number(self, expression: "Expression") -> int:
        """What the expression computes."""
        self._run(expression)
        if self._pieces or (self._data is None and not self._stack):
            raise Unavailable("it is no number")
        if self._data is not None:
            return int.from_bytes(self._data[:_WORD_SIZE], "little")
        return self._stack[-1]

    def _whole(self, size: int) -> Bytes:
        place = self._take()
        if place is None and self._is_synthetic:
            raise Unavailable("the pointer is nowhere", "<synthetic pointer>")
        if place is None:
            raise OptimizedOut
        return Bytes(self._bytes_of(place, size), place.address)

    def _bytes_of(self, place: _Place, size: int) -> bytes:
        if place.address is not None:
            return self._frame.read(place.address, size)
        return place.data[:size]

    def _take(self) -> Optional[_Place]:
        """What the operations up to here were for."""
        data, stack = self._data, self._stack
        self._data, self._stack = None, []
        if data is not None:
            return _Place(None, data)
        return _Place(stack[-1]) if stack else None

    # ---- Operations -------------------------------------------------------------------------

    def _run(self, expression: "Expression") -> None:
        if len(expression) > _MAX_OPERATIONS:
            raise Unavailable("where it is takes too long to tell")
        try:
            for code, number, other, more in expression:
                self._do(code, number, other, more)
        except IndexError:
            raise Unavailable("the debug information is damaged") from None

    def _do(self, code: int, number: int, other: int, more: object) -> None:
        register = operations.register_of(code, number)
        base = operations.base_register_of(code, number, other)
        if self._data is not None and code not in _AFTER_A_VALUE:
            raise Unavailable(f"debug information computes it with operation {code:#x}")
        if register is not None:
            size = _WORD_SIZE if register < operations.VECTORS else 2 * _WORD_SIZE
            self._data = self._frame.register(register).to_bytes(size, "little")
        elif base is not None:
            self._push(self._frame.register(base[0]) + base[1])
        elif code == operations.PIECE:
            self._pieces.append((number, self._take()))
        elif code == operations.STACK_VALUE:
            if self._data is None:
                self._data = self._stack[-1].to_bytes(_WORD_SIZE, "little")
        elif code in _VALUES and isinstance(more, bytes):
            self._data = more
        elif code in operations.IMPLICIT_POINTERS:
            self._is_synthetic = True
        elif code == operations.PARAMETER_REF:
            raise OptimizedOut
        elif code in operations.ENTRY_VALUES and isinstance(more, list):
            self._push(self._entry_value(more))
        elif code == operations.PUSH_OBJECT and self._object is not None:
            self._push(self._object)
        elif code in _OF_THE_FRAME:
            self._push(_OF_THE_FRAME[code](self._frame, number, self._stack))
        elif not operations.compute(code, number, self._stack):
            raise Unavailable(f"debug information computes it with operation {code:#x}")

    def _push(self, value: int) -> None:
        self._stack.append(value & operations.WORD)

    def _entry_value(self, expression: "Expression") -> int:
        code, number, _, _ = expression[0]
        register = operations.register_of(code, number)
        if register is None or len(expression) > 1:
            raise OptimizedOut
        return self._frame.entry_register(register)


def _read(frame: Surroundings, size: int, stack: List[int]) -> int:
    return int.from_bytes(frame.read(stack.pop(), size), "little")


_OF_THE_FRAME: Dict[int, Callable[[Surroundings, int, List[int]], int]] = {
    operations.ADDR: lambda frame, number, stack: number + frame.bias,
    operations.DEREF: lambda frame, number, stack: _read(frame, _WORD_SIZE, stack),
    operations.DEREF_SIZE: _read,
    operations.FBREG: lambda frame, number, stack: frame.frame_base() + number,
    operations.CALL_FRAME_CFA: lambda frame, number, stack: frame.caller_stack(),
    operations.FORM_TLS: lambda frame, number, stack: frame.thread_local(stack.pop()),
    operations.GNU_TLS: lambda frame, number, stack: frame.thread_local(stack.pop()),
}
