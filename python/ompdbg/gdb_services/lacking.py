# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands in decorated frames for what GDB has not."""

from __future__ import annotations

from typing import Any

import gdb


class Name(str):
    """Of a variable without a symbol. GDB's DAP server, from 18 on, wants a symbol's attribute."""

    @property
    def print_name(self) -> str:
        """As a symbol has it."""
        return self


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
