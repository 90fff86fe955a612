# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a frame as the source has them, also where its code was outlined.

In an outlined function the compiler has variables and arguments of its own. Of the user's, GCC
makes locals. Clang makes references of them and passes these as arguments; a copy that the
construct has of its own is a local of the same name. And it makes two functions, of which one only
passes them on to the other. What a task of Clang's shares it knows no names of; and the bounds of
arrays that were computed are known to the function around the construct only (`enclosing`).
"""

from __future__ import annotations

import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import gdb

from ompdbg.gdb_services import enclosing, lost, placed, sections, texts
from ompdbg.gdb_services.enclosing import Wanted
from ompdbg.gdb_services.frame_symbols import (
    Reading,
    blocks,
    declared_type,
    function_block,
    is_hosts,
    is_of_construct,
    is_passed_by_element,
    lost_scalar,
    read,
    symbols,
)
from ompdbg.gdb_services.lacking import is_of_fortran, is_placeless
from ompdbg.generated_names import LENGTH, is_generated, original

_CONTEXT = "__context"
# GDB's server for front ends, which read large arrays piece by piece.
_SERVER = "gdb.dap.server"
_NO_BOUNDS = "its bounds are not known here"


# What "print frame-arguments scalars" leaves out.
_NOT_SHOWN = gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY


class Captured(NamedTuple):
    """A variable; without a value if it has to be read from the frame. Without a symbol if that is
    of an argument, which the variable is not here."""

    name: str
    symbol: Optional[gdb.Symbol]
    value: Optional[gdb.Value]
    problem: Optional[str] = None  # why it cannot be read

    @property
    def is_lost(self) -> bool:
        """It was optimized out, or cannot be read."""
        try:
            return self.value is None or bool(self.value.is_optimized_out)
        except gdb.error:
            return True


def arguments(handle: gdb.Frame) -> List[Captured]:
    """Arguments of a frame's function; a construct has none."""
    if is_of_construct(handle):
        return []
    block = function_block(handle)
    found = [] if block is None else [symbol for symbol in block if symbol.is_argument]
    told = [_argument(symbol, handle) for symbol in found if is_users(symbol)]
    return [_there(one, handle) for one in told]


def local_variables(handle: gdb.Frame, anywhere: bool = True) -> List[Captured]:
    """Local variables, those of the innermost block first. anywhere: for what is known of them,
    other threads are looked at, too."""
    if is_of_construct(handle):
        return _Construct(handle, anywhere).variables()
    found: Dict[Tuple[str, int], Captured] = {}
    for block in blocks(handle):
        outer = set(found)  # from here: what copies of a construct's own were made from
        for symbol in block:
            key = texts.name(symbol), symbol.line
            if key in outer or symbol.is_argument or not is_users(symbol):
                continue
            # What was inlined is told once more where it is optimized out.
            if key not in found or found[key].is_lost:
                own = None if block.function is not None else _workshared(symbol, handle)
                found[key] = own or _as_it_is(symbol, handle, anywhere)
    return [readable(one, handle) for one in found.values()]


