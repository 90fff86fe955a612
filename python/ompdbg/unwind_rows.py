# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an entry of .eh_frame tells of the stack pointer (DWARF 5, 6.4; Linux Standard Base, 10.6).

LLVM's debug information has places of variables relative to the stack pointer as it is once the
function has made its frame. Where the function pushes arguments of a call, the pointer is lower.
"""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Tuple

_Read = Callable[[int, int], bytes]

_MAX_SIZE = 1 << 16
_POINTER = 4  # to the other entry, and twice that of the function's begin and size
_STACK_POINTER, _RETURN_ADDRESS = 7, 16
_ADVANCE, _OFFSET, _RESTORE = 1, 2, 3  # in the upper two bits
_ADVANCE_SIZES = {0x02: 1, 0x03: 2, 0x04: 4}
_NOP, _REMEMBER, _RESTORE_STATE = 0x00, 0x0A, 0x0B
_CFA, _CFA_REGISTER, _CFA_OFFSET, _ARGUMENTS = 0x0C, 0x0D, 0x0E, 0x2E
# Of one register, with this number of other operands.
_OF_REGISTER = {0x05: 1, 0x06: 0, 0x07: 0, 0x08: 0, 0x09: 1}


class _Row(NamedTuple):
    """The caller's stack pointer, as the sum of a register and an offset."""

    register: int
    offset: int


class _Bytes:
    """What is decoded."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, size: int) -> int:
        self.at += size
        if self.at > len(self.data):
            raise ValueError
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def skip(self, size: int) -> None:
        self.at += size

    def leb(self) -> int:
        """Of any sign: those of a negative number are not asked for."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self) -> bytes:
        end = self.data.index(b"\0", self.at)
        found, self.at = self.data[self.at : end], end + 1
        return found


def pushed(read: _Read, entry: int, address: int) -> Optional[int]:
    """How much was pushed by the function of that entry, at an address in it. None where another
    register than the stack pointer tells where the frame is. Raises ValueError."""
    try:
        here, body = _rows(read, entry, address)
    except IndexError:
        raise ValueError from None
    if here.register != _STACK_POINTER:
        return None
    if body.register != _STACK_POINTER:
        raise ValueError
    return here.offset - body.offset


def _rows(read: _Read, entry: int, address: int) -> Tuple[_Row, _Row]:
    """At the address, and once the frame is made."""
    own = _entry(read, entry)
    common = _entry(read, entry + _POINTER - own.number(_POINTER))
    begin = entry + 2 * _POINTER + ((own.number(4) ^ 1 << 31) - (1 << 31))
    own.number(4)
    factor = _skip_head(common)
    own.skip(own.leb())
    rows = _Rows(factor)
    rows.run(common, begin)
    first = rows.row
    rows.run(own, begin)
    return rows.at(address), rows.body(first)


def _entry(read: _Read, at: int) -> _Bytes:
    size = int.from_bytes(read(at, _POINTER), "little")
    if not 0 < size < _MAX_SIZE:
        raise ValueError
    return _Bytes(read(at + _POINTER, size))


def _skip_head(common: _Bytes) -> int:
    """Up to the instructions; answers the unit of code addresses."""
    if common.number(4) or common.number(1) != 1 or not common.text().startswith(b"z"):
        raise ValueError
    factor = common.leb()
    common.leb()
    if common.number(1) != _RETURN_ADDRESS:
        raise ValueError
    common.skip(common.leb())
    return factor


class _Rows:
    """Of a function, by the address from which each holds."""

    def __init__(self, factor: int) -> None:
        self._factor = factor
        self._known: List[Tuple[int, _Row]] = []
        self._kept: List[_Row] = []
        self._saved: Optional[int] = None  # where the first register was told as saved
        self.row = _Row(-1, 0)

    def at(self, address: int) -> _Row:
        return [row for begin, row in self._known if begin <= address][-1]

    def body(self, first: _Row) -> _Row:
        """Once the frame is made: then LLVM tells at once which registers are saved; if none is,
        by the first change."""
        if self._saved is not None:
            return self.at(self._saved)
        return next((row for _, row in self._known if row != first), first)

    def run(self, code: _Bytes, address: int) -> None:
        while code.at < len(code.data):
            operation = code.number(1)
            upper, lower = operation >> 6, operation & 0x3F
            if upper == _ADVANCE or operation in _ADVANCE_SIZES:
                self._known.append((address, self.row))
                size = _ADVANCE_SIZES.get(operation)
                address += self._factor * (lower if size is None else code.number(size))
            elif upper == _OFFSET or operation in _OF_REGISTER:
                register = lower if upper == _OFFSET else code.leb()
                if upper == _OFFSET or _OF_REGISTER[operation]:
                    code.leb()
                if register != _RETURN_ADDRESS and self._saved is None:
                    self._saved = address
            elif upper != _RESTORE and operation not in (_NOP, _ARGUMENTS):
                self._change(operation, code)
            elif operation == _ARGUMENTS:
                code.leb()
        self._known.append((address, self.row))

    def _change(self, operation: int, code: _Bytes) -> None:
        if operation == _CFA:
            self.row = _Row(code.leb(), code.leb())
        elif operation == _CFA_REGISTER:
            self.row = self.row._replace(register=code.leb())
        elif operation == _CFA_OFFSET:
            self.row = self.row._replace(offset=code.leb())
        elif operation == _REMEMBER:
            self._kept.append(self.row)
        elif operation == _RESTORE_STATE:
            self.row = self._kept.pop()
        else:
            raise ValueError
