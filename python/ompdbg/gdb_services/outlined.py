# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that Clang made of the code of constructs, named after the function that they are in,
by the lines of functions that GDB knows."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import gdb

from ompdbg.demangle import without_parameters
from ompdbg.frames import is_outlined
from ompdbg.gdb_services import texts
from ompdbg.outlined_names import Span, is_unnamed, name_of

_GENERATED = (".omp_", ".omp.", "__omp_offloading_")

_spans: Dict[str, List[Span]] = {}


def linkage_name(symbol: gdb.Symbol) -> str:
    """The linker's name of a function. Where debug information has none GDB makes one up: in C++
    with the parameters, in Fortran with the function around it."""
    name: str = texts.of(symbol, "linkage_name") or texts.name(symbol)
    if name.startswith(_GENERATED):
        return name.partition("(")[0]
    base, generated, rest = name.partition(_GENERATED[0])
    # Of a lambda expression among the parameters GDB has `class {...}`.
    name = base + generated + rest.partition("(")[0] if generated else without_parameters(name)
    return name.rpartition("::")[2] if is_outlined(name) else name


def full_name(name: str, symtab: Optional[gdb.Symtab], line: Optional[int]) -> str:
    """The name as Clang 17 and later give it, `solve.omp_outlined`; other names as they are."""
    if not is_unnamed(name) or symtab is None or not line:
        return name
    return name_of(name, line, _all_spans(symtab))


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
