# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where functions without symbols begin: what code is unwound by tells it, and is never stripped.

The section .eh_frame_hdr has a sorted table of the places where functions begin, with the entry of
.eh_frame of each, which tells where it ends (Linux Standard Base, chapter 10.6). A function that
was split begins in several places.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Optional, Tuple, Type

# The encodings that linkers use on this machine; of others nothing is told.
_HEAD = bytes((1, 0x1B, 0x03, 0x3B))
_COUNT, _TABLE, _ENTRY = 8, 12, 8
_BEGIN, _SIZE = 8, 12  # in an entry of .eh_frame
_MAX_SIZE = 1 << 31

_Read = Callable[[int, int], bytes]


class UnwindTables:
    """Those of the program and its libraries."""

    def __init__(
        self,
        read: _Read,
        errors: Tuple[Type[Exception], ...],
        headers: Callable[[], Iterable[int]],
    ) -> None:
        """`read`: memory, raising `errors`; `headers`: where the tables are."""
        self._read = read
        self._errors = errors
        self._find_headers = headers
        self._headers: Optional[Tuple[int, ...]] = None
        self._known: Dict[int, Optional[Tuple[int, int, int]]] = {}

    def start(self, address: int) -> Optional[int]:
        """Where the function begins that has an instruction there."""
        found = self.entry(address)
        return None if found is None else found[1]

    def entry(self, address: int) -> Optional[Tuple[int, int, int]]:
        """The entry of .eh_frame of that function, where it begins, and its size."""
        if address not in self._known:
            if self._headers is None:
                self._headers = tuple(self._find_headers())
            found = (self._entry_by(header, address) for header in self._headers)
            self._known[address] = next((one for one in found if one is not None), None)
        return self._known[address]

    def _entry_by(self, header: int, address: int) -> Optional[Tuple[int, int, int]]:
        try:
            if self._read(header, len(_HEAD)) != _HEAD:
                return None
            low, high = 0, self._unsigned(header + _COUNT)
            table = header + _TABLE
            while high - low > 1:
                middle = (low + high) // 2
                if header + self._signed(table + middle * _ENTRY) <= address:
                    low = middle
                else:
                    high = middle
            if high <= low:
                return None
            start = header + self._signed(table + low * _ENTRY)
            entry = header + self._signed(table + low * _ENTRY + 4)
            begin = entry + _BEGIN + self._signed(entry + _BEGIN)
            size = self._unsigned(entry + _SIZE)
            if begin != start or not 0 <= address - start < size:
                return None
            return entry, start, size
        except self._errors:
            return None

    def _unsigned(self, address: int) -> int:
        return int.from_bytes(self._read(address, 4), "little") % _MAX_SIZE

    def _signed(self, address: int) -> int:
        return int.from_bytes(self._read(address, 4), "little", signed=True)
