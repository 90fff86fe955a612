# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions of the runtime the code of a function calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Tuple

import _ompd

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame, Instruction

_MAX_FUNCTION = 1 << 12
_DIRECT, _DIRECT_SIZE = 0xE8, 5  # x86-64: call with a distance
_INDIRECT, _INDIRECT_SIZE = b"\xff\x15", 6  # and through a pointer at a distance
_MASK = (1 << 64) - 1  # what is no call may lead anywhere


class Call(NamedTuple):
    """A call instruction."""

    returns: int
    site: _ompd.WaitSite


class CodeCalls:
    """Reads code once for all threads. `is_wanted`: by kind and name, which functions."""

    def __init__(self, is_wanted: "Callable[[_ompd.WaitSite], bool]") -> None:
        self._is_wanted = is_wanted
        self._calls: Dict[int, List[Call]] = {}
        self._sites: Dict[int, Optional[_ompd.WaitSite]] = {}

    def of(self, thread: "Thread", frame: "Frame") -> List[Call]:
        """The calls in the function of a frame; none if it is too large."""
        start = frame.start
        if start is None or not 0 < frame.pc - start <= _MAX_FUNCTION:
            return []
        if start not in self._calls:
            self._calls[start] = list(self._find(thread, start))
        return self._calls[start]

    def _find(self, thread: "Thread", start: int) -> List[Call]:
        code = thread.runtime.read_code(start, _MAX_FUNCTION)
        found: List[Call] = []
        for index in range(len(code or b"") - _DIRECT_SIZE + 1):
            assert code is not None
            entry = _target(thread, code, index, start)
            site = None if entry is None else self._site(thread, entry[0])
            if entry is not None and site is not None:
                found.append(Call(entry[1], site))
        return found

    def _site(self, thread: "Thread", entry: int) -> Optional[_ompd.WaitSite]:
        if entry < 0:
            return None  # the bytes are no call
        if entry not in self._sites:
            site: Optional[_ompd.WaitSite] = None
            try:
                site = thread.runtime.space.classify_entry(entry)
            except _ompd.Error:
                pass
            self._sites[entry] = site if site is not None and self._is_wanted(site) else None
        return self._sites[entry]


def _target(thread: "Thread", code: bytes, index: int, start: int) -> Optional[Tuple[int, int]]:
    """What the instruction there calls, and where that returns to."""
    if code[index] == _DIRECT:
        returns = start + index + _DIRECT_SIZE
        distance = code[index + 1 : index + _DIRECT_SIZE]
        return (returns + int.from_bytes(distance, "little", signed=True)) & _MASK, returns
    if code[index : index + 2] == _INDIRECT and index + _INDIRECT_SIZE <= len(code):
        returns = start + index + _INDIRECT_SIZE
        distance = code[index + 2 : index + _INDIRECT_SIZE]
        pointer = (returns + int.from_bytes(distance, "little", signed=True)) & _MASK
        try:
            word = thread.runtime.services.read_memory(pointer, 8)
        except thread.runtime.services.errors:
            return None
        return int.from_bytes(word, "little"), returns
    return None


def returns_to(address: int) -> "Callable[[Instruction], bool]":
    """Whether an instruction is the call that returns there."""
    return lambda instruction: instruction.address + instruction.size == address


def is_at(frame: "Frame") -> "Callable[[Instruction], bool]":
    """Whether an instruction is the one at which a frame is."""
    if frame.is_call:
        return returns_to(frame.pc)
    return lambda instruction: instruction.address == frame.pc
