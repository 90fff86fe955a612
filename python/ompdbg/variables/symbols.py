# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB's symbols tell of the variables of a frame."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional

import _ompdbg
import gdb

from ompdbg.console import encoding
from ompdbg.frames.code_places import called, is_call, known_of_code, listed
from ompdbg.inferior import selection
from ompdbg.variables import compilers, locations
from ompdbg.variables.compilers import is_bound
from ompdbg.variables.values import address_of

_SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLT)

# Where no place of a variable is known. Such arguments GDB does not tell in GDB/MI, and comes to
# no end where it asks frame decorators for them.
_PLACELESS = (
    gdb.SYMBOL_LOC_CONST,
    gdb.SYMBOL_LOC_CONST_BYTES,
    gdb.SYMBOL_LOC_OPTIMIZED_OUT,
    gdb.SYMBOL_LOC_UNRESOLVED,
)


def is_of_construct(handle: Optional[gdb.Frame]) -> bool:
    """Check that the frame's function is the outlined code of a construct."""
    now = None if handle is None else listed(handle)
    if now is None:
        return _is_of_construct(handle)
    if is_of_construct not in now.known:
        now.known[is_of_construct] = _is_of_construct(handle)
    return bool(now.known[is_of_construct])


def _is_of_construct(handle: Optional[gdb.Frame]) -> bool:
    function = None if handle is None else handle.function()
    return function is not None and _ompdbg.is_outlined(
        encoding.of(function, "linkage_name") or encoding.name(function)
    )


class Block(NamedTuple):
    """A block of code, and its symbols."""

    symbols: List[gdb.Symbol]
    is_function: bool


def symbols(handle: gdb.Frame) -> Iterator[gdb.Symbol]:
    """Yield the symbols of the frame's function, from its innermost block on."""
    for block in blocks(handle):
        yield from block.symbols


def blocks(handle: gdb.Frame) -> List[Block]:
    """Return the blocks of the frame's function, from the innermost one on."""
    known = known_of_code(handle)
    if Block not in known:
        known[Block] = list(_blocks(handle))
    found: List[Block] = known[Block]
    return found


def _blocks(handle: gdb.Frame) -> Iterator[Block]:
    try:
        block: Optional[gdb.Block] = handle.block()
    except RuntimeError:
        return  # no debug information
    while block is not None and not block.is_global and not block.is_static:
        is_function = block.function is not None
        yield Block(list(block), is_function)
        block = None if is_function else block.superblock


class Reading(NamedTuple):
    """What is known of the value of a variable."""

    value: gdb.Value
    address: Optional[int]  # in memory
    has_false_bounds: bool = False  # those of an array that GDB has may be wrong

    @property
    def is_lost(self) -> bool:
        """Check that it was optimized out. (To GDB, an array without bounds is, also in
        memory.)"""
        try:
            return bool(self.value.is_optimized_out) and not self._is_array_in_memory()
        except gdb.error:
            return True

    @property
    def is_without_bounds(self) -> bool:
        """Check for an array whose bounds were to be computed, and cannot be."""
        return self.has_false_bounds or any(map(_is_computed, _dimensions(self.value.type)))

    def _is_array_in_memory(self) -> bool:
        return self.address is not None and is_array(self.value.type)

    def target(self) -> Reading:
        """Return what a reference refers to."""
        value = self.value.referenced_value()
        return Reading(value, address_of(value))


def value_of(symbol: gdb.Symbol, handle: gdb.Frame) -> gdb.Value:
    """Return the value of a variable, which is read once while those of its frame are listed.
    Raises gdb.error."""
    now = listed(handle)
    if now is None or is_dynamic(symbol):  # GDB may take its bounds out of the selected frame
        return locations.value(symbol, handle)
    entry = now.values.get(id(symbol))
    if entry is None:
        try:
            entry = symbol, locations.value(symbol, handle)
        except gdb.error as error:
            entry = symbol, error
        now.values[id(symbol)] = entry
    found = entry[1]
    if isinstance(found, Exception):
        raise found.with_traceback(None)
    return found


