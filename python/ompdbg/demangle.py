# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of C++ as the source has them, told by the run-time library of C++ where there is one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Optional

from ompdbg.text import decoded, encoded

_LIBRARY = "libstdc++.so.6"
_OPEN, _CLOSE = "<([{", ">)]}"


@lru_cache(maxsize=1)
def _library() -> Any:
    import ctypes

    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        return None
    library.__cxa_demangle.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    return library


@lru_cache(maxsize=4096)
def demangle(symbol: str) -> Optional[str]:
    """The C++ name of a mangled one, with its parameters; None if it is none."""
    library = _library() if symbol.startswith("_Z") else None
    if library is None:
        return None
    import ctypes

    status = ctypes.c_int()
    text = library.__cxa_demangle(encoded(symbol), None, None, ctypes.byref(status))
    if not text:
        return None
    try:
        return decoded(ctypes.string_at(text))
    finally:
        library.free(text)


def without_return_type(name: str) -> str:
    """The name of a function as its definition has it; only templates have a return type."""
    parameters = _parameters(name)
    if parameters is None or name[parameters - 1] != ">" or "operator" in name:
        return name
    depth = 0
    for index in range(parameters - 1, -1, -1):
        depth += (name[index] in _CLOSE) - (name[index] in _OPEN)
        if name[index] == " " and depth == 0:
            return name[index + 1 :]
    return name


# Brackets that are none.
_OPERATOR = re.compile(r"\boperator(<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>|\(\)|\[\])")
# What may follow the parameters of a function.
_QUALIFIERS = re.compile(r"( const| volatile| &{1,2}| noexcept| \[[^]]*\]|\[abi:[^]]*\])*")


@lru_cache(maxsize=4096)
def without_parameters(name: str) -> str:
    """The name of a function alone; that of a lambda expression keeps its parameters, as GDB
    prints it."""
    parameters = _parameters(name)
    return name if parameters is None or _in_lambda(name[:parameters]) else name[:parameters]


def _in_lambda(name: str) -> bool:
    """It is a member of a lambda expression's type, not one that has the type as an argument."""
    depth = 0
    for letter in _OPERATOR.sub("", name):
        if letter == "{" and depth == 0:
            return True
        depth += (letter in _OPEN) - (letter in _CLOSE)
    return False


def _parameters(name: str) -> Optional[int]:
    """Where the parameters of a function begin: the brackets with which its name ends, if they are
    not those of `(anonymous namespace)`."""
    depth, begin, end = 0, None, 0
    plain = _OPERATOR.sub(lambda found: "_" * len(found[0]), name)
    for index, letter in enumerate(plain):
        if letter == "(" and depth == 0 and index:
            begin = index
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == ")" and depth == 0:
            end = index + 1
    is_last = begin is not None and end > begin and _QUALIFIERS.fullmatch(plain, end)
    return begin if is_last else None
