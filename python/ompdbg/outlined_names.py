# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that Clang made of the code of constructs, named after the function that they are in.

Clang before 17 calls all of them `.omp_outlined.`. Debug information has the line of the
construct, and of every function, inlined ones too, the lines that belong to it.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

_UNNAMED = (".omp_outlined.", ".omp_task_entry.")
_NAME = ".omp_outlined"
_DEBUG = "_debug__"  # of the second of two functions
_INNER = "Ul"  # in the mangled name of a lambda


class Span(NamedTuple):
    """The lines that belong to a function."""

    name: str
    first: int
    last: int


def is_unnamed(name: str) -> bool:
    """The name does not tell in which function it is."""
    return name.startswith(_UNNAMED)


def name_of(name: str, line: int, spans: Sequence[Span]) -> str:
    """The name as Clang 17 and later give it, `solve.omp_outlined`, of a construct in that line;
    or as it is, where no function is known to be around it."""
    before = [span for span in spans if span.first <= line]
    # Behind the construct a function may have no code of its own any more. Then it is the one
    # that begins last before it, if that is no function within another.
    around = [span for span in before if line <= span.last]
    nearest = max(around or before, key=lambda span: span.first, default=None)
    if nearest is None or (not around and _INNER in nearest.name):
        return name
    return nearest.name + _NAME + (_DEBUG if _DEBUG in name else "")
