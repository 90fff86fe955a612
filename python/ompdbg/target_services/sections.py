# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections of arrays (`reduction(+: a[2:5])`): Clang makes copies of these elements only, and does
not tell of which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Optional, Tuple

from ompdbg.frames import is_outlined
from ompdbg.target_services import dwarf
from ompdbg.target_services.scopes import Scope, declared, is_length, name_of
from ompdbg.target_services.types import DieType, Unclear

if TYPE_CHECKING:
    import _target

REASON = "it may be a section, of bounds that are not known here"
_MAX_NESTING = 100


def may_be_section(scope: Scope, die: "_target.Die", kind: DieType) -> bool:
    """A construct's own copy of an array of the source, or of what a pointer is to."""
    if scope.is_fortran or die.tag != dwarf.TAG_VARIABLE or not scope.values.is_array(kind):
        return False
    whole = scope.blocks[-1]
    line, begin = _line(die), _line(whole)
    if line is None:
        if not _is_outlined(whole) and any(one.offset == die.offset for one in declared(whole)):
            return False  # the compiler's own
        same = (one for block in scope.blocks for one in declared(block))
        lines = [_line(one) for one in same if name_of(one) == name_of(die)]
        line = max((one for one in lines if one is not None), default=None)
    elif begin is None:  # GCC tells no bounds of what is shared or copied as a whole
        return _is_computed(scope, die) and line < _first_line(scope)
    elif line >= begin:
        return False
    for one in _of_source(scope.unit.die, name_of(die), line):
        return _differs(scope, kind, scope.values.kind_of(one))
    return True


def _differs(scope: Scope, kind: DieType, source: DieType) -> bool:
    if scope.values.is_reference(source):
        source = source.plain().target()
    if not scope.values.is_array(source):
        return True
    if source.plain().die.offset == kind.plain().die.offset:
        return False
    try:
        return _shape(source) != _shape(kind)
    except Unclear:
        pass
    lengths = {scope.number_of(one) for one in declared(scope.blocks[-1]) if is_length(one)}
    try:
        return lengths != {_shape(kind)[0]}
    except Unclear:
        return True


def _is_computed(scope: Scope, die: "_target.Die") -> bool:
    try:
        return not _shape(scope.values.kind_of(die))
    except Unclear:
        return True


def _first_line(scope: Scope) -> int:
    start = scope.unit.entry(scope.blocks[-1])
    return (None if start is None else scope.unit.place(start).line) or 0


def _shape(kind: DieType) -> Tuple[int, ...]:
    lengths = []
    while kind.is_array:
        kind = kind.plain()
        low, high = kind.bounds()
        lengths.append(high - low + 1)
        kind = kind.element()
    return tuple(lengths)


def _of_source(
    die: "_target.Die",
    name: str,
    line: Optional[int],
    begin: Optional[int] = None,
    depth: int = 0,
) -> "Iterator[_target.Die]":
    """Variables of the source of that name, declared in that line or in an unknown one; what
    constructs, which begin at a line, have of the functions around them is left out."""
    for child in die.children() if depth < _MAX_NESTING else ():
        if child.tag in (dwarf.TAG_VARIABLE, dwarf.TAG_PARAMETER) and name_of(child) == name:
            at = _line(child)
            is_sources = at is not None and (begin is None or at >= begin)
            if is_sources and line in (None, at):
                yield child
        elif child.tag in (dwarf.TAG_BLOCK, dwarf.TAG_NAMESPACE, dwarf.TAG_SUBPROGRAM):
            first = _line(child) or 0 if _is_outlined(child) else begin
            yield from _of_source(child, name, line, first, depth + 1)


def _is_outlined(die: "_target.Die") -> bool:
    name = dwarf.text(die, dwarf.AT_LINKAGE_NAME) or name_of(die)
    return die.tag in dwarf.FUNCTIONS and is_outlined(name)


def _line(die: "_target.Die") -> Optional[int]:
    return dwarf.number(die, dwarf.AT_DECL_LINE)
