# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables at an address, and structures by their names, by debug information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Optional, Tuple

from ompdbg import members
from ompdbg.frames import is_fortran, is_runtime_object
from ompdbg.target_services import dwarf
from ompdbg.target_services.names import qualified_name
from ompdbg.target_services.objects import Objects
from ompdbg.target_services.types import DieType, Unclear
from ompdbg.target_services.units import Unit, Units

if TYPE_CHECKING:
    import _target

# Functions whose units are searched for variables local to a function.
_MAINS = ("main", "MAIN__")


class Variables:
    """Those of all files."""

    def __init__(
        self,
        target: "_target.Target",
        objects: Objects,
        units: Units,
        address_of: Callable[[str], Optional[int]],
    ) -> None:
        self._target = target
        self._objects = objects
        self._units = units
        self._address_of = address_of
        self._names: Dict[Tuple[int, bool], Optional[str]] = {}
        self._units_of: Dict[int, List[Unit]] = {}

    def name_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """The variable, or what is within it, that begins at an address."""
        key = address, lock
        if key not in self._names:
            symbol = self._target.symbol_at(address)
            self._names[key] = (
                None if symbol is None else self._name(symbol[1], address - symbol[1], lock, near)
            )
        return self._names[key]

    def _name(self, start: int, offset: int, lock: bool, near: Optional[int]) -> Optional[str]:
        for unit, with_local in self._where(start, near):
            die = unit.die.variable((start - unit.bias) & _WORD, with_local)
            if die is None:
                continue
            fortran = is_fortran(dwarf.text(unit.die, dwarf.AT_NAME))
            try:
                kind = DieType(dwarf.entry(die, dwarf.AT_TYPE), int(fortran))
                path = members.path(kind, offset, lock, fortran)
            except Unclear:
                return None
            return None if path is None else qualified_name(unit, die) + path
        return None

    def _where(self, start: int, near: Optional[int]) -> Iterator[Tuple[Unit, bool]]:
        """Units that may know the variable, and whether variables local to functions count."""
        index = self._objects.index_at(start)
        if index is None:
            return
        for place in (near, *map(self._address_of, _MAINS)):
            unit = self._units.at(place) if place is not None else None
            if unit is not None and self._objects.index_at(place or 0) == index:
                yield unit, True
        for unit in self._all_units(index):
            yield unit, False

    def _all_units(self, index: int) -> List[Unit]:
        if index not in self._units_of:
            dies, bias = self._target.units(index)
            self._units_of[index] = [self._units.unit(die, bias) for die in dies]
        return self._units_of[index]

    def structure(self, name: str, file_name: Optional[str]) -> Optional[DieType]:
        """For `ompdbg.layout_variables`."""
        for index in self._objects.in_order():
            if file_name is None:
                path = self._objects.name(index)
                wanted = path is None or is_runtime_object(path)
            else:
                wanted = self._objects.is_named(index, file_name)
            for unit in self._all_units(index) if wanted else ():
                found = unit.die.structure(name)
                if found is not None:
                    return DieType(found, 0)
        return None


_WORD = (1 << 64) - 1
