# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks conditions before there is an event.

A condition may name what is known where the event happens. The program is elsewhere now, and the
library with that place need not be loaded. So a condition is refused only if the place is known,
the program runs, and nothing in the place's source file has the name.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Sequence, Set, Tuple

import gdb

from ompdbg.console import encoding, output
from ompdbg.execution.runs import InternalBreakpoint

_NO_SYMBOL = re.compile(r'No symbol "(.+)" in (?:current|specified) context')
_SYNTAX = ("A syntax error in expression", "Invalid number", "Junk after")


class Doubt(NamedTuple):
    """A problem with a condition."""

    text: str
    is_sure: bool  # wherever the event happens


def doubt(condition: str, place: Optional[str]) -> Optional[Doubt]:
    """Return the problem with a condition for events at a place; None if there is none."""
    said = _said_here(condition)
    places = _places(place) if place is not None else ()
    if said is None or any(_is_valid_at(condition, pc) for pc, _ in places):
        return None
    match = _NO_SYMBOL.search(said)
    if match is None:
        is_sure = bool(places) or _is_wrong_anywhere(condition)
        return Doubt(f"condition: {said}", is_sure)
    name = match.group(1)
    known = {one.rpartition("::")[2] for _, symtab in places for one in _names(symtab)}
    if not places or name in known or not gdb.selected_inferior().pid:
        return Doubt(f'GDB does not know "{name}" here.', False)
    return Doubt(f'no symbol "{name}" in {place}.', True)


def _said_here(condition: str) -> Optional[str]:
    """Return GDB's error for a condition where the program is. It is not evaluated for that."""
    try:
        output.execute(f"whatis {condition}")
    except gdb.error as error:
        said = str(error)
        return said if _NO_SYMBOL.search(said) or said.startswith(_SYNTAX) else None
    return None


def _is_wrong_anywhere(condition: str) -> bool:
    """Check for an expression of no language in which OpenMP programs are written. The place of
    the event is unknown, and so is its language."""
    for language in ("c", "c++", "fortran"):
        try:
            output.execute(f"with language {language} -- whatis {condition}")
        except gdb.error as error:
            if str(error).startswith(_SYNTAX):
                continue
        return False
    return True


def _is_valid_at(condition: str, pc: int) -> bool:
    """Check that a breakpoint there may have the condition."""
    breakpoint = InternalBreakpoint(pc)
    try:
        breakpoint.condition = condition
    except gdb.error:
        return False
    finally:
        breakpoint.delete()
    return True


def _places(place: str) -> Sequence[Tuple[int, gdb.Symtab]]:
    try:
        found = gdb.decode_line(place)[1] or ()
    except gdb.error:
        return ()
    return [(one.pc, one.symtab) for one in found if one.pc and one.symtab is not None]


def _names(symtab: gdb.Symtab) -> Set[str]:
    """Return the names of all variables and functions in a source file: those of a construct's
    code are not in the function that contains the construct."""
    seen: Set[Tuple[int, int]] = set()  # innermost blocks: others may have the same range
    found: Set[str] = set()
    for entry in symtab.linetable():
        block = gdb.block_for_pc(entry.pc)
        if block is None or (block.start, block.end) in seen:
            continue
        seen.add((block.start, block.end))
        while block is not None and not block.is_static and not block.is_global:
            found.update(encoding.name(symbol) for symbol in block)
            block = block.superblock
    for whole in (symtab.static_block(), symtab.global_block()):
        found.update(encoding.name(symbol) for symbol in whole)
    return found
