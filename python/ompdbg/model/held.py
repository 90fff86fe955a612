# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which locks a thread probably holds, told by its code.

Runtimes do not record who owns a simple lock or is in a critical construct. But the functions on a
thread's stack have calls that set and unset locks: what every way to the place where a function is
has set, and none has unset, is probably held. That is an inference: other functions may have unset
it, and what registers held at the call may have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg import frames
from ompdbg.model.flow import Flow, Unclear
from ompdbg.model.waited_lock import passed
from ompdbg.model.written import writes

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame, Instruction

# Identity of a lock: its address. Of the critical construct without a name, in libgomp:
UNNAMED = 0

_UNNAMED_START, _UNNAMED_END = "GOMP_critical_start", "GOMP_critical_end"

# enum ompd_ext_wait_kind
_NONE, _CRITICAL, _LOCK, _NEST_LOCK = 0, 4, 5, 6

_MAX_FUNCTION = 1 << 12
_MAX_FRAMES = 64
_DIRECT, _DIRECT_SIZE = 0xE8, 5  # x86-64: call with a distance
_INDIRECT, _INDIRECT_SIZE = b"\xff\x15", 6  # and through a pointer at a distance
_MASK = (1 << 64) - 1  # what is no call may lead anywhere


class Held(NamedTuple):
    """A lock that code has set."""

    key: int  # UNNAMED or the lock's address
    is_critical: bool
    frame: "Frame"
    returns: int  # where the call that set it returns to


class _Call(NamedTuple):
    returns: int
    site: _ompd.WaitSite


class CodeReader:
    """Reads code once for all threads."""

    def __init__(self) -> None:
        self._calls: Dict[Tuple[int, int], List[_Call]] = {}
        self._sites: Dict[int, Optional[_ompd.WaitSite]] = {}
        self._flow: Optional[Flow] = None
        self._passed: Dict[Tuple[int, int, int], bool] = {}  # many threads are at one place

    def held(self, thread: "Thread") -> List[Held]:
        """What the functions on a thread's stack have set and not unset."""
        found: List[Held] = []
        if thread.target.running:
            return found
        services = thread.runtime.services
        classifier = thread.runtime.classifier
        for depth, frame in enumerate(services.stack(thread.target)):
            if depth >= _MAX_FRAMES:
                break
            if frame.is_signal or frame.is_inlined or classifier.kind(frame) != frames.USER:
                continue
            found.extend(self._held_in(thread, frame))
        return found

    def _held_in(self, thread: "Thread", frame: "Frame") -> List[Held]:
        start = frame.start
        if start is None or not 0 < frame.pc - start <= _MAX_FUNCTION:
            return []
        end = start + _MAX_FUNCTION
        calls = self._calls_in(thread, start, end)
        try:
            return [
                Held(key, call.site.kind == _CRITICAL, frame, call.returns)
                for call in calls
                for key in [self._key(thread, frame, call)]
                if call.site.kind != _NONE
                and key is not None
                and self._was_passed(thread, frame, start, call)
                and not any(
                    self._comes_between(thread, frame, call, other)
                    for other in calls
                    if other.site.kind == _NONE and self._key(thread, frame, other) in (key, None)
                )
            ]
        except Unclear:
            return []

    def _was_passed(self, thread: "Thread", frame: "Frame", start: int, call: _Call) -> bool:
        """No way leads to where the frame is but through the call."""
        if call.returns == frame.pc:
            return False
        key = (start, frame.pc, call.returns)
        if key not in self._passed:
            flow = self._flow_of(thread)
            here, behind = _is_at(frame), _returns_to(call.returns)
            self._passed[key] = not flow.reaches(start, here, behind) and flow.reaches(
                call.returns, here, behind
            )
        return self._passed[key]

    def _comes_between(self, thread: "Thread", frame: "Frame", call: _Call, other: _Call) -> bool:
        """A way leads from one call to another and from there to where the frame is."""
        flow = self._flow_of(thread)
        again = _returns_to(call.returns)
        return flow.reaches(call.returns, _returns_to(other.returns), again) and flow.reaches(
            other.returns, _is_at(frame), again
        )

    def _flow_of(self, thread: "Thread") -> Flow:
        services = thread.runtime.services
        if self._flow is None:
            self._flow = Flow(services)
        return self._flow

    def _key(self, thread: "Thread", frame: "Frame", call: _Call) -> Optional[int]:
        if call.site.function in (_UNNAMED_START, _UNNAMED_END):
            return UNNAMED
        try:
            return passed(thread, frame, call.returns, self._is_unchanged)
        except _ompd.Error:
            return None

    def _is_unchanged(
        self, thread: "Thread", frame: "Frame", returns: int, register: str, offset: Optional[int]
    ) -> bool:
        """No way from a call to where the frame is has an instruction that writes there."""
        flow, again = self._flow_of(thread), _returns_to(returns)
        ways = flow.between(returns, _is_at(frame), again)
        return not any(writes(instruction, register, offset) for instruction in ways)

    # ---- Calls of the runtime in a function -------------------------------------------------

    def _calls_in(self, thread: "Thread", start: int, end: int) -> List[_Call]:
        key = (start, end)
        if key not in self._calls:
            self._calls[key] = list(self._find_calls(thread, start, end))
        return self._calls[key]

    def _find_calls(self, thread: "Thread", start: int, end: int) -> List[_Call]:
        code = thread.runtime.read_code(start, end - start)
        found: List[_Call] = []
        for index in range(len(code or b"") - _DIRECT_SIZE + 1):
            assert code is not None
            entry = self._target(thread, code, index, start)
            site = None if entry is None else self._site(thread, entry[0])
            if entry is not None and site is not None:
                found.append(_Call(entry[1], site))
        return found

    def _target(
        self, thread: "Thread", code: bytes, index: int, start: int
    ) -> Optional[Tuple[int, int]]:
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

    def _site(self, thread: "Thread", entry: int) -> Optional[_ompd.WaitSite]:
        """The function there, if it sets or unsets locks."""
        if entry not in self._sites:
            self._sites[entry] = _lock_function(thread, entry)
        return self._sites[entry]


def _returns_to(address: int) -> "Callable[[Instruction], bool]":
    return lambda instruction: instruction.address + instruction.size == address


def _is_at(frame: "Frame") -> "Callable[[Instruction], bool]":
    if frame.is_call:
        return _returns_to(frame.pc)
    return lambda instruction: instruction.address == frame.pc


def _lock_function(thread: "Thread", entry: int) -> Optional[_ompd.WaitSite]:
    try:
        site = thread.runtime.space.classify_entry(entry)
    except _ompd.Error:
        return None
    if site is None or site.kind not in (_NONE, _CRITICAL, _LOCK, _NEST_LOCK):
        return None
    name = site.function or ""
    return site if site.kind != _NONE or "unset" in name or "critical" in name else None
