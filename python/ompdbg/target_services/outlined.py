# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that Clang made of the code of constructs, named after the function that they are in,
where debug information tells the lines of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from ompdbg.outlined_names import Span, is_unnamed, name_of
from ompdbg.target_services import dwarf

if TYPE_CHECKING:
    from ompdbg.target_services.units import Unit

_GENERATED = (".omp_", ".omp.", "__omp_offloading_")


class Outlined:
    """Remembers the functions of each source file."""

    def __init__(self) -> None:
        self._spans: Dict[int, List[Span]] = {}

    def full_name(self, unit: "Unit", name: str, line: Optional[int]) -> str:
        """The name as Clang 17 gives it, `solve.omp_outlined`; other names as they are."""
        if not is_unnamed(name) or not line:
            return name
        return name_of(name, line, self._all_spans(unit))

    def _all_spans(self, unit: "Unit") -> List[Span]:
        key = id(unit)
        if key not in self._spans:
            self._spans[key] = _find_spans(unit)
        return self._spans[key]


def _find_spans(unit: "Unit") -> List[Span]:
    """From the first to the last line that code of a function has in the unit's own file."""
    own = dwarf.text(unit.die, dwarf.AT_NAME)
    found: Dict[str, Tuple[int, int]] = {}
    line_of = {row.address: row.line for row in unit.rows if row.file == own}
    for address, line in line_of.items():
        functions = unit.functions(address) if line > 0 else []
        if not functions:
            continue
        die = functions[0]
        if die.tag == dwarf.TAG_INLINED and (
            line == dwarf.number(die, dwarf.AT_CALL_LINE)
            or functions[1].entry() == address - unit.bias
        ):
            continue  # the line of the call, or that where the function around it begins
        name = dwarf.text(die, dwarf.AT_LINKAGE_NAME) or dwarf.text(die, dwarf.AT_NAME)
        if name is None or name.startswith(_GENERATED):
            continue
        first, last = found.get(name, (line, line))
        found[name] = (min(first, line), max(last, line))
    return [Span(name, first, last) for name, (first, last) in found.items()]
