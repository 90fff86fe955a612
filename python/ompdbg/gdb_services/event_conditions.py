# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB says of a condition before there is an event to ask it at.

What a condition may name is up to the place of the event, which is not where the program is now,
nor need its library be there yet. So it is refused only where that place is known, the program
runs, and nothing in that source file is called so.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Sequence, Set, Tuple

import gdb

from ompdbg.gdb_services import front_ends, quiet, texts

_NO_SYMBOL = re.compile(r'No symbol "(.+)" in (?:current|specified) context')
_SYNTAX = ("A syntax error in expression", "Invalid number", "Junk after")


class Doubt(NamedTuple):
    """What is wrong with a condition."""

    text: str
    surely: bool  # wherever its events are


def doubt(condition: str, place: Optional[str]) -> Optional[Doubt]:
    """None if there is nothing to say."""
    said = _of_here(condition)
    places = _places(place) if place is not None else ()
    if said is None or any(_of_place(condition, pc) is None for pc, _ in places):
        return None
    match = _NO_SYMBOL.search(said)
    if match is None:
        return Doubt(f"Of the condition GDB says: {said}", bool(places))
    name = match.group(1)
    known = {one.rpartition("::")[2] for _, symtab in places for one in _names(symtab)}
    if not places or name in known or not gdb.selected_inferior().pid:
        return Doubt(f'GDB does not know "{name}" here.', False)
    return Doubt(f'no symbol "{name}" in {place}.', True)


def _of_here(condition: str) -> Optional[str]:
    """What GDB says where the program is. It computes nothing for that."""
    try:
        quiet.execute(f"whatis {condition}")
    except gdb.error as error:
        said = str(error)
        return said if _NO_SYMBOL.search(said) or said.startswith(_SYNTAX) else None
    return None


def _of_place(condition: str, pc: int) -> Optional[str]:
    """The same of a place, as that of a breakpoint there."""
    front_ends.hide_internal_breakpoints()
    breakpoint = gdb.Breakpoint(f"*{pc:#x}", gdb.BP_BREAKPOINT, internal=True)
    try:
        breakpoint.condition = condition
    except gdb.error as error:
        return str(error)
    finally:
        breakpoint.delete()
    return None


def _places(place: str) -> "Sequence[Tuple[int, gdb.Symtab]]":
    try:
        found = gdb.decode_line(place)[1] or ()
    except gdb.error:
        return ()
    return [(one.pc, one.symtab) for one in found if one.pc and one.symtab is not None]


def _names(symtab: gdb.Symtab) -> Set[str]:
    """Of all variables and functions there: what a construct's code has is not in the function
    that has the construct."""
    seen: Set[Tuple[int, int]] = set()  # innermost blocks: others may have the same range
    found: Set[str] = set()
    for entry in symtab.linetable():
        block = gdb.block_for_pc(entry.pc)
        if block is None or (block.start, block.end) in seen:
            continue
        seen.add((block.start, block.end))
        while block is not None and not block.is_static and not block.is_global:
            found.update(texts.name(symbol) for symbol in block)
            block = block.superblock
    for whole in (symtab.static_block(), symtab.global_block()):
        found.update(texts.name(symbol) for symbol in whole)
    return found
