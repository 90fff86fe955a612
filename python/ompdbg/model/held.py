# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which locks a thread probably holds, told by its code.

Runtimes do not record who owns a simple lock or is in a critical construct. But the functions on a
thread's stack have calls that set and unset locks: what every way to the place where a function is
has set, and none has unset, is probably held. That is an inference: other functions may have unset
it, and what registers held at the call may have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg import frames
from ompdbg.model.code_calls import Call, CodeCalls, is_at, returns_to
from ompdbg.model.flow import Flow, Unclear
from ompdbg.model.waited_lock import passed
from ompdbg.model.written import writes

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame

# Identity of a lock: its address. Of the critical construct without a name, in libgomp:
UNNAMED = 0

_UNNAMED_START, _UNNAMED_END = "GOMP_critical_start", "GOMP_critical_end"

# enum ompd_ext_wait_kind
_NONE, _CRITICAL, _LOCK, _NEST_LOCK = 0, 4, 5, 6

_MAX_FRAMES = 64


class Held(NamedTuple):
    """A lock that code has set."""

    key: int  # UNNAMED or the lock's address
    is_critical: bool
    frame: "Frame"
    returns: int  # where the call that set it returns to


class CodeReader:
    """Reads code once for all threads."""

    def __init__(self) -> None:
        self._calls = CodeCalls(_is_of_locks)
        self._flow: Optional[Flow] = None
        self.is_complete = True  # of all functions on the stacks it is known what they hold
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
        calls = self._calls.of(thread, frame)
        self.is_complete &= start is not None
        if start is None or not calls:
            return []
        try:
            self._note_unknown(thread, frame, start, calls)
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
            self.is_complete = False
            return []

    def _note_unknown(
        self, thread: "Thread", frame: "Frame", start: int, calls: List[Call]
    ) -> None:
        """Whether it has set a lock of which the code does not tell which one it is."""
        self.is_complete &= not any(
            call.site.kind != _NONE
            and self._key(thread, frame, call) is None
            and self._was_passed(thread, frame, start, call)
            for call in calls
        )

    def _was_passed(self, thread: "Thread", frame: "Frame", start: int, call: Call) -> bool:
        """No way leads to where the frame is but through the call."""
        if call.returns == frame.pc:
            return False
        key = (start, frame.pc, call.returns)
        if key not in self._passed:
            flow = self._flow_of(thread)
            here, behind = is_at(frame), returns_to(call.returns)
            self._passed[key] = not flow.reaches(start, here, behind) and flow.reaches(
                call.returns, here, behind
            )
        return self._passed[key]

    def _comes_between(self, thread: "Thread", frame: "Frame", call: Call, other: Call) -> bool:
        """A way leads from one call to another and from there to where the frame is."""
        flow = self._flow_of(thread)
        again = returns_to(call.returns)
        return flow.reaches(call.returns, returns_to(other.returns), again) and flow.reaches(
            other.returns, is_at(frame), again
        )

    def _flow_of(self, thread: "Thread") -> Flow:
        services = thread.runtime.services
        if self._flow is None:
            self._flow = Flow(services)
        return self._flow

    def _key(self, thread: "Thread", frame: "Frame", call: Call) -> Optional[int]:
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
        flow, again = self._flow_of(thread), returns_to(returns)
        ways = flow.between(returns, is_at(frame), again)
        return not any(writes(instruction, register, offset) for instruction in ways)


def _is_of_locks(site: _ompd.WaitSite) -> bool:
    """It sets or unsets locks."""
    if site.kind not in (_NONE, _CRITICAL, _LOCK, _NEST_LOCK):
        return False
    name = site.function or ""
    return site.kind != _NONE or "unset" in name or "critical" in name
