# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a frame as the source has them, also where its code was outlined.

In an outlined function the compiler has variables and arguments of its own. Of the user's, GCC
makes locals. Clang makes references of them and passes these as arguments; a copy that the
construct has of its own is a local of the same name. And it makes two functions, of which one only
passes them on to the other. What a task of Clang's shares it knows no names of; and the bounds of
arrays that were computed are known to the function around the construct only (`enclosing`).
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Set, Tuple

import gdb

from ompdbg.frames import is_fortran
from ompdbg.gdb_services import enclosing
from ompdbg.gdb_services.enclosing import Wanted
from ompdbg.gdb_services.frame_symbols import (
    declared_type,
    function_block,
    is_lost,
    is_of_construct,
    read,
    symbols,
    without_bounds,
)
from ompdbg.generated_names import LENGTH, is_generated, original

_CONTEXT = "__context"
# GDB shows the beginning of an array that is larger than its max-value-size.
_PRINTS_LARGE = int(gdb.VERSION.partition(".")[0]) >= 14


class Captured(NamedTuple):
    """A variable; without a value if it has to be read from the frame. Without a symbol if that is
    of an argument, which the variable is not here."""

    name: str
    symbol: Optional[gdb.Symbol]
    value: Optional[gdb.Value]
    problem: Optional[str] = None  # why it cannot be read


def arguments(handle: gdb.Frame) -> List[Captured]:
    """Arguments of a frame's function; a construct has none."""
    if is_of_construct(handle):
        return []
    block = function_block(handle)
    found = [] if block is None else [symbol for symbol in block if symbol.is_argument]
    return [_argument(symbol, handle) for symbol in found if is_users(symbol)]


def local_variables(handle: gdb.Frame) -> List[Captured]:
    """Local variables, those of the innermost block first."""
    if is_of_construct(handle):
        return _Construct(handle).variables()
    found: Dict[Tuple[str, int], Captured] = {}
    for symbol, _ in symbols(handle):
        if symbol.is_variable and not symbol.is_argument and is_users(symbol):
            key = symbol.name, symbol.line
            # What was inlined is told once more where it is optimized out.
            if key not in found or is_lost(found[key].value):
                found[key] = _as_it_is(symbol, handle)
    return [_readable(one, handle) for one in found.values()]


def _argument(symbol: gdb.Symbol, handle: gdb.Frame) -> Captured:
    """GDB tells the values, but only in the selected frame all of them right."""
    if symbol.type is None or not symbol.type.dynamic:
        return Captured(symbol.name, symbol, None)
    return _as_it_is(symbol, handle)


def _as_it_is(symbol: gdb.Symbol, handle: gdb.Frame) -> Captured:
    value = read(symbol, handle)
    if value is not None and without_bounds(value):
        wanted = Wanted(symbol.name, symbol.line, value.address)
        found = enclosing.with_bounds(handle, wanted, value, anywhere=False)
        value = value if found is None else found
    elif value is not None and _is_reference(symbol) and _is_compilers(symbol):
        value = None if is_lost(value) else value.referenced_value()
    return Captured(symbol.name, symbol, value)


def _is_compilers(symbol: gdb.Symbol) -> bool:
    """A reference that no one declared: of what a lambda captured, or of Fortran."""
    return not symbol.line or _is_of_fortran(symbol)


def _local(one: Captured) -> Captured:
    symbol = one.symbol
    if symbol is None or one.value is None or not symbol.is_argument or _is_of_fortran(symbol):
        return one  # GDB prints values of Fortran by the symbol
    return one._replace(symbol=None)


def _readable(one: Captured, handle: gdb.Frame) -> Captured:
    """What cannot be read is told so; GDB would tell nothing of those after it."""
    value = one.value
    try:
        if value is None and one.symbol is not None:
            value = one.symbol.value(handle)
        if value is not None:
            value.fetch_lazy()
    except gdb.error as error:
        is_too_large = value is not None and not isinstance(error, gdb.MemoryError)
        if not is_too_large or not _PRINTS_LARGE:
            return Captured(one.name, None, None, str(error))
    return one._replace(value=value)


def is_users(symbol: gdb.Symbol) -> bool:
    """A variable that the source has, too."""
    if not symbol.is_variable and not symbol.is_argument:
        return False
    return not is_generated(symbol.name, _is_of_fortran(symbol))


def _is_of_fortran(symbol: gdb.Symbol) -> bool:
    return symbol.symtab is not None and is_fortran(symbol.symtab.filename)


def _is_pointer_to_array(kind: gdb.Type) -> bool:
    """Gfortran's of an array whose bounds are computed; pointers of the user's are descriptors."""
    return kind.code == gdb.TYPE_CODE_PTR and kind.target().code == gdb.TYPE_CODE_ARRAY


def _is_reference(symbol: gdb.Symbol) -> bool:
    return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_REF


# ---- Constructs -----------------------------------------------------------------------------


