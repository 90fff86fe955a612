# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers, by what debug information says of who made it."""

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
