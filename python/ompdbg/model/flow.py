# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which places of a function can be reached from which, by its instructions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from ompdbg.landing_pads import Unknown

if TYPE_CHECKING:
    from ompdbg.services import Instruction, Services

_BATCH = 32
# A function with more instructions is not understood.
_MAX_INSTRUCTIONS = 8192

_JUMP = re.compile(r"^(?:(?:notrack|bnd)\s+)*(j[a-z]+|loop[a-z]*)\s+(?:0x([0-9a-f]+))?")
# A jump to the beginning of another function is a call and a return.
_OTHER = re.compile(r"<([^+<>]+)>\s*$")
_PART = re.compile(r"\.(?:cold|part)\b")
# Behind a call that does not return, a function may be at its end.
_CALL = re.compile(r"^(?:(?:notrack|bnd|addr32|data16|rex\.W)\s+)*call|^$")
_CALL_SIZES = (5, 6)
_ALIGNMENTS = (4, 16, 32)
# int3, zeros, and the bytes of the long forms of nop.
_PADDING = frozenset(b"\xcc\x00\x90\x66\x2e\x0f\x1f\x40\x44\x80\x84")
_END = re.compile(r"^(?:(?:repz?|bnd)\s+)*(?:ret|ud2|hlt)")


class Unclear(Exception):
    """The code cannot be followed."""


class Flow:
    """The instructions of one process, read as they are needed."""

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._known: "Dict[int, Instruction]" = {}

    def reaches(
        self,
        start: int,
        goal: "Callable[[Instruction], bool]",
        avoid: "Callable[[Instruction], bool]",
    ) -> bool:
        """Whether a way leads from an address to an instruction, past none that is avoided; past a
        call that throws it does. Raises Unclear."""
        seen = {start}
        pending = [start]
        while pending:
            instruction = self._at(pending.pop())
            if goal(instruction):
                return True
            is_avoided = avoid(instruction)
            for following in self._thrown(instruction) if is_avoided else self.after(instruction):
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
            if len(seen) > _MAX_INSTRUCTIONS:
                raise Unclear
        return False

    def between(
        self,
        start: int,
        goal: "Callable[[Instruction], bool]",
        avoid: "Callable[[Instruction], bool]",
    ) -> "List[Instruction]":
        """The instructions on the ways from an address to an instruction. Raises Unclear."""
        before: Dict[int, List[int]] = {start: []}
        pending = [start]
        ends: List[int] = []
        while pending:
            instruction = self._at(pending.pop())
            if goal(instruction):
                ends.append(instruction.address)
            elif not avoid(instruction):
                for following in self.after(instruction):
                    if following not in before:
                        pending.append(following)
                    before.setdefault(following, []).append(instruction.address)
            if len(before) > _MAX_INSTRUCTIONS:
                raise Unclear
        found = set(ends)
        while ends:
            for address in before[ends.pop()]:
                if address not in found:
                    found.add(address)
                    ends.append(address)
        return [self._at(address) for address in sorted(found)]

    def whole(self, start: int) -> "List[Instruction]":
        """All instructions to which a way leads from an address. Raises Unclear."""
        found = {start: self._at(start)}
        pending = [start]
        while pending:
            for following in self.after(found[pending.pop()]):
                if following not in found:
                    found[following] = self._at(following)
                    pending.append(following)
            if len(found) > _MAX_INSTRUCTIONS:
                raise Unclear
        return [found[address] for address in sorted(found)]

    def _at(self, address: int) -> "Instruction":
        if address not in self._known:
            for instruction in self._services.instructions(address, _BATCH):
                self._known.setdefault(instruction.address, instruction)
        found: "Optional[Instruction]" = self._known.get(address)
        if found is None or found.size <= 0:
            raise Unclear
        return found

    def after(self, instruction: "Instruction") -> List[int]:
        """Where it may go on behind an instruction. Raises Unclear."""
        return self._following(instruction) + self._thrown(instruction)

    def _thrown(self, instruction: "Instruction") -> List[int]:
        """And if what it calls throws an exception."""
        if instruction.text and not _CALL.match(instruction.text):
            return []
        try:
            pad = self._services.landing_pad(instruction.address)
        except Unknown as error:
            raise Unclear from error
        return [pad] if pad else []

    def _following(self, instruction: "Instruction") -> List[int]:
        if _END.match(instruction.text):
            return []
        after = instruction.address + instruction.size
        jump = _JUMP.match(instruction.text)
        if jump is None:
            return [after] if self._goes_on(instruction, after) else []
        if jump.group(2) is None:
            raise Unclear  # a table of addresses
        target = int(jump.group(2), 16)
        other = _OTHER.search(instruction.text)
        if other is not None and not _PART.search(other.group(1)):
            return [] if jump.group(1).startswith("jmp") else [after]
        return [target] if jump.group(1).startswith("jmp") else [after, target]

    def _goes_on(self, instruction: "Instruction", after: int) -> bool:
        """What lies behind a call is of the same function, as far as that is known."""
        if instruction.size not in _CALL_SIZES or not _CALL.match(instruction.text):
            return True
        here, there = map(self._services.symbol_at, (instruction.address, after))
        if here is None:
            return True
        if there is None or after - there.offset != instruction.address - here.offset:
            return False
        return not any(self._is_padding(after, -(-after // size) * size) for size in _ALIGNMENTS)

    def _is_padding(self, start: int, end: int) -> bool:
        """Nothing but what fills the space before another function."""
        symbol = self._services.symbol_at(end) if start < end else None
        if symbol is None or symbol.offset:
            return False
        try:
            between = self._services.read_memory(start, end - start)
        except self._services.errors:
            return False
        return _PADDING.issuperset(between)