class _Construct:
    """The frame of a construct's code."""

    def __init__(self, handle: gdb.Frame) -> None:
        self._handle = handle
        self._groups: Dict[Tuple[str, int], List[gdb.Symbol]] = {}
        self._context: Optional[gdb.Symbol] = None
        self._descriptors: Dict[str, gdb.Symbol] = {}
        self._lost: Optional[gdb.Value] = None  # a value that was optimized out

    def variables(self) -> List[Captured]:
        self._collect()
        found = [self._variable(group) for group in self._groups.values()]
        names = {one.name for one in found}
        for name, symbol in self._descriptors.items():
            if name not in names:
                found += self._described(name, symbol)
        if self._context is not None:
            found += self._shared(self._context, names)
        return [_local(_readable(one, self._handle)) for one in found]

    def _collect(self) -> None:
        """What is known of each variable, by its name and the line of its declaration. Among what
        belongs to the function as a whole the name is enough."""
        whole: Dict[str, List[gdb.Symbol]] = {}
        for symbol, is_inner in symbols(self._handle):
            if not is_users(symbol):
                self._note(symbol)
            elif self._is_length(symbol):
                continue
            elif is_inner:
                self._groups.setdefault((symbol.name, symbol.line), [symbol])
            else:
                whole.setdefault(symbol.name, []).append(symbol)
        for name, group in whole.items():
            line = max(symbol.line for symbol in group)
            self._groups.setdefault((name, line), group)

    def _note(self, symbol: gdb.Symbol) -> None:
        """Of what is the compiler's some tells of the user's."""
        if symbol.name == _CONTEXT:
            self._context = symbol
        elif symbol.is_variable and "." in symbol.name and _is_of_fortran(symbol):
            self._descriptors.setdefault(original(symbol.name), symbol)

    @staticmethod
    def _is_length(symbol: gdb.Symbol) -> bool:
        """Clang passes the lengths of arrays as well."""
        if not symbol.is_argument or symbol.name != LENGTH or symbol.line:
            return False
        return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_INT

    def _variable(self, group: List[gdb.Symbol]) -> Captured:
        """Of one variable; a copy of the construct's own goes before what it was copied from."""
        own = [symbol for symbol in group if not symbol.is_argument]
        name = group[0].name
        for symbol in own or group:
            value = read(symbol, self._handle)
            if value is not None and not is_lost(value):
                return Captured(name, symbol, self._as_written(symbol, value, group))
        symbol = (own or group)[0]
        passed = None if own or not _is_reference(symbol) else self._passed(symbol)
        if passed is None:
            passed = self._none(read(symbol, self._handle))
        return Captured(name, symbol, passed)

    def _as_written(
        self, symbol: gdb.Symbol, value: gdb.Value, group: List[gdb.Symbol]
    ) -> Optional[gdb.Value]:
        """Without what the compiler added to the type, and with the bounds that it left out."""
        line = max(one.line for one in group)
        try:
            if not _is_reference(symbol):
                return self._whole(symbol, Wanted(symbol.name, line, value.address), value)
            if not symbol.is_argument:  # GCC's
                return value.referenced_value() if _is_compilers(symbol) else value
            declared = declared_type(symbol, line)
            if declared is not None and declared.code == gdb.TYPE_CODE_REF:
                return value
            target = value.referenced_value()
            if declared is None or declared.code != gdb.TYPE_CODE_ARRAY or not declared.dynamic:
                return target
            # Of such an array its first element is all that Clang passes on.
            wanted = Wanted(symbol.name, line, target.address)
            found = enclosing.with_bounds(self._handle, wanted, target)
            return target.address if found is None else found
        except gdb.error:
            return None

    def _whole(self, symbol: gdb.Symbol, wanted: Wanted, value: gdb.Value) -> gdb.Value:
        if _is_of_fortran(symbol) and _is_pointer_to_array(value.type):
            at = enclosing.at_address(self._handle, wanted.name, int(value))
            return value if at is None else at.value
        if not without_bounds(value):
            return value
        found = enclosing.with_bounds(self._handle, wanted, value)
        return value if found is None else found

    def _passed(self, symbol: gdb.Symbol) -> Optional[gdb.Value]:
        """What is optimized out may still be where it was passed on."""
        outer = self._handle.older()
        if outer is None or not is_of_construct(outer):
            return None
        for one, _ in symbols(outer):
            if one.name == symbol.name and one.is_argument and _is_reference(one):
                value = read(one, outer)
                if value is not None and not is_lost(value):
                    return self._as_written(symbol, value, [symbol])
        return None

    def _none(self, value: Optional[gdb.Value]) -> Optional[gdb.Value]:
        """GDB tells of an array without bounds that it were at 0."""
        if value is None or value.type.code != gdb.TYPE_CODE_ARRAY or not without_bounds(value):
            return value
        if self._lost is None:
            values = (read(symbol, self._handle) for symbol, _ in symbols(self._handle))
            lost = (one for one in values if one is not None and is_lost(one))
            self._lost = next((one for one in lost if one.type.code in _SCALARS), value)
        return self._lost

    def _described(self, name: str, symbol: gdb.Symbol) -> List[Captured]:
        """The array of which gfortran keeps the address only."""
        pointer = read(symbol, self._handle)
        if pointer is None or is_lost(pointer) or pointer.type.code != gdb.TYPE_CODE_PTR:
            return []
        found = enclosing.at_address(self._handle, name, int(pointer))
        return [] if found is None else [Captured(name, found.symbol, found.value)]

    def _shared(self, context: gdb.Symbol, names: Set[str]) -> List[Captured]:
        pointer = read(context, self._handle)
        if pointer is None or is_lost(pointer):
            return []
        found = enclosing.shared_by(self._handle, pointer)
        told = {one.symbol.name: one for one in found if one.symbol.name not in names}
        return [Captured(name, *one) for name, one in told.items()]


_SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLT)
