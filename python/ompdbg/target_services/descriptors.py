# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of Fortran that a descriptor tells of: where they are, their bounds and strides."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Optional, Tuple

from ompdbg.target_services import dwarf
from ompdbg.target_services.locations import Bytes, OptimizedOut, Unavailable
from ompdbg.target_services.scopes import Scope
from ompdbg.target_services.types import DieType, Unclear

if TYPE_CHECKING:
    import _target

_MAX_SIZE = 1 << 20
_MAX_DIMENSIONS = 64
_MAX_READS = 1 << 13
_ABSENT = ((dwarf.AT_ALLOCATED, "<not allocated>"), (dwarf.AT_ASSOCIATED, "<not associated>"))


class _Dimension(NamedTuple):
    length: int
    stride: int  # in bytes


def is_described(kind: DieType) -> bool:
    """The type is of such an array."""
    try:
        plain = kind.plain()
        return plain.is_array and plain.die.attribute(dwarf.AT_DATA_LOCATION) is not None
    except Unclear:
        return False


def data_address(scope: Scope, die: "_target.Die") -> Optional[int]:
    """Where the first element of a variable is, if it is a described array."""
    try:
        kind = scope.kind_of(die)
    except Unavailable:
        return None
    at = scope.address_of(die) if is_described(kind) else None
    return None if at is None else scope.number(kind.plain().die, dwarf.AT_DATA_LOCATION, at)


def array(scope: Scope, die: "_target.Die") -> Tuple[DieType, Bytes]:
    """The array, as if its elements lay one behind another. Raises Unavailable and
    OptimizedOut."""
    at = scope.address_of(die)
    if at is None:
        raise OptimizedOut
    kind = scope.kind_of(die).with_bounds(lambda one, name: scope.number(one, name, at))
    plain = kind.plain()
    for attribute, absent in _ABSENT:
        if plain.die.attribute(attribute) is not None:
            if not scope.number(plain.die, attribute, at):
                raise Unavailable("there is none", absent)
    begin = scope.number(plain.die, dwarf.AT_DATA_LOCATION, at)
    try:
        size, dimensions = _dimensions(scope, plain, at)
    except Unclear:
        raise Unavailable("its size is not known") from None
    if begin is None:
        raise Unavailable("its size is not known")
    whole = size
    for dimension in dimensions:
        whole *= dimension.length
    if whole > _MAX_SIZE:
        raise Unavailable(f"it has {whole} bytes")
    return kind, Bytes(_gathered(scope, begin, size, dimensions) if whole else b"")


def _dimensions(scope: Scope, plain: DieType, at: int) -> Tuple[int, List[_Dimension]]:
    """The size of an element, and the dimensions, that of the nearest elements last."""
    counts: List[int] = []
    strides: List[Optional[int]] = []
    kind = plain
    while kind.is_array:
        if len(counts) == _MAX_DIMENSIONS:
            raise Unclear
        low, high = kind.bounds()
        counts.append(max(high - low + 1, 0))
        strides.append(scope.number(kind.dimension(), dwarf.AT_BYTE_STRIDE, at))
        kind = kind.element()
    found: List[_Dimension] = []
    step = kind.size
    for count, stride in zip(reversed(counts), reversed(strides)):
        found.insert(0, _Dimension(count, step if stride is None else stride))
        step = found[0].stride * count
    return kind.size, found


def _gathered(scope: Scope, begin: int, size: int, dimensions: List[_Dimension]) -> bytes:
    if not dimensions:
        return scope.context.read(begin, size)
    (length, stride), rest = dimensions[0], dimensions[1:]
    reach = (length - 1) * stride + size
    if not rest and size <= stride and reach <= _MAX_SIZE:
        data = scope.context.read(begin, reach)
        return b"".join(data[at : at + size] for at in range(0, reach, stride))
    if length > _MAX_READS:
        raise Unavailable("its elements lie far from one another")
    parts = range(length)
    return b"".join(_gathered(scope, begin + n * stride, size, rest) for n in parts)
