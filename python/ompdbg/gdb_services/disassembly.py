# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions near symbols whose names are not UTF-8: GDB's function for Python tells none."""

from __future__ import annotations

import re
from typing import List

import gdb

from ompdbg.gdb_services import quiet
from ompdbg.services import Instruction

# "   0x401136 <main+4>:\t48 8d 35 c7 0e 00 00\tlea    0xec7(%rip),%rsi"
_LINE = re.compile(
    r"^(?:=> |   )(0x[0-9a-f]+)(?: <(?s:.*?)>)?:\t((?:[0-9a-f]{2} ?)+) *\t((?s:.*?))$"
    r"(?=\n(?:(?:=> |   )0x|End of))",
    re.M,
)
_LONGEST = 15  # bytes of an instruction


def instructions(address: int, count: int) -> List[Instruction]:
    """Return so many instructions from an address on, as far as there are any."""
    told, size = "", count * _LONGEST
    while not told and size:
        try:
            told = quiet.execute(f"disassemble /r {address:#x},+{size}")
        except gdb.error:
            size //= 2  # memory may end there
    found: List[Instruction] = []
    for start, code, text in _LINE.findall(told):
        at = found[-1].address + found[-1].size if found else address
        if int(start, 16) != at or len(found) == count:
            break
        found.append(Instruction(at, len(bytes.fromhex(code)), text))
    return found
