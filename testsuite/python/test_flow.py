# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which places of a function are reached from which: a call at its end does not return."""

from typing import Any, List, Optional

import pytest

from ompdbg.model.flow import Flow
from ompdbg.services import Instruction, SymbolAt

WORK, NEXT = 0x1000, 0x1010


class Code:
    """A function that calls one that does not return, and another behind it."""

    errors = (OSError,)

    def __init__(self, texts: bool, padding: bytes, call_at: int) -> None:
        self._padding, self._call_at, self._texts = padding, call_at, texts

    def instructions(self, address: int, count: int) -> List[Instruction]:
        if address >= NEXT:
            return [Instruction(address, 3, "jmp *%rax")]
        if address == WORK:
            size = self._call_at - WORK
            return [Instruction(address, size, "mov %eax,%edi" if self._texts else "")]
        if address == self._call_at:
            return [Instruction(address, 5, "call 0x2000 <fail@plt>" if self._texts else "")]
        return [Instruction(address, 1, "nop" if self._texts else "")]

    def landing_pad(self, address: int) -> int:
        return 0

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        start, name = (NEXT, "next") if address >= NEXT else (WORK, "work")
        return SymbolAt(name, address - start, None)

    def read_memory(self, address: int, size: int) -> bytes:
        return self._padding[:size]


def reaches_next(code: Any) -> bool:
    return Flow(code).reaches(WORK, lambda at: at.address == NEXT, lambda at: False)


@pytest.mark.parametrize("texts", (True, False))  # GDB tells what an instruction is
def test_what_follows_a_call_at_the_end_of_a_function_is_not_reached(texts: bool) -> None:
    assert not reaches_next(Code(texts, b"", NEXT - 5))
    assert not reaches_next(Code(texts, b"\x66\x0f\x1f\x44\0\0", NEXT - 11))
    # It goes on with other code.
    assert reaches_next(Code(texts, b"\x89\xc7\x90\x90\x90\x90", NEXT - 11))
