# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbols and functions of a target, named as a debugger names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from ompdbg.demangle import demangle, without_parameters
from ompdbg.frames import is_fortran, parse_outlined
from ompdbg.services import Function, SymbolAt
from ompdbg.target_services import dwarf
from ompdbg.target_services.names import function_name
from ompdbg.target_services.objects import Objects
from ompdbg.target_services.outlined import Outlined
from ompdbg.target_services.units import Place, Unit, Units
from ompdbg.landing_pads import LandingPads
from ompdbg.unwind_tables import UnwindTables

if TYPE_CHECKING:
    import _target

_CLANGS = ".omp_"


class Code(NamedTuple):
    """What is at a place in code: one for each function that is inlined there, and the last."""

    function: Optional[str]
    symbol: Optional[str]
    start: Optional[int]
    place: Place
    is_inlined: bool


class _Short(Exception):
    """Memory that is not there."""


class Symbols:
    """All of them; they cannot change."""

    def __init__(
        self, target: "_target.Target", objects: Objects, of_system: bool = False
    ) -> None:
        """of_system: debug information of the system's libraries is used, too."""
        self._target = target
        self._objects = objects
        self.units = Units(target, objects, of_system)
        self._outlined = Outlined()
        self.unwind_tables = UnwindTables(self._read, (_Short,), objects.unwind_tables)
        self.landing_pads = LandingPads(self.unwind_tables, self._read, (_Short,))
        self._addresses: Dict[Tuple[str, Optional[str]], Optional[int]] = {}
        self._functions: Dict[int, Optional[Function]] = {}
        self._code: Dict[int, List[Code]] = {}

    def _read(self, address: int, size: int) -> bytes:
        data = self._target.read(address, size)
        if len(data) != size:
            raise _Short
        return data

    # ---- By name ----------------------------------------------------------------------------

    def address(self, name: str, file_name: Optional[str]) -> Optional[int]:
        """Where `name` is defined: in the objects whose file is called `file_name`, or in any."""
        key = name, file_name
        if key not in self._addresses:
            self._addresses[key] = self._find(name, file_name)
        return self._addresses[key]

    def _find(self, name: str, file_name: Optional[str]) -> Optional[int]:
        for index in self._objects.in_order():
            if file_name is not None and not self._objects.is_named(index, file_name):
                continue
            found = self._target.symbol_named(index, name)
            if found is not None:
                return found
        return None

    # ---- By address -------------------------------------------------------------------------

    def at(self, address: int) -> Optional[SymbolAt]:
        """The symbol that covers an address."""
        found = self._target.symbol_at(address)
        if found is None:
            return None
        name, start, _ = found
        plain = name.partition("@")[0]
        return SymbolAt(
            demangle(plain) or plain, address - start, self._objects.object_of(address)
        )

    def function_at(self, address: int) -> Optional[Function]:
        """The function that covers an address, not looking into what was inlined."""
        if address not in self._functions:
            linked = self._target.symbol_at(address)
            unit = self.units.at(address)
            function = None
            if unit is not None and not (linked and linked[0].startswith(_CLANGS)):
                function = self._from_debug_info(unit, address)
            self._functions[address] = function or self._from_symbol(unit, address)
        return self._functions[address]

    def function_named(self, symbol: str) -> Optional[Function]:
        """The function whose linkage name is `symbol`."""
        address = self.address(symbol, None)
        return None if address is None else self.function_at(address)

    def _from_debug_info(self, unit: Unit, address: int) -> Optional[Function]:
        found = unit.functions(address)
        if not found:
            return None
        die = found[-1]
        start = unit.entry(die) or 0
        file = unit.file(dwarf.number(die, dwarf.AT_DECL_FILE))
        line = dwarf.number(die, dwarf.AT_DECL_LINE) or None
        name = function_name(unit, die)
        if line is None or parse_outlined(name) is not None:
            first = first_line(unit, start)
            file, line = file or first.file, first.line or line
        return Function(name, self._symbol(unit, die), start, file, line)

    def _from_symbol(self, unit: Optional[Unit], address: int) -> Optional[Function]:
        found = self._target.symbol_at(address)
        if found is None:
            return None
        symbol, start, _ = found
        name = symbol.partition("@")[0]
        place = unit.place(start) if unit is not None else Place(None, None)
        if name.startswith(_CLANGS) and unit is not None and place.file is not None:
            full = self._outlined.full_name(unit, name, place.line)
            return Function(full, full, start, place.file, place.line)
        if "._omp_" not in name:
            told = demangle(name) or name
            return Function(told, told, start, None, None)
        line = first_line(unit, start).line if unit is not None else None
        return Function(name, name, start, place.file, line)

    def _symbol(self, unit: Unit, die: "_target.Die") -> str:
        linkage = dwarf.text(die, dwarf.AT_LINKAGE_NAME)
        linkage = linkage or without_parameters(function_name(unit, die))
        is_inlined = die.tag == dwarf.TAG_INLINED
        line = dwarf.number(die, dwarf.AT_CALL_LINE if is_inlined else dwarf.AT_DECL_LINE)
        return self._outlined.full_name(unit, linkage, line)

    # ---- Frames -----------------------------------------------------------------------------

    def code(self, address: int) -> List[Code]:
        """What a frame at an address stands for, what was inlined last first."""
        if address not in self._code:
            self._code[address] = self._code_at(address)
        return self._code[address]

    def _code_at(self, address: int) -> List[Code]:
        unit = self.units.at(address)
        functions = unit.functions(address) if unit is not None else []
        if unit is None or not functions:
            return [self._code_from_address(unit, address)]
        found = []
        place = unit.place(address)
        for die in functions:
            name = without_parameters(function_name(unit, die))
            is_inlined = die.tag == dwarf.TAG_INLINED
            found.append(Code(name, self._symbol(unit, die), unit.entry(die), place, is_inlined))
            if is_inlined:
                file = unit.file(dwarf.number(die, dwarf.AT_CALL_FILE))
                place = Place(file, dwarf.number(die, dwarf.AT_CALL_LINE))
        return found

    def _code_from_address(self, unit: Optional[Unit], address: int) -> Code:
        function = self.function_at(address)
        if function is None:
            start = self.unwind_tables.start(address)
            return Code(None, None, start, Place(None, None), False)
        place = Place(None, None)
        if function.file is not None and unit is not None:
            place = unit.place(address)
        return Code(function.name, function.symbol, function.start, place, False)


def first_line(unit: Unit, start: int) -> Place:
    """The line of the construct of an outlined function, which has no line of definition: that
    of the first line entry at its entry point. gfortran may have put there a line at the end of
    the construct; then that of the first statement is closer."""
    place = unit.place(start)
    first = second = 0
    for row in unit.rows_from(start):
        if row.file != place.file or row.line <= 0:
            continue
        if first and row.line != first:
            second = row.line
            break
        if row.address == start:
            first = first or row.line
        elif not first:
            break
    if second and second < first and is_fortran(place.file):
        return Place(place.file, second)
    return Place(place.file, first or place.line)
