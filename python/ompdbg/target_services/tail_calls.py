# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that left no frame because a jump was the last that they did. Debug information has
the calls and the jumps of each function; where only one way leads from a call to the function
whose frame follows, its jumps are known, and otherwise those with which all ways begin and end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from ompdbg.target_services import dwarf

if TYPE_CHECKING:
    import _target
    from ompdbg.target_services.symbols import Symbols
    from ompdbg.target_services.units import Unit

_MAX_WAYS = 4096


class _Unclear(Exception):
    """A jump may lead anywhere."""


class _Jump(NamedTuple):
    after: int  # address of the next instruction
    entry: Optional[int]  # of the function that it leads to


class TailCalls:
    """Those of one target."""

    def __init__(self, target: "_target.Target", symbols: "Symbols") -> None:
        self._target = target
        self._symbols = symbols
        self._known: Dict[Tuple[int, int], Tuple[int, ...]] = {}
        self._calls: Dict[int, List[Tuple[_Jump, bool]]] = {}  # by entry of the function

    def between(self, returns: int, start: int) -> Tuple[int, ...]:
        """Where jumps were made after the call that returns to an address, the last first, until
        the function that starts there was reached."""
        key = returns, start
        if key not in self._known:
            self._known[key] = tuple(self._find(returns, start))
        return self._known[key]

    def may_return_to(self, start: int) -> bool:
        """The function that starts there may have been left by jumps that led to it again."""
        pending, seen = [start], {start}
        try:
            while pending:
                for jump in self._jumps_of(pending.pop()):
                    if jump.entry is None or jump.entry == start:
                        return True
                    if jump.entry not in seen:
                        seen.add(jump.entry)
                        pending.append(jump.entry)
        except _Unclear:
            return True
        return False

    def _find(self, returns: int, start: int) -> List[int]:
        unit = self._symbols.units.at(returns - 1)
        functions = unit.functions(returns - 1) if unit is not None else []
        if unit is None or not functions:
            return []
        try:
            for call, is_jump in self._calls_of(unit, functions[-1]):
                if call.after == returns and not is_jump:
                    return self._common(call, start)
        except _Unclear:
            pass
        return []

    def _common(self, call: _Jump, start: int) -> List[int]:
        """What all ways have in common."""
        first: Optional[List[int]] = None
        begin = end = 0  # how many jumps are the same
        pending: List[Tuple[_Jump, List[int]]] = [(call, [])]
        for _ in range(_MAX_WAYS):
            if not pending:
                break
            jump, way = pending.pop()
            if jump.entry is None:
                raise _Unclear
            if jump.entry != start:
                jumps = self._jumps_of(jump.entry)
                pending += [(one, [*way, one.after]) for one in jumps if one.after not in way]
            elif first is None:
                first, begin, end = way, len(way), len(way)
            else:
                begin = _same(first[:begin], way)
                end = _same(first[::-1][:end], way[::-1])
                if not begin and not end:
                    return []
        else:
            raise _Unclear
        if first is None:
            return []
        if begin == end == len(first):
            return first[::-1]
        return [*first[::-1][:end], *first[:begin][::-1]]

    def _jumps_of(self, entry: int) -> List[_Jump]:
        unit = self._symbols.units.at(entry)
        functions = unit.functions(entry) if unit is not None else []
        if unit is None or not functions or unit.entry(functions[-1]) != entry:
            raise _Unclear
        return [call for call, is_jump in self._calls_of(unit, functions[-1]) if is_jump]

    def _calls_of(self, unit: "Unit", function: "_target.Die") -> List[Tuple[_Jump, bool]]:
        key = unit.entry(function) or 0
        if key not in self._calls:
            self._calls[key] = [
                (_Jump(after + unit.bias, self._entry(unit, callee)), is_jump)
                for after, is_jump, callee in function.calls()
            ]
        return self._calls[key]

    def _entry(self, unit: "Unit", callee: "Optional[_target.Die]") -> Optional[int]:
        """Where the code of a function begins that may be only declared here."""
        if callee is None:
            return None
        entry = unit.entry(callee)
        if entry is not None:
            return entry
        name = dwarf.text(callee, dwarf.AT_LINKAGE_NAME) or dwarf.text(callee, dwarf.AT_NAME)
        return None if name is None else self._symbols.address(name, None)


def _same(one: List[int], other: List[int]) -> int:
    """How many elements are equal from the beginning on."""
    count = 0
    for pair in zip(one, other):
        if pair[0] != pair[1]:
            break
        count += 1
    return count
