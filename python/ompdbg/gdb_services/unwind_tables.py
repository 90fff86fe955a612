# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The unwind tables of the selected program and its libraries."""

from __future__ import annotations

import re
from typing import List

import gdb

from ompdbg.gdb_services import quiet
from ompdbg.landing_pads import LandingPads
from ompdbg.unwind_tables import UnwindTables

# "0x0000555555558040 - 0x00005555555580ac is .eh_frame_hdr", of a library with " in PATH".
_HEADER = re.compile(r"^\s*(0x[0-9a-f]+) - 0x[0-9a-f]+ is \.eh_frame_hdr\b", re.M)


def of_objects() -> UnwindTables:
    """Looked for when they are asked."""
    return UnwindTables(_read, (gdb.error,), _headers)


def landing_pads(tables: UnwindTables) -> LandingPads:
    """By these tables."""
    return LandingPads(tables, _read, (gdb.error,))


def _read(address: int, size: int) -> bytes:
    return bytes(gdb.selected_inferior().read_memory(address, size))


def _headers() -> List[int]:
    try:
        return [int(at, 16) for at in _HEADER.findall(quiet.execute("info files"))]
    except gdb.error:
        return []
