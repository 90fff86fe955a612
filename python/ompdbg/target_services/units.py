# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions and source lines of code, by debug information."""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from ompdbg.frames import is_system_object
from ompdbg.target_services import dwarf
from ompdbg.target_services.objects import Objects

if TYPE_CHECKING:
    import _target


class Place(NamedTuple):
    """A source line."""

    file: Optional[str]
    line: Optional[int]


class Row(NamedTuple):
    """A row of the table of lines: from that address on."""

    address: int
    file: Optional[str]
    line: int  # 0: no code follows
    is_statement: bool


class Unit:
    """A unit of debug information. Addresses are the target's."""

    def __init__(self, die: "_target.Die", bias: int) -> None:
        self.die = die
        self.bias = bias
        self._rows: Optional[List[Row]] = None
        self._starts: List[int] = []
        self._paths: Dict[str, str] = {}

    @property
    def rows(self) -> List[Row]:
        """The table of lines, by address."""
        if self._rows is None:
            self._rows = self._read_rows()
            self._starts = [row.address for row in self._rows]
        return self._rows

    def _read_rows(self) -> List[Row]:
        found = [
            Row(address + self.bias, self._path(file), 0 if ends else line, is_statement)
            for address, line, file, ends, is_statement in self.die.lines()
            if ends or line > 0  # the others only tell that the code has no line of its own
        ]
        # Where one sequence ends another may begin: its first row counts.
        found.sort(key=lambda row: (row.address, row.line > 0))
        return found

    def place(self, address: int) -> Place:
        """The line of the instruction at an address."""
        rows = self.rows
        index = bisect_right(self._starts, address) - 1
        if index < 0 or not rows[index].line:
            return Place(None, None)
        best = rows[index]
        while not best.is_statement and index and rows[index - 1].address == best.address:
            index -= 1
            if rows[index].is_statement and rows[index].line:
                best = rows[index]
        return Place(best.file, best.line)

    def rows_from(self, address: int) -> List[Row]:
        """Rows from an address on."""
        rows = self.rows
        first = bisect_right(self._starts, address - 1)
        return rows[first:]

    def functions(self, address: int) -> "List[_target.Die]":
        """The functions that code belongs to, the one that was inlined last first."""
        found = []
        for die in self.die.scopes(address - self.bias):
            if die.tag in dwarf.FUNCTIONS:
                found.append(die)
            if die.tag == dwarf.TAG_SUBPROGRAM:
                break
        return found

    def file(self, number: Optional[int]) -> Optional[str]:
        """A file by its number in this unit."""
        return None if number is None else self._path(self.die.file_name(number))

    def _path(self, file: Optional[str]) -> Optional[str]:
        """The unit's own file is named as it was for the compiler; all others as the table has
        them."""
        if file is None:
            return None
        if file not in self._paths:
            own = dwarf.text(self.die, dwarf.AT_NAME)
            folder = dwarf.text(self.die, dwarf.AT_COMP_DIR) or ""
            is_own = own is not None and _place(folder, own) == _place(folder, file)
            self._paths[file] = own if is_own and own is not None else file
        return self._paths[file]

    def entry(self, die: "_target.Die") -> Optional[int]:
        """Where a function's code begins."""
        at = die.entry()
        return None if at is None else at + self.bias


class Units:
    """All units of a target."""

    def __init__(self, target: "_target.Target", objects: Objects, of_system: bool) -> None:
        self._target = target
        self._objects = objects
        self._of_system = of_system
        self._units: Dict[Tuple[int, int], Unit] = {}

    def at(self, address: int) -> Optional[Unit]:
        """The unit of the code at an address. Of the system's libraries mostly only symbols are
        used: to open their debug information takes longer than all else."""
        if not self._of_system and is_system_object(self._objects.object_of(address)):
            return None
        found = self._target.unit_at(address)
        if found is None:
            return None
        die, bias = found
        return self.unit(die, bias)

    def unit(self, die: "_target.Die", bias: int) -> Unit:
        """The same unit is always the same object."""
        key = die.offset, bias
        if key not in self._units:
            self._units[key] = Unit(die, bias)
        return self._units[key]


def _place(folder: str, file: str) -> str:
    return os.path.normpath(os.path.join(folder, file))
