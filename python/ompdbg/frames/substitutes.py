# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands in decorated frames for what GDB has not."""

from __future__ import annotations

from typing import Any

import _ompdbg
import gdb

from ompdbg.console import encoding

# Where no place of a variable is known. Such arguments GDB does not tell in GDB/MI, and comes to
# no end where it asks frame decorators for them.
_PLACELESS = (
    gdb.SYMBOL_LOC_CONST,
    gdb.SYMBOL_LOC_CONST_BYTES,
    gdb.SYMBOL_LOC_OPTIMIZED_OUT,
    gdb.SYMBOL_LOC_UNRESOLVED,
)


class Name(str):
    """Of a variable without a symbol. GDB's DAP server, from 18 on, wants a symbol's attribute."""

    @property
    def print_name(self) -> str:
        """As a symbol has it."""
        return self


def is_placeless(symbol: gdb.Symbol) -> bool:
    """Of which GDB has to be told the name, and not the symbol."""
    return symbol.addr_class in _PLACELESS


def may_be_nowhere(symbol: gdb.Symbol) -> bool:
    """An argument that may lie elsewhere than in the frame: GDB fails if nothing is there, as of
    an optional one in Fortran."""
    kind = symbol.type
    if kind is None or is_placeless(symbol) or is_of_fortran(symbol):
        return True
    return kind.dynamic or kind.strip_typedefs().code == gdb.TYPE_CODE_STRUCT


def is_of_fortran(symbol: gdb.Symbol) -> bool:
    """A variable of a source file in Fortran."""
    return symbol.symtab is not None and _ompdbg.is_fortran(encoding.of(symbol.symtab, "filename"))


def has_registers() -> bool:
    """Whether GDB knows the registers of the selected thread: a core file may lack them."""
    try:
        gdb.newest_frame().pc()
    except gdb.error:
        return False
    return True


class Unavailable:
    """The frame of a thread without registers, as `bt -no-filters` has it: GDB's own decorator
    fails there."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def inferior_frame(self) -> gdb.Frame:
        """GDB's frame."""
        handle: gdb.Frame = self._wrapped.inferior_frame()
        return handle

    def function(self) -> str:
        """What GDB prints in the place of an address, too."""
        return "<unavailable> in ??"

    def address(self) -> None:
        """As FrameDecorator."""

    def filename(self) -> None:
        """As FrameDecorator."""

    def line(self) -> None:
        """As FrameDecorator."""

    def frame_args(self) -> None:
        """As FrameDecorator."""

    def frame_locals(self) -> None:
        """As FrameDecorator."""
