# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that Clang made of the code of constructs, named after the function that they are in.

Clang before 17 calls all of them `.omp_outlined.`. Debug information has the line of the
construct, and of every function, inlined ones too, the lines that belong to it.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

import gdb

_UNNAMED = (".omp_outlined.", ".omp_task_entry.")
_GENERATED = (".omp_", ".omp.")
_NAME = ".omp_outlined"
_INNER = "Ul"  # in the mangled name of a lambda


class _Span(NamedTuple):
    name: str
    first: int
    last: int


_spans: Dict[str, List[_Span]] = {}


def full_name(name: str, symtab: Optional[gdb.Symtab], line: Optional[int]) -> str:
    """The name as Clang 17 and later give it, `solve.omp_outlined`; other names as they are."""
    if not name.startswith(_UNNAMED) or symtab is None or not line:
        return name
    before = [span for span in _all_spans(symtab) if span.first <= line]
    # Behind the construct a function may have no code of its own any more. Then it is the one
    # that begins last before it, if that is no function within another.
    around = [span for span in before if line <= span.last]
    nearest = max(around or before, key=lambda span: span.first, default=None)
    if nearest is None or (not around and _INNER in nearest.name):
        return name
    return nearest.name + _NAME


def _all_spans(symtab: gdb.Symtab) -> List[_Span]:
    key = symtab.fullname()
    if key not in _spans:
        _spans[key] = _find_spans(symtab)
    return _spans[key]


def _find_spans(symtab: gdb.Symtab) -> List[_Span]:
    """From the first to the last line that code of a function has. (Of an inlined function GDB
    has the line of the call instead of that of the declaration.)"""
    found: Dict[str, Tuple[int, int]] = {}
    # Of several lines at one address the last is that of the instruction there.
    line_of = {entry.pc: entry.line for entry in symtab.linetable()}
    for pc, line in line_of.items():
        block = gdb.block_for_pc(pc) if line > 0 else None
        while block is not None and block.function is None:
            block = block.superblock
        function = block.function if block is not None else None
        if function is None or function.name.startswith(_GENERATED):
            continue
        name = function.linkage_name or function.name
        first, last = found.get(name, (line, line))
        found[name] = (min(first, line), max(last, line))
    return [_Span(name, first, last) for name, (first, last) in found.items()]
