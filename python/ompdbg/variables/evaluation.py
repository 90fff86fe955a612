# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of variables and expressions as GDB prints them, without any effect on the program.

In the code of a construct, GDB's variables are the compiler's, and with -O2 some lie elsewhere
than debug information says. There a name stands for what source_variables.py finds: a convenience
variable takes its place in the expression.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Tuple

import gdb

from ompdbg.console import encoding
from ompdbg.frames.code_places import known_of_code
from ompdbg.inferior import selection
from ompdbg.text import visible
from ompdbg.variables import locations, source_variables
from ompdbg.variables.symbols import is_of_construct, is_of_fortran, symbols
from ompdbg.variables.values import address_of

_GUARDS = ("may-write-memory", "may-call-functions")
_NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT)
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
# What a name may be part of; the last group is one that stands for itself.
_TOKEN = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(%|\.|->|::)\s*[A-Za-z_]\w*|[$\d][\w.]*"
    r"|\b(?:struct|union|enum|class)\s+\w+|([A-Za-z_]\w*)(?!\s*::)"
)
_STAND_IN = "__omp_{}"
_ELIDED = "..."
_NO_SCALARS = (
    gdb.TYPE_CODE_ARRAY,
    gdb.TYPE_CODE_STRUCT,
    gdb.TYPE_CODE_UNION,
    gdb.TYPE_CODE_SET,
    gdb.TYPE_CODE_STRING,
)
# The types of GDB's module lack them.
_set_variable = getattr(gdb, "set_convenience_variable")
_STATIC = getattr(gdb, "SYMBOL_LOC_STATIC")
_as_float: Callable[[Any], float] = float


@contextmanager
def without_effects() -> Iterator[None]:
    """Keep GDB from writing to the program and from calling functions in it."""
    before = [(name, gdb.parameter(name)) for name in _GUARDS]
    try:
        for name in _GUARDS:
            gdb.execute(f"set {name} off")
        yield
    finally:
        for name, value in before:
            gdb.execute(f"set {name} {'on' if value else 'off'}")


def evaluate(handle: gdb.Frame, expression: str, letter: str) -> Tuple[str, Optional[str], bool]:
    """Return the value of an expression in a frame as text, the number that it is, and whether all
    threads at the same place share it. Raise gdb.error."""
    # The code at a place tells whether names stand for what GDB takes them for.
    known, key = known_of_code(handle), (evaluate, expression)
    is_shared, spoken = known.get(key), expression
    selection.choose(handle)
    if is_shared is None:
        spoken, is_shared = _with_stand_ins(handle, expression)
        if spoken == expression:
            known[key] = is_shared
    try:
        value, more, number = _referred(encoding.told(gdb.parse_and_eval, spoken)), {}, None
    except gdb.error:
        name = _name_of_another(handle, expression)
        if name is None:
            raise
        raise gdb.error(f'No symbol "{name}" in current context.') from None
    if letter:
        more["format"] = letter
    try:
        text: str = encoding.told(
            value.format_string, deref_refs=True, pretty_structs=False, pretty_arrays=False, **more
        )
    except ValueError as error:
        raise gdb.error(str(error)) from None
    if value.type.strip_typedefs().code in _NUMBERS and not value.is_optimized_out:
        is_integer = value.type.strip_typedefs().code == gdb.TYPE_CODE_INT
        number = str(int(value)) if is_integer else repr(_as_float(value))
    return visible(text), number, bool(is_shared)


# ---- Names ----------------------------------------------------------------------------------


def _with_stand_ins(handle: gdb.Frame, expression: str) -> Tuple[str, bool]:
    """Return the expression with convenience variables for names that GDB does not know right, and
    whether it has none but names of variables that threads share."""
    count, are_shared = 0, not any(sign in expression for sign in ("$", "'", '"', "::"))
    function = handle.function()
    is_fortran = function is not None and is_of_fortran(function)

    def replaced(match: re.Match[str]) -> str:
        nonlocal count, are_shared
        member, own = match.groups()
        if member == "%" and not is_fortran:
            return "%" + _TOKEN.sub(replaced, match.group()[1:])
        value = _known_better(handle, own) if own else None
        if value is None:
            are_shared = are_shared and (own is None or _is_shared(own))
            return match.group()
        name = _STAND_IN.format(count)
        count += 1
        pointer = _pointer_to(value)
        _set_variable(name, value if pointer is None else pointer)
        return f"${name}" if pointer is None else f"(*${name})"

    result = _TOKEN.sub(replaced, encoding.given(expression))
    return result, are_shared and not count


