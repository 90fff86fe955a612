# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a frame as the source has them, also where its code was outlined.

In an outlined function the compiler has variables and arguments of its own. Of the user's, GCC
makes locals. Clang makes references of them and passes these as arguments; a copy that the
construct has of its own is a local of the same name. Clang makes two functions, of which one only
passes them on to the other. What a task of Clang's shares it knows no names of; and the bounds of
arrays that were computed are known to the function around the construct only (`outer_frames`).

What is not surely right is shown as <unavailable>.
"""

from __future__ import annotations

import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import gdb

from ompdbg.console import encoding
from ompdbg.frames.code_places import known_of_code, listing
from ompdbg.variables import locations, outer_frames, values
from ompdbg.variables.compilers import LENGTH, is_generated, original
from ompdbg.variables.symbols import (
    Block,
    blocks,
    is_array,
    is_dynamic,
    is_hosts,
    is_lost,
    is_of_construct,
    is_of_fortran,
    is_of_precondition,
    is_constant,
    is_placeless,
    is_reference,
    is_unsure_copy,
    lost_scalar,
    read,
    symbols,
    value_of,
)

_CONTEXT = "__context"
# GDB's server for front ends, which read large arrays piece by piece.
_SERVER = "gdb.dap.server"
_UNAVAILABLE, _LOST = "<unavailable>", "<optimized out>"

# What "print frame-arguments scalars" leaves out.
_NOT_SHOWN = gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY
# Values that GDB shows all of, and reads at once.
_READ_AS_WHOLE = gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLT


class Captured(NamedTuple):
    """A variable; without a value if it has to be read from the frame. Without a symbol if that is
    of an argument, which the variable is not here."""

    name: str
    symbol: Optional[gdb.Symbol]
    value: Optional[gdb.Value]
    problem: Optional[str] = None  # what is shown instead of the value

    @property
    def is_lost(self) -> bool:
        """Check that it was optimized out, or cannot be read."""
        return self.value is None or is_lost(self.value)


def arguments(handle: gdb.Frame) -> List[Captured]:
    """Return arguments of a frame's function; a construct has none."""
    with listing(handle):
        return _arguments(handle)


def _arguments(handle: gdb.Frame) -> List[Captured]:
    if is_of_construct(handle):
        return []
    of_code = known_of_code(handle)
    if arguments not in of_code:
        of_code[arguments] = list(_declared_arguments(handle))
    told = [
        # GDB tells the values, but only in the selected frame all of them right.
        (_variable(one.symbol, handle, False) if is_dynamic(one.symbol) else one, is_whole)
        for one, is_whole in of_code[arguments]
    ]
    return [_there(one, handle, is_whole) for one, is_whole in told]


def _declared_arguments(handle: gdb.Frame) -> Iterator[Tuple[Captured, bool]]:
    """Yield the user's arguments of a function, and whether each has a value that is read as a
    whole."""
    found = [symbol for block in blocks(handle) if block.is_function for symbol in block.symbols]
    for symbol in found:
        if symbol.is_argument and is_users(symbol):
            kind = None if symbol.type is None else symbol.type.strip_typedefs()
            yield Captured(encoding.name(symbol), symbol, None), (
                kind is not None and kind.code in _READ_AS_WHOLE and not kind.dynamic
            )


def named(handle: gdb.Frame, name: str) -> Optional[Captured]:
    """Return the variable that a name stands for in a frame."""
    found = local_variables(handle, True, name)
    found += [one for one in arguments(handle) if not found and one.name == name]
    return found[0] if found else None


def local_variables(
    handle: gdb.Frame, anywhere: bool = True, only: Optional[str] = None
) -> List[Captured]:
    """Return local variables, those of the innermost block first. A construct has also those of
    the function around it. anywhere: look at other threads, too, for what they know of them. only:
    those of that name."""
    with listing(handle):
        return _local_variables(handle, anywhere, only)


def _local_variables(handle: gdb.Frame, anywhere: bool, only: Optional[str]) -> List[Captured]:
    is_construct = is_of_construct(handle)
    found: Dict[Tuple[str, int], Captured] = {}
    of_code = known_of_code(handle)
    if only not in of_code:
        of_code[only] = [
            [
                (key, symbol, _is_plain(symbol, is_construct))
                for key, symbol in _declared(block, is_construct, only)
                if not _has_copy(symbol, handle)
            ]
            for block in blocks(handle)
        ]
    for declared in of_code[only]:
        outer = set(found)  # from here: what copies of a construct's own were made from
        for key, symbol, is_plain in declared:
            # What was inlined is told once more where it is optimized out.
            if key not in outer and (key not in found or found[key].is_lost):
                told = None if is_plain else _variable(symbol, handle, anywhere)
                found[key] = readable(told or Captured(key[0], symbol, None), handle)
    variables = [_local(one) for one in found.values()]
    if not is_construct or (only is not None and variables and variables[0].problem is None):
        return variables
    known = {one.name for one in variables if one.problem is None}
    more = {one.name: one for one in _named_elsewhere(handle, anywhere) if one.name not in known}
    found_more = [one for one in more.values() if only in (None, one.name)]
    return [one for one in variables if one.name not in more] + found_more


