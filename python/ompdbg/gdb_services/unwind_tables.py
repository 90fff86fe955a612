# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where functions without symbols begin: what code is unwound by tells it, and is never stripped.

The section .eh_frame_hdr has a sorted table of the places where functions begin, with the entry of
.eh_frame of each, which tells where it ends (Linux Standard Base, chapter 10.6). A function that
was split begins in several places.
"""

from __future__ import annotations

import re
from typing import Dict, List, Optional

import gdb

from ompdbg.gdb_services import quiet

# "0x0000555555558040 - 0x00005555555580ac is .eh_frame_hdr", of a library with " in PATH".
_HEADER = re.compile(r"^\s*(0x[0-9a-f]+) - 0x[0-9a-f]+ is \.eh_frame_hdr\b", re.M)
# The encodings that linkers use on this machine; of others nothing is told.
_HEAD = bytes((1, 0x1B, 0x03, 0x3B))
_COUNT, _TABLE, _ENTRY = 8, 12, 8
_BEGIN, _SIZE = 8, 12  # in an entry of .eh_frame
_MAX_SIZE = 1 << 31


class UnwindTables:
    """The tables of the selected program and its libraries."""

    def __init__(self) -> None:
        self._headers: Optional[List[int]] = None
        self._known: Dict[int, Optional[int]] = {}

    def start(self, address: int) -> Optional[int]:
        """Find where the function begins that has an instruction there."""
        if address not in self._known:
            if self._headers is None:
                self._headers = _find_headers()
            found = (_start_by(header, address) for header in self._headers)
            self._known[address] = next((one for one in found if one is not None), None)
        return self._known[address]


def _find_headers() -> List[int]:
    try:
        return [int(at, 16) for at in _HEADER.findall(quiet.execute("info files"))]
    except gdb.error:
        return []


def _start_by(header: int, address: int) -> Optional[int]:
    try:
        if _read(header, len(_HEAD)) != _HEAD:
            return None
        low, high = 0, _unsigned(header + _COUNT)
        table = header + _TABLE
        while high - low > 1:
            middle = (low + high) // 2
            if header + _signed(table + middle * _ENTRY) <= address:
                low = middle
            else:
                high = middle
        if high <= low:
            return None
        start = header + _signed(table + low * _ENTRY)
        entry = header + _signed(table + low * _ENTRY + 4)
        begin = entry + _BEGIN + _signed(entry + _BEGIN)
        size = _unsigned(entry + _SIZE)
        return start if begin == start and 0 <= address - start < size else None
    except gdb.error:
        return None


def _read(address: int, size: int) -> bytes:
    return bytes(gdb.selected_inferior().read_memory(address, size))


def _unsigned(address: int) -> int:
    return int.from_bytes(_read(address, 4), "little") % _MAX_SIZE


def _signed(address: int) -> int:
    return int.from_bytes(_read(address, 4), "little", signed=True)
