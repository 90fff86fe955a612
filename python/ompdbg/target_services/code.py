# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions as far as the model wants them: how long they are and where they jump to."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, List

from ompdbg.services import Instruction

if TYPE_CHECKING:
    import _target

    from ompdbg.target_services.symbols import Symbols

_CONDITIONS = "jo jno jb jae je jne jbe ja js jns jp jnp jl jge jle jg".split()
_LOOPS = {0xE0: "loopne", 0xE1: "loope", 0xE2: "loop", 0xE3: "jrcxz"}


class _Flow(IntEnum):
    """Where an instruction leads to: enum target_flow."""

    ON = 0
    JUMP = 1
    JUMP_IF = 2
    JUMP_INDIRECT = 3
    END = 4


class Code:
    """The code of one target."""

    def __init__(self, target: "_target.Target", symbols: "Symbols") -> None:
        self._target = target
        self._symbols = symbols

    def instructions(self, address: int, count: int) -> List[Instruction]:
        """Those from an address on, until one is not understood."""
        return [
            Instruction(at, size, self._text(flow, condition, target))
            for at, size, flow, condition, target in self._target.instructions(address, count)
        ]

    def _text(self, flow: int, condition: int, target: int) -> str:
        if flow == _Flow.END:
            return "ret"
        if flow == _Flow.JUMP_INDIRECT:
            return "jmp *"
        if flow == _Flow.ON:
            return ""
        name = "jmp" if flow == _Flow.JUMP else _LOOPS.get(condition) or _CONDITIONS[condition]
        return f"{name} {target:#x}{self._place(target)}"

    def _place(self, address: int) -> str:
        symbol = self._symbols.at(address)
        if symbol is not None:
            return f" <{symbol.name}{f'+{symbol.offset}' if symbol.offset else ''}>"
        # What calls functions of libraries has no symbol.
        first = self._target.instructions(address, 2)
        is_stub = any(flow == _Flow.JUMP_INDIRECT for _, _, flow, _, _ in first)
        return " <@plt>" if is_stub else ""