def _declared(
    block: Block, is_construct: bool, only: Optional[str]
) -> Iterator[Tuple[Tuple[str, int], gdb.Symbol]]:
    """Yield variables by name and line. Among what belongs to a construct's function as a whole
    the name is enough, and its own copies stand for the arguments that they were made from."""
    found = [
        symbol
        for symbol in block.symbols
        if only in (None, encoding.name(symbol)) and is_users(symbol) and not _is_length(symbol)
    ]
    is_whole = is_construct and block.is_function
    copies = {encoding.name(symbol) for symbol in found if not symbol.is_argument}
    for symbol in found:
        name = encoding.name(symbol)
        if symbol.is_argument and (not is_construct or name in copies):
            continue
        lines = (one.line for one in found if encoding.name(one) == name)
        yield (name, max(lines) if is_whole else symbol.line), symbol


def _has_copy(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check for a reference of the compiler's to what the code has a copy of, by the same name."""
    if symbol.is_argument or symbol.line or not is_reference(symbol):
        return False
    name = encoding.name(symbol)
    undeclared = (one for one in symbols(handle) if not one.is_argument and not one.line)
    return any(encoding.name(one) == name and not is_reference(one) for one in undeclared)


def _is_plain(symbol: gdb.Symbol, is_construct: bool) -> bool:
    """Check that a variable is what it is declared as, whatever its value: _variable() adds
    nothing to its value."""
    kind = symbol.type
    if kind is None or kind.dynamic or is_array(kind) or is_reference(symbol):
        return False
    if not symbol.line and not symbol.is_argument:
        return False  # nobody declared it
    return not (is_construct and is_of_fortran(symbol) and _is_pointer_to_array(kind))


def _variable(symbol: gdb.Symbol, handle: gdb.Frame, anywhere: bool) -> Captured:
    """Return the variable without what the compiler added to its type, and with the bounds that
    the compiler left out."""
    name, found = encoding.name(symbol), read(symbol, handle)
    unavailable = Captured(name, None, None, _UNAVAILABLE)
    if found is None:
        return Captured(name, symbol, None)
    if found.is_lost or values.said_of_nothing(found.value) is not None:
        return Captured(name, symbol, found.value)
    is_construct, address = is_of_construct(handle), found.address
    is_clangs = is_construct and symbol.is_argument
    if is_unsure_copy(symbol, handle) or is_of_precondition(symbol, handle):
        return unavailable
    if is_construct and _is_mistaken(symbol, handle):
        return unavailable
    try:
        if is_reference(symbol) and (is_clangs or _is_compilers(symbol)):
            found = found.target()
            if not is_clangs or not any(map(_is_length, symbols(handle))):
                return Captured(name, symbol, found.value)
            address = found.address  # of the array, or of its first element
        elif is_construct and is_of_fortran(symbol) and _is_pointer_to_array(found.value.type):
            address = int(found.value)
        elif not found.is_without_bounds or address is None:
            return Captured(name, symbol, found.value)
    except gdb.error:
        return unavailable
    if not address:
        return _optimized_out(name, None, handle)
    value = outer_frames.at_address(handle, name, address, anywhere)
    if value is None:
        return unavailable
    return Captured(name, symbol, value)


def _is_mistaken(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check for what a task shares, which Clang takes for the reference to it."""
    if symbol.is_argument or not is_reference(symbol) or not is_hosts(symbol, handle):
        return False
    return any(encoding.name(one) == _CONTEXT for one in symbols(handle))


def _is_compilers(symbol: gdb.Symbol) -> bool:
    """Check for a reference that no one declared: to what a lambda captured, or in Fortran."""
    return not symbol.line or is_of_fortran(symbol)


def _is_length(symbol: gdb.Symbol) -> bool:
    """Check for the length of an array. Clang passes it as an argument, and then the array as the
    place of its first element."""
    if not symbol.is_argument or encoding.name(symbol) != LENGTH or symbol.line:
        return False
    return symbol.type is not None and symbol.type.code == gdb.TYPE_CODE_INT


def _local(one: Captured) -> Captured:
    """Return the variable without its symbol if GDB knows it as an argument: it would leave it
    out."""
    symbol = one.symbol
    if symbol is None or one.value is None or not symbol.is_argument:
        return one
    return one._replace(symbol=None)


def _named_elsewhere(handle: gdb.Frame, anywhere: bool) -> List[Captured]:
    """Return variables of which the construct's code knows where they are, but not as what."""
    found: List[Captured] = []
    for symbol in symbols(handle):
        name = encoding.name(symbol)
        is_context = name == _CONTEXT
        if not is_context and not _is_address_of_array(symbol):
            continue
        pointer = read(symbol, handle)
        if pointer is None or pointer.is_lost or pointer.value.type.code != gdb.TYPE_CODE_PTR:
            continue
        if is_context:
            shared = outer_frames.shared_by(handle, pointer.value, anywhere)
            found += [Captured(encoding.name(one.symbol), *one) for one in shared]
        else:
            value = outer_frames.at_address(handle, original(name), int(pointer.value), anywhere)
            if value is not None:
                found.append(Captured(original(name), None, value))
    return [_local(readable(one, handle)) for one in found]


def _is_address_of_array(symbol: gdb.Symbol) -> bool:
    """Check for the address of an array, which gfortran keeps in a variable of its own."""
    return symbol.is_variable and "." in encoding.name(symbol) and is_of_fortran(symbol)


def readable(one: Captured, handle: gdb.Frame) -> Captured:
    """Return the variable, or why it cannot be read: GDB would show nothing of those after it."""
    value = one.value
    if one.problem is not None:
        return one
    try:
        if value is None and one.symbol is not None:
            value = value_of(one.symbol, handle)
        if value is not None:
            value.fetch_lazy()
    except gdb.error as error:
        nothing = None if value is None else values.said_of_nothing(value)
        if nothing is not None:
            problem = f"<{nothing}>" if _SERVER in sys.modules else None
            return Captured(one.name, None, value if problem is None else None, problem)
        is_unread = isinstance(error, gdb.MemoryError)
        if value is None or is_unread or values.address_of(value) is None:
            return Captured(one.name, None, None, _why(error))
        if _SERVER not in sys.modules:  # too large: by a reference, GDB prints why
            return Captured(one.name, None, value.reference_value())
    if value is not None and values.is_without_place(value):
        return _optimized_out(one.name, one.symbol, handle)
    return one._replace(value=None if value is None else values.shown(value))


def _there(one: Captured, handle: gdb.Frame, is_whole: bool) -> Captured:
    """Return an argument, or why it cannot be read; GDB need not show all of it. is_whole: it
    does."""
    value = one.value
    try:
        if value is None and one.symbol is not None:
            value = value_of(one.symbol, handle)
        address = None if value is None or is_whole else values.address_of(value)
        if address is not None:
            gdb.selected_inferior().read_memory(address, 1)
        if value is not None and (
            is_whole
            or value.type.strip_typedefs().code not in _NOT_SHOWN
            or (values.is_too_large(value) and _SERVER not in sys.modules)
        ):
            value.fetch_lazy()
        if one.symbol is not None and is_placeless(one.symbol):
            return Captured(one.name, None, value)
    except gdb.error as error:
        # Of a scalar GDB prints why only by a reference; its DAP server fails on that.
        told = lost_scalar(handle) if value is None else value.reference_value()
        if _SERVER in sys.modules:
            told = None
        return Captured(one.name, None, told, _why(error) if told is None else None)
    if one.symbol is None or locations.is_right(one.symbol, handle):
        return one
    return one._replace(value=value)


def _optimized_out(name: str, symbol: Optional[gdb.Symbol], handle: gdb.Frame) -> Captured:
    scalar = lost_scalar(handle)
    return Captured(name, symbol, scalar, _LOST if scalar is None else None)


def _why(error: gdb.error) -> str:
    return _UNAVAILABLE if isinstance(error, locations.Unsure) else f"<error: {error}>"


def is_users(symbol: gdb.Symbol) -> bool:
    """Check for a variable that the source has, too."""
    if not (symbol.is_variable or symbol.is_argument or is_constant(symbol)):
        return False
    return not is_generated(encoding.name(symbol), is_of_fortran(symbol))


def _is_pointer_to_array(kind: gdb.Type) -> bool:
    """Check for gfortran's pointer to an array whose bounds are computed; pointers of the user's
    are descriptors."""
    return bool(kind.code == gdb.TYPE_CODE_PTR) and is_array(kind.target())


def may_lie_elsewhere(handle: gdb.Frame) -> bool:
    """Check whether a construct uses variables of which other frames may know more, by its
    code."""
    return is_of_construct(handle) and any(map(_may_be_told_elsewhere, symbols(handle)))


def _may_be_told_elsewhere(symbol: gdb.Symbol) -> bool:
    if encoding.name(symbol) == _CONTEXT or _is_length(symbol):
        return True
    kind = symbol.type
    if kind is None or not symbol.is_variable:
        return False
    return kind.dynamic or (is_of_fortran(symbol) and _is_pointer_to_array(kind))
