# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB reads from object files in place of memory that a core file lacks.

It has their sections only. Between two of them it says that memory is zero, and so does what
follows in the same request.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import List, Optional, Tuple

from ompdbg.console import output

_CORE = "core dump file"
# "0x00007ffff7fc9000 - 0x00007ffff7fca000 is .text in PATH"; a core file's own are load1.
_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (?!load\d)", re.M)


class FileSections:
    """The sections of all object files, those next to one another as one."""

    def __init__(self) -> None:
        self._ranges: Optional[List[Tuple[int, int]]] = None

    @property
    def is_whole(self) -> bool:
        """There is no core file: nothing must be read in pieces."""
        return self._ranges is not None and not self._ranges

    def pieces(self, address: int, size: int) -> List[Tuple[int, int]]:
        """Begin and size of what must be read of a core file in requests of their own."""
        if self._ranges is None:
            self._ranges = _merged(_of_core())
        end = address + size
        found: List[Tuple[int, int]] = []
        index = max(bisect_right(self._ranges, (address,)) - 1, 0)
        for low, high in self._ranges[index:]:
            if low >= end:
                break
            for border in (low, high):
                if address < border < end:
                    found.append((address, border - address))
                    address = border
        return [*found, (address, end - address)]


def _of_core() -> List[Tuple[int, int]]:
    text = output.said("info files")
    if _CORE not in text:
        return []
    return [(int(low, 16), int(high, 16)) for low, high in _SECTION.findall(text)]


def _merged(ranges: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
    found: List[Tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        elif low < high:
            found.append((low, high))
    return found
