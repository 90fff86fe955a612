# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers: how debug information names them, and how they name variables of their own."""

from __future__ import annotations

import re


_GCC = "GNU "
_GCC_OF_C = re.compile(r"GNU C")  # and of C++
_LEVEL = re.compile(r" -O(\w*)")


def is_llvms(producer: str) -> bool:
    """Any that is not GCC; "": not known."""
    return producer != "" and not producer.startswith(_GCC)


def has_other_bounds(producer: str) -> bool:
    """Where GCC optimizes C, it may tell the length of an array by what has it only where the
    length is computed: a register, or a variable that may change."""
    return _GCC_OF_C.match(producer) is not None and _LEVEL.findall(producer)[-1:] != ["0"]


# No identifier of C or C++ contains a dot. The others are of closures, of range-based loops, of
# constructors, and of arrays whose length is computed.
_GENERATED = re.compile(
    r".*\.|__(context|closure|vla_expr\d*|in_chrg|vtt_parm|for_(range|begin|end)|"
    r"(range|begin|end)\d+)$"
)
# Clang's of the length of an array.
_BOUND = re.compile(r"__vla_expr\d*$")
# As "vla" Clang passes such a length.
LENGTH = "vla"


def is_generated(name: str, fortran: bool) -> bool:
    """It is no name of the user's. In Fortran none begins with an underscore."""
    return _GENERATED.match(name) is not None or (fortran and name.startswith("_"))


def is_bound(name: str) -> bool:
    """It is of the length of an array that is computed."""
    return _BOUND.match(name) is not None


def original(name: str) -> str:
    """Of the variable for which gfortran made one of its own: "a" of "a.0"."""
    return name.partition(".")[0]
