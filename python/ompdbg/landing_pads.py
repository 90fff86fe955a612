# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where code goes on when a function that it called throws an exception.

An entry of .eh_frame names a table of its function's calls, each with the place where the unwinder
lets it go on, if it does: there destructors run, or it is caught (Linux Standard Base, chapter
10.6; the table is of the Itanium C++ ABI, exception handling, 7).
"""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Tuple, Type

from ompdbg.unwind_tables import UnwindTables

_OMITTED = 0xFF
_RELATIVE = 0x10  # to where the number itself is
_SIZES = {0x00: (8, False), 0x02: (2, False), 0x03: (4, False), 0x04: (8, False)}
_SIZES.update({kind | 8: (size, True) for kind, (size, _) in _SIZES.items() if kind})
_ULEB = 0x01
_MAX_CALLS = 1 << 14
_MAX_BYTES = 10  # of a number that has any length
_MASK = (1 << 64) - 1


class Unknown(Exception):
    """There is a table, and it is not understood."""


class _Function(NamedTuple):
    start: int
    end: int
    calls: Optional[List[Tuple[int, int, int]]]  # begin, end, where it goes on; None: not known


class LandingPads:
    """Those of all functions, read as they are needed."""

    def __init__(
        self,
        tables: UnwindTables,
        read: Callable[[int, int], bytes],
        errors: Tuple[Type[Exception], ...],
    ) -> None:
        self._tables = tables
        self._read = read
        self._errors = errors
        self._functions: List[_Function] = []

    def of(self, address: int) -> int:
        """Where an exception that comes out of the call there goes on; 0: not in its function.
        Raises Unknown."""
        known = next((one for one in self._functions if one.start <= address < one.end), None)
        if known is None:
            found = self._tables.entry(address)
            if found is None:
                return 0  # nothing is unwound through it
            known = self._function(*found)
            self._functions.insert(0, known)
        if known.calls is None:
            raise Unknown
        return next((pad for begin, end, pad in known.calls if begin <= address < end), 0)

    def _function(self, entry: int, start: int, size: int) -> _Function:
        try:
            return _Function(start, start + size, self._calls(entry, start))
        except (Unknown, *self._errors):  # type: ignore[misc]
            return _Function(start, start + size, None)

    def _calls(self, entry: int, start: int) -> List[Tuple[int, int, int]]:
        reader = _Reader(self._read, entry + 4)
        common = reader.at - reader.fixed(4, False)
        encoding = self._encoding(common)
        reader.at += 8  # where it begins, and its size
        if encoding is None:
            return []
        reader.leb()
        table = reader.pointer(encoding)
        return [] if not table else self._of_table(table, start)

    def _encoding(self, common: int) -> Optional[int]:
        """How the address of the table is written; None if there is none."""
        reader = _Reader(self._read, common + 8)
        version, letters = reader.byte(), ""
        while True:
            code = reader.byte()
            if not code:
                break
            letters += chr(code)
        if not letters.startswith("z") or version not in (1, 3):
            if letters:
                raise Unknown
            return None
        reader.leb()
        reader.leb()
        reader.leb()  # of version 1 a byte: those of registers are less than 128
        reader.leb()
        found = None
        for letter in letters[1:]:
            if letter == "L":
                found = reader.byte()
            elif letter == "P":
                reader.pointer(reader.byte())
            elif letter == "R":
                reader.byte()
            elif letter != "S":
                raise Unknown
        return found

    def _of_table(self, table: int, start: int) -> List[Tuple[int, int, int]]:
        reader = _Reader(self._read, table)
        encoding = reader.byte()
        base = start if encoding == _OMITTED else reader.pointer(encoding)
        if reader.byte() != _OMITTED:
            reader.leb()
        encoding = reader.byte()
        end = reader.leb()
        end += reader.at
        calls: List[Tuple[int, int, int]] = []
        while reader.at < end:
            begin, size, pad = (reader.number(encoding) for _ in range(3))
            reader.leb()
            if len(calls) >= _MAX_CALLS:
                raise Unknown
            if pad:
                calls.append((start + begin, start + begin + size, base + pad))
        return calls


class _Reader:
    """Numbers one after the other."""

    def __init__(self, read: Callable[[int, int], bytes], at: int) -> None:
        self._read = read
        self.at = at

    def byte(self) -> int:
        return self.fixed(1, False)

    def fixed(self, size: int, signed: bool) -> int:
        found = int.from_bytes(self._read(self.at, size), "little", signed=signed)
        self.at += size
        return found

    def leb(self) -> int:
        found = shift = 0
        for _ in range(_MAX_BYTES):
            byte = self.byte()
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return found
        raise Unknown

    def number(self, encoding: int) -> int:
        if encoding == _ULEB:
            return self.leb()
        if encoding not in _SIZES:
            raise Unknown
        return self.fixed(*_SIZES[encoding])

    def pointer(self, encoding: int) -> int:
        """0 if there is none. What it may point to indirectly is of no interest."""
        at = self.at
        found = self.number(encoding & 0x0F)
        if encoding & 0x70 not in (0, _RELATIVE):
            raise Unknown
        return (found + at if found and encoding & _RELATIVE else found) & _MASK