def _workshared(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[Captured]:
    """Of which it is not known whether a construct has a copy of all of it."""
    if not sections.may_be_of_worksharing(symbol, handle):
        return None
    return Captured(texts.name(symbol), None, None, sections.REASON)


def _argument(symbol: gdb.Symbol, handle: gdb.Frame) -> Captured:
    """GDB tells the values, but only in the selected frame all of them right."""
    if symbol.type is None or not symbol.type.dynamic:
        return Captured(texts.name(symbol), symbol, None)
    return _as_it_is(symbol, handle, False)


def _as_it_is(symbol: gdb.Symbol, handle: gdb.Frame, anywhere: bool) -> Captured:
    name, found = texts.name(symbol), read(symbol, handle)
    if found is None:
        return Captured(name, symbol, None)
    if _is_reference(symbol) and _is_compilers(symbol) and not found.is_lost:
        return Captured(name, symbol, found.target().value)
    is_other = _is_computed_elsewhere(symbol, found, handle)
    if found.address is None or not is_other and not found.is_without_bounds:
        return Captured(name, symbol, found.value)
    if lost.said_of_nothing(found.value) is not None:
        return Captured(name, symbol, found.value)
    wanted = Wanted(name, symbol.line, found.address)
    known = enclosing.with_bounds(handle, wanted, anywhere)
    if known is None and (is_other or found.has_false_bounds or not found.address):
        return Captured(name, None, None, _NO_BOUNDS)
    return Captured(name, symbol, found.value if known is None else known)


def _is_computed_elsewhere(symbol: gdb.Symbol, found: Reading, handle: gdb.Frame) -> bool:
    """An array whose bounds are computed in the frame of the function around this one."""
    is_computed = symbol.type is not None and symbol.type.dynamic
    return is_computed and _is_array(found.value.type) and is_hosts(symbol, handle)


def _is_compilers(symbol: gdb.Symbol) -> bool:
    """A reference that no one declared: of what a lambda captured, or of Fortran."""
    return not symbol.line or is_of_fortran(symbol)


def _local(one: Captured) -> Captured:
    """GDB leaves out of the local variables what it knows as an argument."""
    symbol = one.symbol
    if symbol is None or one.value is None or not symbol.is_argument:
        return one
    return one._replace(symbol=None)


def readable(one: Captured, handle: gdb.Frame) -> Captured:
    """What cannot be read is told so; GDB would tell nothing of those after it."""
    value = one.value
    if one.problem is not None:
        return one
    try:
        if value is None and one.symbol is not None:
            value = placed.value(one.symbol, handle)
        if value is not None:
            value.fetch_lazy()
    except gdb.error as error:
        nothing = None if value is None else lost.said_of_nothing(value)
        if nothing is not None:
            problem = nothing if _SERVER in sys.modules else None
            return Captured(one.name, None, value if problem is None else None, problem)
        is_too_large = value is not None and not isinstance(error, gdb.MemoryError)
        if not is_too_large or _SERVER not in sys.modules:
            return Captured(one.name, None, None, str(error))
    if value is not None and lost.is_without_place(value):
        scalar = lost_scalar(handle)
        problem = "it was optimized out" if scalar is None else None
        return Captured(one.name, one.symbol, scalar, problem)
    return one._replace(value=None if value is None else lost.shown(value))


def _there(one: Captured, handle: gdb.Frame) -> Captured:
    """As readable(), of an argument, of which GDB need not show all."""
    value = one.value
    try:
        if value is None and one.symbol is not None:
            value = placed.value(one.symbol, handle)
        address = None if value is None else value.address
        if address is not None:
            gdb.selected_inferior().read_memory(int(address), 1)
        if value is not None and value.type.strip_typedefs().code not in _NOT_SHOWN:
            value.fetch_lazy()
        if one.symbol is not None and is_placeless(one.symbol):
            return Captured(one.name, None, value)
    except gdb.error as error:
        # Of a scalar GDB prints why only by a reference; its DAP server fails on that.
        told = lost_scalar(handle) if value is None else value.reference_value()
        if _SERVER in sys.modules:
            told = None
        return Captured(one.name, None, told, str(error) if told is None else None)
    if one.symbol is None or placed.is_right(one.symbol, handle):
        return one
    return one._replace(value=value)


def is_users(symbol: gdb.Symbol) -> bool:
    """A variable that the source has, too."""
    if not symbol.is_variable and not symbol.is_argument:
        return False
    return not is_generated(texts.name(symbol), is_of_fortran(symbol))


def _is_array(kind: gdb.Type) -> bool:
    return kind.code == gdb.TYPE_CODE_ARRAY


def _is_pointer_to_array(kind: gdb.Type) -> bool:
    """Gfortran's of an array whose bounds are computed; pointers of the user's are descriptors."""
    return kind.code == gdb.TYPE_CODE_PTR and _is_array(kind.target())


def _is_reference(symbol: gdb.Symbol) -> bool:
    return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_REF


# ---- Constructs -----------------------------------------------------------------------------


class _Construct:
    """The frame of a construct's code."""

    def __init__(self, handle: gdb.Frame, anywhere: bool) -> None:
        self._handle = handle
        self._anywhere = anywhere
        self._groups: Dict[Tuple[str, int], List[gdb.Symbol]] = {}
        self._context: Optional[gdb.Symbol] = None
        self._descriptors: Dict[str, gdb.Symbol] = {}
        self._lost: Optional[gdb.Value] = None  # a value that was optimized out

    def variables(self) -> List[Captured]:
        self._collect()
        found = [readable(self._variable(one), self._handle) for one in self._groups.values()]
        names = {one.name for one in found if one.problem is None}
        for name, symbol in self._descriptors.items():
            if name not in names:
                found += self._described(name, symbol)
        if self._context is not None:
            shared = [readable(one, self._handle) for one in self._shared(self._context, names)]
            known = {one.name for one in shared}
            found = [one for one in found if one.problem is None or one.name not in known]
            found += shared
        return [_local(one) for one in found]

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
                self._groups.setdefault((texts.name(symbol), symbol.line), [symbol])
            else:
                whole.setdefault(texts.name(symbol), []).append(symbol)
        for name, group in whole.items():
            line = max(symbol.line for symbol in group)
            self._groups.setdefault((name, line), group)

    def _note(self, symbol: gdb.Symbol) -> None:
        """Of what is the compiler's some tells of the user's."""
        if texts.name(symbol) == _CONTEXT:
            self._context = symbol
        elif symbol.is_variable and "." in texts.name(symbol) and is_of_fortran(symbol):
            self._descriptors.setdefault(original(texts.name(symbol)), symbol)

    @staticmethod
    def _is_length(symbol: gdb.Symbol) -> bool:
        """Clang passes the lengths of arrays as well."""
        if not symbol.is_argument or texts.name(symbol) != LENGTH or symbol.line:
            return False
        return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_INT

    def _variable(self, group: List[gdb.Symbol]) -> Captured:
        """Of one variable; a copy of the construct's own goes before what it was copied from."""
        own = [symbol for symbol in group if not symbol.is_argument]
        name = group[0].name
        for symbol in own or group:
            found = read(symbol, self._handle)
            if found is not None and not found.is_lost:
                line = max(one.line for one in group)
                if self._is_mistaken(symbol):
                    return Captured(name, None, None, "its place is not known here")
                if sections.may_be_section(symbol, found.value, line, self._handle):
                    return Captured(name, None, None, sections.REASON)
                if self._may_be_an_element(symbol, line):
                    return Captured(name, None, None, "its declaration was not found")
                value = self._as_written(symbol, found, line)
                if value is None and found.is_without_bounds:
                    return Captured(name, None, None, _NO_BOUNDS)
                return Captured(name, symbol, value)
        symbol = (own or group)[0]
        passed = None if own or not _is_reference(symbol) else self._passed(symbol)
        if passed is None:
            passed = self._none(read(symbol, self._handle))
        return Captured(name, symbol, passed)

    def _is_mistaken(self, symbol: gdb.Symbol) -> bool:
        """What a task shares Clang takes for the reference that it is one to."""
        is_shared = self._context is not None and not symbol.is_argument
        return is_shared and _is_reference(symbol) and is_hosts(symbol, self._handle)

    def _may_be_an_element(self, symbol: gdb.Symbol, line: int) -> bool:
        """Of an array whose length is computed Clang passes the place of the first element."""
        if not symbol.is_argument or not _is_reference(symbol):
            return False
        others = (one for one, _ in symbols(self._handle))
        return any(map(self._is_length, others)) and declared_type(symbol, line) is None

    def _as_written(self, symbol: gdb.Symbol, found: Reading, line: int) -> Optional[gdb.Value]:
        """Without what the compiler added to the type, and with the bounds that it left out."""
        try:
            if not _is_reference(symbol):
                return self._whole(symbol, found, line)
            if not symbol.is_argument:  # GCC's
                return found.target().value if _is_compilers(symbol) else found.value
            declared = declared_type(symbol, line)
            if declared is not None and declared.code == gdb.TYPE_CODE_REF:
                return found.value
            target = found.target()
            if declared is None or not is_passed_by_element(symbol, declared):
                return target.value
            # Of such an array the place of its first element is all that Clang passes on.
            if target.address is None:
                return None
            wanted = Wanted(texts.name(symbol), line, target.address)
            known = enclosing.with_bounds(self._handle, wanted, self._anywhere)
            if known is not None or _is_array(target.value.type):
                return known
            return target.value.address
        except gdb.error:
            return None

    def _whole(self, symbol: gdb.Symbol, found: Reading, line: int) -> Optional[gdb.Value]:
        value = found.value
        if is_of_fortran(symbol) and _is_pointer_to_array(value.type):
            at = enclosing.at_address(self._handle, texts.name(symbol), int(value), self._anywhere)
            return value if at is None else at.value
        is_other = _is_computed_elsewhere(symbol, found, self._handle)
        if found.address is None or not is_other and not found.is_without_bounds:
            return value
        wanted = Wanted(texts.name(symbol), line, found.address)
        known = enclosing.with_bounds(self._handle, wanted, self._anywhere)
        if known is None and is_other:
            return gdb.Value(found.address).cast(value.type.target().pointer())
        if known is None and (found.has_false_bounds or not found.address):
            return None
        return value if known is None else known

    def _passed(self, symbol: gdb.Symbol) -> Optional[gdb.Value]:
        """What is optimized out may still be where it was passed on."""
        outer = self._handle.older()
        if outer is None or not is_of_construct(outer):
            return None
        if self._may_be_an_element(symbol, symbol.line):
            return None
        for one, _ in symbols(outer):
            if texts.name(one) == texts.name(symbol) and one.is_argument and _is_reference(one):
                found = read(one, outer)
                if found is not None and not found.is_lost:
                    return self._as_written(symbol, found, symbol.line)
        return None

    def _none(self, found: Optional[Reading]) -> Optional[gdb.Value]:
        """GDB tells of an array without bounds that it were at 0."""
        if found is None or not found.is_without_bounds:
            return None if found is None else found.value
        if self._lost is None:
            lost = lost_scalar(self._handle)
            self._lost = found.value if lost is None else lost
        return self._lost

    def _described(self, name: str, symbol: gdb.Symbol) -> List[Captured]:
        """The array of which gfortran keeps the address only."""
        pointer = read(symbol, self._handle)
        if pointer is None or pointer.is_lost or pointer.value.type.code != gdb.TYPE_CODE_PTR:
            return []
        found = enclosing.at_address(self._handle, name, int(pointer.value), self._anywhere)
        if found is None:
            return []
        return [readable(Captured(name, found.symbol, found.value), self._handle)]

    def _shared(self, context: gdb.Symbol, names: Set[str]) -> List[Captured]:
        pointer = read(context, self._handle)
        if pointer is None or pointer.is_lost:
            return []
        found = enclosing.shared_by(self._handle, pointer.value, self._anywhere)
        told = {texts.name(one.symbol): one for one in found}
        told = {name: one for name, one in told.items() if name not in names}
        return [Captured(name, *one) for name, one in told.items()]


# ---- Other threads --------------------------------------------------------------------------


def may_lie_elsewhere(handle: gdb.Frame) -> bool:
    """A construct uses variables of which others know more. The code tells that."""
    return is_of_construct(handle) and any(True for _ in _told_elsewhere(handle))


def lies_elsewhere(handle: gdb.Frame, stack: range) -> bool:
    """They are not all on its own stack."""
    for symbol in _told_elsewhere(handle):
        found = read(symbol, handle)
        if found is not None and not found.is_lost:
            if any(address not in stack for address in _places(symbol, found)):
                return True
    return False


def _told_elsewhere(handle: gdb.Frame) -> Iterator[gdb.Symbol]:
    return (symbol for symbol, _ in symbols(handle) if _may_be_told_elsewhere(symbol))


def _may_be_told_elsewhere(symbol: gdb.Symbol) -> bool:
    if texts.name(symbol) == _CONTEXT:
        return True
    kind = symbol.type
    if kind is None or not (symbol.is_variable or symbol.is_argument):
        return False
    if symbol.is_argument:  # Clang's
        declared = declared_type(symbol, symbol.line) if _is_reference(symbol) else None
        return declared is not None and is_passed_by_element(symbol, declared)
    return kind.dynamic or (is_of_fortran(symbol) and _is_pointer_to_array(kind))


def _places(symbol: gdb.Symbol, found: Reading) -> List[int]:
    try:
        if texts.name(symbol) == _CONTEXT:
            return enclosing.given_addresses(found.value)
        if _is_reference(symbol):
            found = found.target()
        elif found.value.type.code == gdb.TYPE_CODE_PTR:
            return [int(found.value)]
    except gdb.error:
        return []
    return [] if found.address is None else [found.address]