def _name_of_another(handle: gdb.Frame, expression: str) -> Optional[str]:
    """Return a name that stands for a variable of a function around the frame's: GDB finds that
    of the function around GCC's outlined code, and then no frame of it in the thread."""
    own = {encoding.name(one) for one in symbols(handle)}
    for match in _TOKEN.finditer(expression):
        name = match.groups()[1]
        if name and name not in own and not _is_readable(name):
            symbol = gdb.lookup_symbol(name)[0]
            if symbol is not None and symbol.needs_frame:
                return name
    return None


def _is_readable(name: str) -> bool:
    try:
        gdb.parse_and_eval(name)
    except gdb.error:
        return False
    return True


def _is_shared(name: str) -> bool:
    """Check for a variable that all threads have at the same address."""
    symbol = gdb.lookup_symbol(name)[0]
    return symbol is not None and bool(symbol.addr_class == _STATIC)


def _pointer_to(value: gdb.Value) -> Optional[gdb.Value]:
    """Return what keeps the place of a value, which a convenience variable does not."""
    if value.is_optimized_out:
        raise gdb.error("<optimized out>")
    try:
        return None if value.type.dynamic else value.address
    except gdb.error:
        return None


def _known_better(handle: gdb.Frame, name: str) -> Optional[gdb.Value]:
    """Return the variable that a name stands for, if it may be another than GDB's."""
    if not is_of_construct(handle):
        own = next((one for one in symbols(handle) if encoding.name(one) == name), None)
        if own is None or locations.is_right(own, handle):
            return None
    found = source_variables.named(handle, name)
    if found is None:
        return None
    if found.problem is not None:
        raise gdb.error(found.problem)
    value = found.value
    if value is None and found.symbol is not None:
        value = locations.value(found.symbol, handle)
    return None if value is None or _is_gdbs(name, value) else value


def _is_gdbs(name: str, value: gdb.Value) -> bool:
    """Check that GDB takes the same for what a name stands for."""
    try:
        own = _referred(gdb.parse_and_eval(name))
        place = address_of(own)
        return place is not None and place == address_of(value) and own.type == value.type
    except gdb.error:
        return False


def _referred(value: gdb.Value) -> gdb.Value:
    while value.type.strip_typedefs().code in _REFERENCES:
        value = value.referenced_value()
    return value


# ---- Variables -------------------------------------------------------------------------------


def arguments(handle: gdb.Frame) -> List[Tuple[str, str]]:
    """Return arguments of a frame's function, as "set print frame-arguments" has them."""
    how = gdb.parameter("print frame-arguments")
    with selection.frame(handle):
        found = source_variables.arguments(handle)
        if how == "presence":
            return [("", _ELIDED)] if found else []
        return [_variable(one, handle, str(how)) for one in found]


def local_variables(handle: gdb.Frame) -> List[Tuple[str, str]]:
    """Return local variables, those of the innermost block first."""
    with selection.frame(handle):
        return [_variable(one, handle, "all") for one in source_variables.local_variables(handle)]


def _variable(one: source_variables.Captured, handle: gdb.Frame, how: str) -> Tuple[str, str]:
    """Return name and value, in the language of the selected frame."""
    problem, value = one.problem, one.value
    try:
        if value is None and one.symbol is not None:
            value = locations.value(one.symbol, handle)
        if how == "none" or (how == "scalars" and value is not None and not _is_scalar(value)):
            return (one.name, _ELIDED)
        if value is not None:
            return (one.name, _line(encoding.told(value.format_string, deref_refs=True)))
    except (gdb.error, ValueError) as error:
        problem = f"<error: {error}>"
    return (one.name, problem or "")


def _line(value: str) -> str:
    """Return a value that is one line unless the user wants several."""
    return value if gdb.parameter("print pretty") else visible(value)


def _is_scalar(value: gdb.Value) -> bool:
    """Check for a scalar as GDB does; for a reference, what it refers to."""
    kind = value.type.strip_typedefs()
    while kind.code in _REFERENCES:
        kind = kind.target().strip_typedefs()
    return kind.code not in _NO_SCALARS
