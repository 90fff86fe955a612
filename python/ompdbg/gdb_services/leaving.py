# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the code of a construct goes to the runtime for good: the last call of optimized code is a
jump. GDB takes that for the begin of something new, and stops there."""

from __future__ import annotations

import re
from typing import List, Tuple

import gdb

from ompdbg.gdb_services.debugger import GdbServices

_JUMP = re.compile(r"jmp\w*\s.*<(\w+)(?:@[\w.]+)?>")
_MOST_INSTRUCTIONS = 4000


def jumps(services: GdbServices, pc: int) -> List[int]:
    """Addresses of the jumps to the runtime in the function that is at `pc`."""
    begin, end = _function(pc)
    found: List[int] = []
    for instruction in services.instructions(begin, min(end - begin, _MOST_INSTRUCTIONS)):
        if instruction.address >= end:
            break
        jump = _JUMP.match(instruction.text)
        if jump is not None and services.runtime_functions(jump.group(1)):
            found.append(instruction.address)
    return found


def _function(pc: int) -> Tuple[int, int]:
    """Where the function begins and ends; no inlined one. In debug information of GCC the function
    with a construct is around the construct's, though its code is elsewhere."""
    block = gdb.block_for_pc(pc)
    begin = end = pc
    while block is not None and not block.is_static:
        if block.function is not None and block.start <= pc < block.end:
            begin, end = block.start, block.end
        block = block.superblock
    return begin, end
