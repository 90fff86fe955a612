# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which locks a thread probably holds, told by its code.

Runtimes do not record who owns a simple lock or is in a critical construct. But the functions on a
thread's stack have calls that set and unset locks: what every way to the place where a function is
has set, and none has unset, is probably held. That is an inference: other functions may have unset
it, and what registers held at the call may have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterable, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg import frames
from ompdbg.model import x86_values as x86
from ompdbg.model.code_calls import is_at, returns_to
from ompdbg.model.flow import Unclear
from ompdbg.model.lock_effects import LockEffects, Target, lock_register
from ompdbg.model.passing import Passing, is_repeated
from ompdbg.model.waited_lock import passed
from ompdbg.model.written import writes

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.model.runtime import Runtime
    from ompdbg.services import Frame, Instruction

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


class _Step(NamedTuple):
    """What a call of a function on a stack does."""

    returns: int
    sets: bool
    key: Optional[int]  # None: that is not known; of one that unsets, it may be any
    is_critical: bool
    goes_on: bool = False  # the frame is at it: whether it is done is not known
    may_vary: bool = False  # it is in a loop, and did it to others before


class CodeReader:
    """Reads code once for all threads."""

    def __init__(self) -> None:
        self._effects: "Dict[Runtime, LockEffects]" = {}
        self.is_complete = True  # of all functions on the stacks it is known what they hold
        self._passed: Dict[Tuple[int, int, int], bool] = {}  # many threads are at one place

    def held(self, thread: "Thread") -> List[Held]:
        """What the functions on a thread's stack have set and not unset."""
        found: List[Held] = []
        if thread.target.running:
            return found
        services = thread.runtime.services
        classifier = thread.runtime.classifier
        unset: List[_Step] = []  # by functions that were called later
        called: Optional[int] = None  # the user's function that a frame has called
        for depth, frame in enumerate(services.stack(thread.target)):
            if depth >= _MAX_FRAMES:
                break
            if frame.is_signal or frame.is_inlined or classifier.kind(frame) != frames.USER:
                continue
            try:
                steps = self._steps(thread, frame, called)
                held = self._held_in(thread, frame, steps)
                kept = [one for one in held if not any(_unsets(step, one) for step in unset)]
                self.is_complete &= len(kept) == len(held)  # others may be held, or not
                found += kept
                unset += self._unset_in(thread, frame, steps)
            except Unclear:
                self.is_complete = False
                unset.append(_ANY)
            called = frame.start
        return found

    def _held_in(self, thread: "Thread", frame: "Frame", steps: List[_Step]) -> List[Held]:
        held = []
        for step in steps:
            if not step.sets or not self._was_passed(thread, frame, step.returns):
                continue
            if step.key is None:
                self.is_complete = False  # the code does not tell which one it is
                continue
            one = Held(step.key, step.is_critical, frame, step.returns)
            unset = [
                other
                for other in steps
                if _unsets(other, one)
                and (other.goes_on or self._comes_between(thread, frame, step, other))
            ]
            if not unset:
                held.append(one)
            elif not any(self._always_comes(thread, frame, step, other) for other in unset):
                self.is_complete = False  # it may be held
        return held

    def _unset_in(self, thread: "Thread", frame: "Frame", steps: List[_Step]) -> List[_Step]:
        """The calls that it may have made that unset a lock."""
        flow = thread.runtime.functions.flow
        start = frame.start
        return [
            step
            for step in steps
            if not step.sets
            and start is not None
            and flow.reaches(start, returns_to(step.returns), _nowhere)
            and (step.goes_on or flow.reaches(step.returns, is_at(frame), _nowhere))
        ]

    # ---- Calls ------------------------------------------------------------------------------

    def _steps(self, thread: "Thread", frame: "Frame", called: Optional[int]) -> List[_Step]:
        """Raises Unclear."""
        runtime = thread.runtime
        function = None if frame.start is None else runtime.functions.at(frame.start)
        if function is None:
            raise Unclear
        passing = Passing(thread, frame, function)
        if runtime not in self._effects:
            self._effects[runtime] = LockEffects(runtime)
        effects = self._effects[runtime]
        here = frame.pc if frame.is_call else None
        calls = [(call, effects.target(call)) for call in function.calls()]
        if any(target.returns_twice for _, target in calls):
            raise Unclear
        steps = [
            _Step(
                call.after,
                site.kind != _NONE,
                self._key(thread, frame, call.after, site, passing),
                "critical" in (site.function or ""),
                call.after == here,
                site.kind == _NONE and self._may_vary(thread, call.after),
            )
            for call, target in calls
            for site in [target.site]
            if site is not None and call.does != x86.JUMP and _is_of_locks(site)
        ]
        handed = effects.handed_out(function)
        for call, target in calls:
            if target == Target(None) and call.does != x86.JUMP:
                keys = (None,) if handed is None else handed
                steps += [_Step(call.after, False, key, False, call.after == here) for key in keys]
        for call, change in effects.changes(function, passing.base, passing.at_call):
            if call.does == x86.JUMP:
                continue  # the frame has gone
            steps += [_Step(call.after, True, key, False) for key in sorted(change.sets)]
            if not change.is_clear:
                steps.append(_Step(call.after, True, None, False))
            unsets: Iterable[Optional[int]] = (None,) if change.unsets is None else change.unsets
            # What the function that was called has done, its own frame tells, if it is there.
            entry = effects.target(call).entry
            goes_on = call.after == here and (entry is None or entry != called)
            steps += [
                _Step(call.after, False, key, False, goes_on, change.may_vary) for key in unsets
            ]
        return [self._of_all_rounds(thread, step, steps) for step in steps]

    def _of_all_rounds(self, thread: "Thread", step: _Step, steps: List[_Step]) -> _Step:
        """In a loop it has unset others, but if it unsets only what the same round has set."""
        if step.sets or not step.may_vary:
            return step
        flow = thread.runtime.functions.flow
        for other in steps:
            if other.sets and other.key == step.key and other.returns != step.returns:
                again, between = returns_to(step.returns), returns_to(other.returns)
                if not flow.reaches(step.returns, again, between):
                    return step
        return step._replace(key=None)

    def _may_vary(self, thread: "Thread", returns: int) -> bool:
        """A call in a loop is not always passed the same."""
        argument = thread.runtime.constants.lock_arguments.get(returns)
        if argument is not None and argument[1] is None:
            return False
        return is_repeated(thread.runtime.functions.flow, returns)

    def _was_passed(self, thread: "Thread", frame: "Frame", returns: int) -> bool:
        """No way leads to where the frame is but through the call."""
        start = frame.start
        if returns == frame.pc or start is None:
            return False
        key = (start, frame.pc, returns)
        if key not in self._passed:
            flow = thread.runtime.functions.flow
            here, behind = is_at(frame), returns_to(returns)
            self._passed[key] = not flow.reaches(start, here, behind) and flow.reaches(
                returns, here, behind
            )
        return self._passed[key]

    def _comes_between(self, thread: "Thread", frame: "Frame", call: _Step, other: _Step) -> bool:
        """A way leads from one call to another and from there to where the frame is."""
        flow = thread.runtime.functions.flow
        again = returns_to(call.returns)
        return flow.reaches(call.returns, returns_to(other.returns), again) and flow.reaches(
            other.returns, is_at(frame), again
        )

    def _always_comes(self, thread: "Thread", frame: "Frame", call: _Step, other: _Step) -> bool:
        """Every way from one call to where the frame is leads through another, which unsets it."""
        if other.key is None or other.goes_on:
            return False
        behind = returns_to(other.returns)
        return not thread.runtime.functions.flow.reaches(call.returns, is_at(frame), behind)

    def _key(
        self,
        thread: "Thread",
        frame: "Frame",
        returns: int,
        site: _ompd.WaitSite,
        passing: Passing,
    ) -> Optional[int]:
        name = site.function or ""
        if name in (_UNNAMED_START, _UNNAMED_END):
            return UNNAMED
        try:
            known = passed(thread, frame, returns, self._is_unchanged)
            argument = thread.runtime.constants.lock_arguments.get(returns)
            if argument is not None and argument[1] == "rbp" and argument[3]:
                if not passing.is_closed(argument[4]):
                    known = None  # others may have changed it
        except _ompd.Error:
            known = None
        return passing.passed(returns, lock_register(name)) if known is None else known

    def _is_unchanged(
        self, thread: "Thread", frame: "Frame", returns: int, register: str, offset: Optional[int]
    ) -> bool:
        """No way from a call to where the frame is has an instruction that writes there."""
        flow, again = thread.runtime.functions.flow, returns_to(returns)
        ways = flow.between(returns, is_at(frame), again)
        return not any(writes(instruction, register, offset) for instruction in ways)


_ANY = _Step(0, False, None, False)


def _unsets(step: _Step, held: Held) -> bool:
    """It may unset that lock. Nothing but the end of a critical construct leaves it."""
    if step.sets or step.is_critical != held.is_critical:
        return False
    return step.key is None or step.key == held.key


def _nowhere(_: "Instruction") -> bool:
    return False


def _is_of_locks(site: _ompd.WaitSite) -> bool:
    """It sets or unsets locks."""
    if site.kind not in (_NONE, _CRITICAL, _LOCK, _NEST_LOCK):
        return False
    name = site.function or ""
    return site.kind != _NONE or "unset" in name or "critical" in name
