# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that Clang made of the code of constructs, named after the function that they are in,
by the lines of functions that GDB knows.

Clang before 17 calls all of them `.omp_outlined.`. Debug information has the line of the
construct, and of every function, inlined ones too, the lines that belong to it.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import _ompdbg
import gdb

from ompdbg.gdb_services import texts

_UNNAMED = (".omp_outlined.", ".omp_task_entry.")
_NAME = ".omp_outlined"
_DEBUG = "_debug__"  # of the second of two functions
_INNER = "Ul"  # in the mangled name of a lambda
_GENERATED = (".omp_", ".omp.", "__omp_offloading_")


class Span(NamedTuple):
    """The lines that belong to a function."""

    name: str
    first: int
    last: int


_spans: Dict[str, List[Span]] = {}


def linkage_name(symbol: gdb.Symbol) -> str:
    """The linker's name of a function. Where debug information has none GDB makes one up: in C++
    with the parameters, in Fortran with the function around it."""
    name: str = texts.of(symbol, "linkage_name") or texts.name(symbol)
    if name.startswith(_GENERATED):
        return name.partition("(")[0]
    base, generated, rest = name.partition(_GENERATED[0])
    # Of a lambda expression among the parameters GDB has `class {...}`.
    name = (
        base + generated + rest.partition("(")[0]
        if generated
        else _ompdbg.without_parameters(name)
    )
    return name.rpartition("::")[2] if _ompdbg.is_outlined(name) else name


def full_name(name: str, symtab: Optional[gdb.Symtab], line: Optional[int]) -> str:
    """The name as Clang 17 and later give it, `solve.omp_outlined`; other names as they are."""
    if not name.startswith(_UNNAMED) or symtab is None or not line:
        return name
    return _name_of(name, line, _all_spans(symtab))


def _name_of(name: str, line: int, spans: Sequence[Span]) -> str:
    """The name of a construct in that line; or as it is, where no function is known to be around
    it."""
    before = [span for span in spans if span.first <= line]
    # Behind the construct a function may have no code of its own any more. Then it is the one
    # that begins last before it, if that is no function within another.
    around = [span for span in before if line <= span.last]
    nearest = max(around or before, key=lambda span: span.first, default=None)
    if nearest is None or (not around and _INNER in nearest.name):
        return name
    return nearest.name + _NAME + (_DEBUG if _DEBUG in name else "")


def declared_line(address: int) -> int:
    """Where the function begins that nothing has inlined; 0 if that is not said."""
    block, line = gdb.block_for_pc(address), 0
    while block is not None:
        line = block.function.line if block.function is not None else line
        block = block.superblock
    return line


def _all_spans(symtab: gdb.Symtab) -> List[Span]:
    key = texts.of(symtab, "fullname")
    if key not in _spans:
        _spans[key] = _find_spans(symtab)
    return _spans[key]


def _find_spans(symtab: gdb.Symtab) -> List[Span]:
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
        if block is None or function is None or texts.name(function).startswith(_GENERATED):
            continue
        outer = _around(block)
        if outer is not None and (line == function.line or pc == outer.start):
            continue  # the line of the call, or that where the function around it begins
        name = linkage_name(function)
        first, last = found.get(name, (line, line))
        found[name] = (min(first, line), max(last, line))
    return [Span(name, first, last) for name, (first, last) in found.items()]


def _around(block: gdb.Block) -> Optional[gdb.Block]:
    """The function into which that of a block was inlined."""
    outer = block.superblock
    while outer is not None and outer.function is None:
        outer = outer.superblock
    return outer
