# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a function has moved the stack pointer at a place in it, from the call frame information
that every shared object of x86-64 carries for unwinding (.eh_frame, DWARF 5, section 6.4).

Only what is as simple as that is answered: where the frame is found from another register, or by
an expression, the answer is that it is not known.
"""

from __future__ import annotations

import struct
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

Read = Callable[[int, int], bytes]

# The stack pointer and the return address among DWARF's registers of x86-64.
_RSP, _RETURN = 7, 16
_WORD = 8

_PT_LOAD, _PT_EH_FRAME = 1, 0x6474E550
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_ELF_64_LITTLE = b"\x7fELF\x02\x01"

# Encodings of pointers: those that linkers use for the table, and for the entries themselves.
_TABLE_ENCODINGS = b"\x1b\x03\x3b"
_RELATIVE_4 = 0x1B

# Operations with operands that do not matter here, by the kinds of their operands.
_IGNORED = {
    0x00: "",  # nop
    0x2E: "u",  # GNU_args_size
}
# Operations that give a register a rule: operands after the register.
_REGISTER_RULES = {0x05: "u", 0x06: "", 0x07: "", 0x08: "", 0x09: "u", 0x10: "b", 0x11: "s"}
_REGISTER_RULES.update({0x14: "u", 0x15: "s", 0x16: "b"})
_ADVANCES = {0x02: "<B", 0x03: "<H", 0x04: "<I"}


class Frame(NamedTuple):
    """What the call frame information says of a place."""

    size: int  # from the stack pointer there to the caller's, whose return address lies below
    outermost: bool  # nobody called


class Unknown(Exception):
    """Not told, or not in the simple way."""


class _Row(NamedTuple):
    register: int
    offset: int
    returns: Optional[int]  # where the return address is saved; None: nowhere


class _Bytes:
    """Reads through bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def more(self) -> bool:
        return self.at < len(self._data)

    def take(self, form: str) -> int:
        value: int = struct.unpack_from(form, self._data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def text(self) -> bytes:
        end = self._data.index(0, self.at)
        found = self._data[self.at : end]
        self.at = end + 1
        return found

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.take("<B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def sleb(self) -> int:
        begin = self.at
        value = self.uleb()
        bits = 7 * (self.at - begin)
        return value - (1 << bits) if value >> (bits - 1) else value

    def operands(self, kinds: str) -> List[int]:
        """u, s: numbers; b: a block, of which only the size is returned."""
        found = []
        for kind in kinds:
            found.append(self.sleb() if kind == "s" else self.uleb())
            if kind == "b":
                self.at += found[-1]
        return found


class CallFrames:
    """The call frame information of one object, read from the memory of a process."""

    def __init__(self, read: Read, base: int) -> None:
        """base: where the begin of its file is. Raises Unknown if it has no such table."""
        self._read = read
        self._frames: Dict[int, Optional[Frame]] = {}
        header = self._find_header(base)
        if read(header + 1, 3) != _TABLE_ENCODINGS:
            raise Unknown
        self._header = header
        self._count = int.from_bytes(read(header + 8, 4), "little")
        self._table = header + 12

    def _find_header(self, base: int) -> int:
        elf = self._read(base, 64)
        if elf[:6] != _ELF_64_LITTLE:
            raise Unknown
        (offset,) = struct.unpack_from("<Q", elf, 32)
        (number,) = struct.unpack_from("<H", elf, 56)
        headers = self._read(base + offset, number * _PROGRAM_HEADER.size)
        first = frames = None
        for kind, _, _, address, *_ in _PROGRAM_HEADER.iter_unpack(headers):
            if kind == _PT_LOAD and first is None:
                first = address
            elif kind == _PT_EH_FRAME:
                frames = address
        if first is None or frames is None:
            raise Unknown
        return int(base + frames - first)

    def at(self, address: int) -> Frame:
        """The frame of the function at an instruction. Raises Unknown."""
        if address not in self._frames:
            try:
                self._frames[address] = self._find(address)
            except (Unknown, struct.error, ValueError):
                self._frames[address] = None
        found = self._frames[address]
        if found is None:
            raise Unknown
        return found

    def _find(self, address: int) -> Frame:
        entry = self._entry_of(address)
        row, returns_from = self._row(entry, address)
        if row.returns is None:
            return Frame(0, True)
        if row.register != _RSP or row.returns != -_WORD or returns_from != _RETURN:
            raise Unknown
        return Frame(row.offset, False)

    def _entry_of(self, address: int) -> int:
        """The table is sorted by the functions' begins, as distances from the header."""
        low, high = 0, self._count
        while high - low > 1:
            middle = (low + high) // 2
            begin, _ = struct.unpack("<ii", self._read(self._table + 8 * middle, 8))
            low, high = (middle, high) if self._header + begin <= address else (low, middle)
        if low == high:
            raise Unknown
        entry = int.from_bytes(self._read(self._table + 8 * low + 4, 4), "little", signed=True)
        return self._header + entry

    def _content(self, address: int) -> Tuple[_Bytes, int]:
        """The entry at an address, behind its length, and where that is."""
        (length,) = struct.unpack("<I", self._read(address, 4))
        if not 0 < length < 1 << 20:
            raise Unknown
        return _Bytes(self._read(address + 4, length)), address + 4

    def _row(self, entry: int, address: int) -> Tuple[_Row, int]:
        """The rules in force at an address, and which register is the return address."""
        code, where = self._content(entry)
        back = code.take("<I")
        if back == 0:
            raise Unknown
        common, _ = self._content(where - back)
        if common.take("<I") != 0 or common.take("<B") not in (1, 3):
            raise Unknown
        # R: how pointers are encoded. Others are of no simple function.
        if common.text() != b"zR":
            raise Unknown
        code_factor, data_factor, returns = common.uleb(), common.sleb(), common.uleb()
        if common.uleb() != 1 or common.take("<B") != _RELATIVE_4:
            raise Unknown
        place = where + code.at
        begin = place + code.take("<i")
        size = code.take("<I")
        if not begin <= address < begin + size:
            raise Unknown
        code.at += code.uleb()
        program = _Program(code_factor, data_factor)
        program.run(common, begin, None)
        program.first = program.row
        program.run(code, begin, address)
        return program.row, returns


class _Program:
    """Executes the operations that lead to a row."""

    def __init__(self, code_factor: int, data_factor: int) -> None:
        self._code_factor = code_factor
        self._data_factor = data_factor
        self._kept: List[_Row] = []
        self.row = _Row(-1, 0, None)
        self.first = self.row

    def run(self, code: _Bytes, begin: int, until: Optional[int]) -> None:
        """Up to the row that holds at `until`."""
        at = begin
        while code.more():
            operation = code.take("<B")
            step = self._advance(operation, code)
            if step is None:
                self._execute(operation, code)
                continue
            at += step * self._code_factor
            if until is not None and at > until:
                return

    def _advance(self, operation: int, code: _Bytes) -> Optional[int]:
        if operation >> 6 == 1:
            return operation & 0x3F
        form = _ADVANCES.get(operation)
        return None if form is None else code.take(form)

    def _execute(self, operation: int, code: _Bytes) -> None:
        row = self.row
        if operation >> 6 == 2:  # offset
            self._save(operation & 0x3F, code.uleb() * self._data_factor)
        elif operation >> 6 == 3:  # restore
            if operation & 0x3F == _RETURN:
                self.row = row._replace(returns=self.first.returns)
        elif operation == 0x05:  # offset_extended
            register, offset = code.operands("uu")
            self._save(register, offset * self._data_factor)
        elif operation == 0x07:  # undefined
            self._save(code.uleb(), None)
        elif operation in _REGISTER_RULES:
            if code.operands("u" + _REGISTER_RULES[operation])[0] == _RETURN:
                raise Unknown
        elif operation == 0x0A:  # remember_state
            self._kept.append(row)
        elif operation == 0x0B:  # restore_state
            if not self._kept:
                raise Unknown
            self.row = self._kept.pop()
        elif operation == 0x0C:  # def_cfa
            register, offset = code.operands("uu")
            self.row = row._replace(register=register, offset=offset)
        elif operation == 0x0D:  # def_cfa_register
            self.row = row._replace(register=code.uleb())
        elif operation == 0x0E:  # def_cfa_offset
            self.row = row._replace(offset=code.uleb())
        elif operation == 0x0F:  # def_cfa_expression
            code.operands("b")
            self.row = row._replace(register=-1)
        elif operation in _IGNORED:
            code.operands(_IGNORED[operation])
        else:
            raise Unknown

    def _save(self, register: int, offset: Optional[int]) -> None:
        if register == _RETURN:
            self.row = self.row._replace(returns=offset)
