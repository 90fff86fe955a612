# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of threads, unwound as far as they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.target_services.objects import Objects
from ompdbg.target_services.symbols import Code, Symbols
from ompdbg.target_services.tail_calls import TailCalls

if TYPE_CHECKING:
    import _target

# So many frames are unwound at first; a stack deeper than the last is taken for a damaged one.
_STEPS = (32, 1024, 100_000)
_MAIN = "main"
# Registers that functions leave unchanged.
KEPT = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15")
_UNKNOWN = (None,) * len(KEPT)


class StackFrame(NamedTuple):
    """One frame, as the model wants it."""

    level: int
    pc: int
    is_call: bool
    is_signal: bool
    object_file: Optional[str]
    code: Code
    kept: Tuple[Optional[int], ...]  # registers, as in KEPT
    pushed: Optional[int]  # which of the frames that were pushed it is in
    within: int  # how many functions are inlined there that it called

    @property
    def is_inlined(self) -> bool:
        """Inlined into the function of the next older frame."""
        return self.code.is_inlined

    @property
    def function(self) -> Optional[str]:
        """Its name as debuggers print it."""
        return self.code.function

    @property
    def symbol(self) -> Optional[str]:
        """Its linkage name."""
        return self.code.symbol

    @property
    def start(self) -> Optional[int]:
        """Where its code begins."""
        return self.code.start

    @property
    def file(self) -> Optional[str]:
        """Source file."""
        return self.code.place.file

    @property
    def line(self) -> Optional[int]:
        """Source line."""
        return self.code.place.line


# Where it goes on, whether it is of a signal, and registers as in KEPT.
Pushed = Tuple[int, bool, List[Optional[int]]]


class Stacks:
    """The stacks of all threads."""

    def __init__(self, target: "_target.Target", symbols: Symbols, objects: Objects) -> None:
        self._target = target
        self._symbols = symbols
        self._objects = objects
        self._tail_calls = TailCalls(target, symbols)
        self._known: Dict[int, Tuple[int, List[StackFrame]]] = {}
        self._pushed: Dict[int, List[Pushed]] = {}

    def walk(self, thread: int) -> Iterator[StackFrame]:
        """Frames of the thread of that index, innermost first."""
        done = 0
        for limit in _STEPS:
            frames, is_whole = self._frames(thread, limit)
            yield from frames[done:]
            if is_whole:
                return
            done = len(frames)

    def pushed(self, thread: int, index: int) -> Optional[Pushed]:
        """A frame that was pushed, by its number from within."""
        for limit in _STEPS:
            found = self._pushed.get(thread, [])
            if index < len(found):
                return found[index]
            if self._frames(thread, limit)[1]:
                break
        found = self._pushed[thread]
        return found[index] if index < len(found) else None

    def older(self, thread: int, frame: StackFrame) -> Optional[StackFrame]:
        """The frame that called it."""
        frames = self._known[thread][1]
        return frames[frame.level + 1] if frame.level + 1 < len(frames) else None

    def is_entered_once(self, start: int) -> bool:
        """What a caller passed to the function is what it began with."""
        return not self._tail_calls.may_return_to(start)

    def _frames(self, thread: int, limit: int) -> Tuple[List[StackFrame], bool]:
        known = self._known.get(thread)
        if known is None or known[0] < limit:
            addresses = self._target.unwind(thread, limit)
            # A whole stack is never unwound again.
            reached = limit if len(addresses) == limit else _STEPS[-1]
            self._pushed[thread] = addresses
            known = self._known[thread] = (reached, self._build(addresses))
        return known[1], known[0] == _STEPS[-1]

    def _build(self, addresses: List[Pushed]) -> List[StackFrame]:
        found: List[StackFrame] = []
        was_signal = True  # the innermost frame was not left by a call either
        for index, (pc, is_signal, kept) in enumerate(addresses):
            is_call = not was_signal and not is_signal
            if is_call:
                start = found[-1].start if found else None
                for after in self._tail_calls.between(pc, start) if start is not None else ():
                    self._append(found, after, True, False, _UNKNOWN, None)
            self._append(found, pc, is_call, is_signal, tuple(kept), index)
            was_signal = is_signal
            # What calls main is nobody's.
            if found and found[-1].symbol == _MAIN and found[-1].object_file is None:
                break
        return found

    def _append(
        self,
        frames: List[StackFrame],
        pc: int,
        is_call: bool,
        is_signal: bool,
        kept: Tuple[Optional[int], ...],
        pushed: Optional[int],
    ) -> None:
        """A frame, and those of functions that are inlined there before it."""
        where = pc - 1 if is_call else pc
        object_file = self._objects.object_of(where)
        for within, code in enumerate(self._symbols.code(where)):
            place = (len(frames), pc, is_call, is_signal, object_file)
            frames.append(StackFrame(*place, code, kept, pushed, within))