def read(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[Reading]:
    """Return what is known of the value of a variable; None if it cannot be read."""
    value = read_value(symbol, handle)
    if value is None:
        return None
    return Reading(value, address_of(value), _may_have_false_bounds(symbol, handle))


def read_value(symbol: gdb.Symbol, handle: gdb.Frame) -> Optional[gdb.Value]:
    """Return the value of a variable; None if it cannot be read."""
    try:
        if not is_dynamic(symbol):
            return value_of(symbol, handle)
        # GDB takes what bounds are computed from out of the selected frame.
        with selection.frame(called(handle)):
            return locations.value(symbol, handle)
    except (gdb.error, ValueError, TypeError):
        return None


def _may_have_false_bounds(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check whether the bounds of an array may be other than debug information says. Where a bound
    was computed and lost, Clang's says that the array has one element."""
    if symbol.type is None or not is_array(symbol.type):
        return False
    bounds = [one for one in symbols(handle) if is_bound(encoding.name(one))]
    if not symbol.type.dynamic:
        return bool(bounds) and any(map(_is_of_one, _dimensions(symbol.type)))
    if is_hosts(symbol, handle) or compilers.has_other_bounds(locations.producer(handle)):
        return True
    return not all(locations.is_right(one, handle) for one in bounds)


def _is_of_one(array: gdb.Type) -> bool:
    low, high = array.range()
    return bool(low == high)


def _is_computed(array: gdb.Type) -> bool:
    bounds = array.fields()[0].type
    return bounds is None or bounds.dynamic


def _dimensions(kind: gdb.Type) -> Iterator[gdb.Type]:
    """Yield an array, and the arrays that are its elements."""
    while is_array(kind):
        yield kind
        kind = kind.target().strip_typedefs()


def lost_scalar(handle: gdb.Frame) -> Optional[gdb.Value]:
    """Return a value of the frame that was optimized out, to stand for another."""
    known = known_of_code(handle)
    if lost_scalar not in known:
        known[lost_scalar] = list(filter(_may_be_scalar, symbols(handle)))
    for symbol in known[lost_scalar]:
        found = read_value(symbol, handle)
        if found is not None and found.type.code in _SCALARS and is_lost(found):
            return found
    return None


def is_lost(value: gdb.Value) -> bool:
    """Check that a value was optimized out, or cannot be read."""
    try:
        return bool(value.is_optimized_out)
    except gdb.error:
        return True


def _may_be_scalar(symbol: gdb.Symbol) -> bool:
    kind = symbol.type
    return kind is None or kind.code in _SCALARS or kind.dynamic


def is_unsure_copy(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check whether an array may be a copy of some elements only (`reduction(+: a[2:5])`). Clang
    does not tell where its copies are declared. That of a whole array has the array's type: it is
    that of the argument, or of all variables for which the name may stand."""
    from ompdbg.inferior import session

    if symbol.line or symbol.is_argument or symbol.type is None or not is_array(symbol.type):
        return False
    if not compilers.is_llvms(locations.producer(handle)):
        return False
    of_name = (one for one in symbols(handle) if encoding.name(one) == encoding.name(symbol))
    passed = [one.type for one in of_name if one.is_argument]
    if passed:
        return not any(kind is not None and _referred(kind) == symbol.type for kind in passed)
    address = handle.pc() - is_call(handle)
    return not session.services().files.copies_whole(address, encoding.name(symbol))


def is_of_precondition(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check for what Clang has in place of a loop's variable where it checks whether the loop runs
    at all. Its debug information has no other by that name."""
    from ompdbg.inferior import session

    if symbol.line or symbol.is_argument or not compilers.is_llvms(locations.producer(handle)):
        return False
    name, known = encoding.name(symbol), known_of_code(handle)
    if (is_of_precondition, name) not in known:
        address = handle.pc() - is_call(handle)
        found = session.services().files.is_of_precondition(address, name)
        known[is_of_precondition, name] = found
    return bool(known[is_of_precondition, name])


def _referred(kind: gdb.Type) -> Optional[gdb.Type]:
    return kind.target() if kind.code == gdb.TYPE_CODE_REF else None


def is_hosts(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check for a variable that an internal procedure has of the one around it. GDB computes
    bounds of such arrays from the wrong frame."""
    is_inlined = handle.type() == gdb.INLINE_FRAME and not is_of_construct(handle)
    if is_inlined and not is_of_fortran(symbol):
        return False  # GDB has the line of its call as that of such a function
    function = handle.function()
    return function is not None and 0 < symbol.line < function.line


def is_dynamic(symbol: gdb.Symbol) -> bool:
    """Check that something of its type is computed."""
    return symbol.type is not None and bool(symbol.type.dynamic)


def is_array(kind: gdb.Type) -> bool:
    """Check for an array, also one of unknown bounds."""
    return bool(kind.code == gdb.TYPE_CODE_ARRAY)


def is_reference(symbol: gdb.Symbol) -> bool:
    """Check for a reference, as C++ has them."""
    return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_REF


def is_constant(symbol: gdb.Symbol) -> bool:
    """Check for a variable of which only the value is left, and no enumerator."""
    if not symbol.is_constant or symbol.type is None:
        return False
    kind = symbol.type.strip_typedefs()
    return kind.code != gdb.TYPE_CODE_ENUM or symbol.name not in (
        one.name for one in kind.fields()
    )


def is_placeless(symbol: gdb.Symbol) -> bool:
    """Check for a variable without a place: GDB has to be told its name instead of the symbol."""
    return symbol.addr_class in _PLACELESS


def may_be_nowhere(symbol: gdb.Symbol) -> bool:
    """Check for an argument that may lie elsewhere than in the frame: GDB fails if nothing is
    there, for example for an optional one in Fortran."""
    kind = symbol.type
    if kind is None or is_placeless(symbol) or is_of_fortran(symbol):
        return True
    return kind.dynamic or kind.strip_typedefs().code == gdb.TYPE_CODE_STRUCT


def is_of_fortran(symbol: gdb.Symbol) -> bool:
    """Check for a variable of a source file in Fortran."""
    return symbol.symtab is not None and _ompdbg.is_fortran(encoding.of(symbol.symtab, "filename"))
