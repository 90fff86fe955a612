# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of a program's threads in GDB, unwound lazily and once per stop.

GDB unwinds the selected thread only. A stack therefore selects its thread again each time that it
is asked for one more frame; who walks many stacks walks them one after another. Threads that rest
where others did before need no unwinding (`resting`).
"""

from __future__ import annotations

from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Hashable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
)

import gdb

from ompdbg import frames
from ompdbg.gdb_services.resting import Chain, Resting
from ompdbg.gdb_services.selection import switch
from ompdbg.gdb_services.stack_frame import Code, StackFrame
from ompdbg.gdb_services.symbols import Symbols

# A stack deeper than this is taken for a damaged one.
_MAX_DEPTH = 100_000

# Stacks alike that are remembered.
_MAX_KNOWN = 1000

_WORD = (1 << 64) - 1

# Addresses to the end of a stack, and GDB's settings that tell where it ends.
_WholeKey = Tuple[Tuple[int, ...], Tuple[object, ...]]
_ENDS_STACKS = ("backtrace past-main", "backtrace past-entry", "backtrace limit")


class _Whole(NamedTuple):
    """All frames of stacks alike, and what others remember of these."""

    frames: List[StackFrame]
    remembered: Dict[Hashable, Any]


class _Known(NamedTuple):
    """What GDB found at the addresses of a chain."""

    frames: List[StackFrame]
    registers: FrozenSet[str]  # that are known at its end without GDB


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self, symbols: Symbols, direct_pid: Callable[[], int]) -> None:
        """direct_pid: the process, if what it is like may be looked up past GDB; else 0."""
        self._symbols = symbols
        self._stacks: Dict[int, _Stack] = {}
        self._code: Dict[int, Code] = {}
        self._resting = Resting(symbols, direct_pid)
        self._known: Dict[Chain, Optional[_Known]] = {}
        self._whole: Dict[_WholeKey, _Whole] = {}
        self._settings: Optional[Tuple[object, ...]] = None

    def forget(self) -> None:
        """The program moved."""
        self._stacks.clear()
        self._settings = None
        self._resting.forget()

    def forget_code(self) -> None:
        """Object files came or went."""
        self._stacks.clear()
        self._code.clear()
        self._resting.forget_code()
        self._known.clear()
        self._whole.clear()

    def ask_settings(self) -> None:
        """The user may have changed some: GDB does not tell, and to ask takes long."""
        self._settings = None

    @property
    def settings(self) -> Tuple[object, ...]:
        """GDB's, as far as they tell where stacks end."""
        if self._settings is None:
            self._settings = tuple(gdb.parameter(name) for name in _ENDS_STACKS)
        return self._settings

    def walk(self, thread: gdb.InferiorThread) -> Iterator[StackFrame]:
        """Frames of a thread, innermost first."""
        return self._stack(thread).walk()

    def remembered(self, thread: gdb.InferiorThread) -> Optional[Dict[Hashable, Any]]:
        """A place for what is true of every stack of just the frames that this one has; None if
        they are not known before GDB unwinds it."""
        return self._stack(thread).remembered()

    def _stack(self, thread: gdb.InferiorThread) -> "_Stack":
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            stack = self._stacks[thread.global_num] = _Stack(self, thread)
            chain = self._resting.chain(thread.ptid[1])
            if chain is not None:
                self._begin(stack, chain)
        return stack

    def _begin(self, stack: "_Stack", chain: Chain) -> None:
        """Gives a stack the frames that GDB found for the same addresses before, or remembers
        those that it finds now."""
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        if chain not in self._known:
            found = stack.frames_of(chain)
            known = None if found is None else _Known(found, self._alike(stack, len(found)))
            self._known[chain] = known
        else:
            known = self._known[chain]
            if known is not None:
                stack.begin(known.frames, chain.is_whole)
        if known is not None:
            stack.chain = chain
            stack.depth = len(known.frames)

    def whole_of(self, stack: "_Stack") -> Optional[_WholeKey]:
        """By what a stack is known whose first frames are; None if that is not simply told."""
        if stack.chain is None:
            return None
        addresses = self._resting.whole_chain(stack.lwp)
        return None if addresses is None else (addresses, self.settings)

    def whole(self, key: _WholeKey) -> Optional[_Whole]:
        """All frames of stacks alike."""
        return self._whole.get(key)

    def learn_whole(self, key: _WholeKey, found: List[StackFrame]) -> None:
        """GDB found these frames. It may end a stack sooner, as at main."""
        physical = tuple(frame.pc for frame in found if not frame.is_deduced)
        if physical != key[0][: len(physical)] or any(frame.is_signal for frame in found):
            return
        if len(self._whole) >= _MAX_KNOWN:
            self._whole.clear()
        self._whole[key] = _Whole(found, {})

    def is_plain(self, pc: int) -> bool:
        """No function is inlined there. Of one that is, GDB may show a frame or not."""
        return not self._symbols.is_inlined(pc)

    def _alike(self, stack: "_Stack", depth: int) -> FrozenSet[str]:
        """The registers that GDB finds in a frame as they were found without it."""
        ours = self._resting.caller_registers(stack.lwp)
        if depth == 1:
            return frozenset(ours)  # the thread's own
        handle = stack.handle(depth - 1)
        if handle is None:
            return frozenset()
        return frozenset(name for name in ours if _register(handle, name) == ours[name])

    def key(self, thread: gdb.InferiorThread) -> Optional[Chain]:
        """What stacks alike have in common; None for one that is like no other."""
        return self._stack(thread).chain

    def whole_key(self, thread: gdb.InferiorThread) -> Optional[Tuple[int, ...]]:
        """What stacks alike to their end have in common; None for one that is like no other."""
        return self._resting.whole_chain(thread.ptid[1])

    def reused(self) -> int:
        """How many stacks were taken from others alike."""
        return sum(stack.is_reused for stack in self._stacks.values())

    def registers(self, thread: gdb.InferiorThread, names: Tuple[str, ...]) -> Optional[List[int]]:
        """Registers of a thread, where they are known without GDB."""
        return self._resting.registers(thread.ptid[1], names)

    def frame_registers(
        self, thread: gdb.InferiorThread, level: int, names: Tuple[str, ...]
    ) -> Optional[List[int]]:
        """The same of a frame."""
        stack = self._stacks.get(thread.global_num)
        known = None if stack is None or stack.chain is None else self._known.get(stack.chain)
        if stack is None or known is None or not stack.ends_chain(level):
            return None
        if not known.registers.issuperset(names):
            return None
        values = self._resting.caller_registers(stack.lwp)
        return [values[name] for name in names] if values.keys() >= set(names) else None

    def handle(self, thread: gdb.InferiorThread, level: int) -> Optional[gdb.Frame]:
        """GDB's frame of a level that was walked over; selects the thread."""
        stack = self._stacks.get(thread.global_num)
        if stack is None:
            select(thread)
            return None
        return stack.handle(level)

    def code(self, handle: gdb.Frame, pc: int, is_call: bool, cached: bool) -> Code:
        """What is at the place of a frame."""
        address = pc - 1 if is_call else pc
        code = self._code.get(address) if cached else None
        if code is None:
            path = self._symbols.object_of(address)
            foreign = frames.is_runtime_object(path) or frames.is_system_object(path)
            code = Code(self._symbols, address, None if foreign and cached else handle)
            if cached:
                self._code[address] = code
        return code

    def object_of(self, pc: int, is_call: bool) -> Optional[str]:
        """Path of the shared object of a frame's code."""
        return self._symbols.object_of(pc - 1 if is_call else pc)


class _Stack:
    """One thread's stack, as far as it was unwound."""

    def __init__(self, stacks: Stacks, thread: gdb.InferiorThread) -> None:
        self._stacks = stacks
        self._thread = thread
        self.lwp: int = thread.ptid[1]
        self._frames: List[StackFrame] = []
        self._handles: List[gdb.Frame] = []
        self._ended = False
        self._whole: Optional[_WholeKey] = None
        self._is_whole_tried = False
        self._remembered: Optional[Dict[Hashable, Any]] = None
        self.is_reused = False
        self.chain: Optional[Chain] = None
        self.depth = 0  # how many frames the addresses of the chain make

    def begin(self, known: List[StackFrame], is_whole: bool) -> None:
        """Takes the first frames, or all, from a stack alike."""
        self._frames = list(known)
        self._ended = is_whole
        self.is_reused = True

    def frames_of(self, chain: Chain) -> Optional[List[StackFrame]]:
        """The frames at these addresses; None if GDB finds other addresses."""
        depth = len(chain.addresses)
        if depth == 1:
            return self._newest_alone(chain.addresses[0])
        found: List[StackFrame] = []
        physical: List[int] = []
        for frame in self.walk():
            if len(physical) == depth:
                return None if chain.is_whole or tuple(physical) != chain.addresses else found
            if frame.is_signal:
                return None
            found.append(frame)
            if not frame.is_deduced:
                physical.append(frame.pc)
        return found if tuple(physical) == chain.addresses else None

    def _newest_alone(self, pc: int) -> Optional[List[StackFrame]]:
        """The newest frame, if its address tells all of it."""
        frame = next(self.walk(), None)
        if frame is None or frame.pc != pc or frame.is_deduced or frame.is_signal:
            return None
        return [frame] if self._stacks.is_plain(pc) else None

    def ends_chain(self, level: int) -> bool:
        """The frame, or the one into which it was inlined, is at the chain's last address."""
        within = self._frames[level : self.depth]
        return bool(within) and all(frame.is_inlined for frame in within[:-1])

    def walk(self) -> Iterator[StackFrame]:
        index = 0
        while index < len(self._frames) or self._extend():
            yield self._frames[index]
            index += 1

    def handle(self, level: int) -> Optional[gdb.Frame]:
        select(self._thread)
        self._unwind(min(level + 1, len(self._frames)))
        return self._handles[level] if level < len(self._handles) else None

    def _unwind(self, depth: int) -> None:
        """Has GDB unwind frames that are known already."""
        while len(self._handles) < depth:
            handle = self._next_handle()
            if handle is None:
                break
            self._handles.append(handle)

    def _next_handle(self) -> Optional[gdb.Frame]:
        return self._handles[-1].older() if self._handles else gdb.newest_frame()

    def _extend(self) -> bool:
        if self._ended or len(self._frames) >= _MAX_DEPTH:
            return False
        if self._frames and not self._is_whole_tried and self._take_whole():
            return True
        try:
            select(self._thread)
            self._unwind(len(self._frames))
            handle = self._next_handle()
            # No function returns to 0: a thread's stack may end with such a frame.
            if handle is not None and (handle.pc() or not self._frames):
                self._append(handle)
                return True
            if self._whole is not None:
                self._stacks.learn_whole(self._whole, self._frames)
        except gdb.error:
            pass  # what was unwound so far is all that can be had
        self._ended = True
        return False

    def _take_whole(self) -> bool:
        """Takes all other frames from a stack alike, if there was one."""
        self._is_whole_tried = True
        self._whole = self._stacks.whole_of(self)
        known = None if self._whole is None else self._stacks.whole(self._whole)
        if known is None or len(known.frames) <= len(self._frames):
            return False
        self._frames = list(known.frames)
        self._remembered = known.remembered
        self._ended = True
        return True

    def remembered(self) -> Optional[Dict[Hashable, Any]]:
        """Of all stacks that are like this one."""
        if self._frames and not self._ended and not self._is_whole_tried:
            self._take_whole()
        # Functions inlined where it stopped are frames to GDB at one stop, and not at another.
        if self._remembered is None or not self._stacks.is_plain(self._frames[0].pc):
            return None
        return self._remembered

    def _append(self, handle: gdb.Frame) -> None:
        pc = handle.pc()
        kind = handle.type()
        newer = self._frames[-1] if self._frames else None
        in_inlined = newer is not None and newer.is_inlined
        if newer is None or newer.is_signal or kind == gdb.SIGTRAMP_FRAME:
            is_call = False
        elif in_inlined:
            is_call = newer.is_call
        else:
            is_call = True
        # The innermost frame may hide frames that GDB has not stepped into yet.
        cached = newer is not None and not in_inlined and kind != gdb.INLINE_FRAME
        code = self._stacks.code(handle, pc, is_call, cached)
        object_file = self._stacks.object_of(pc, is_call)
        frame = StackFrame(len(self._frames), pc, is_call, kind, object_file, code)
        self._frames.append(frame)
        self._handles.append(handle)


def _register(handle: gdb.Frame, name: str) -> Optional[int]:
    try:
        return int(handle.read_register(name)) & _WORD
    except (gdb.error, ValueError):
        return None  # not saved


def select(thread: gdb.InferiorThread) -> None:
    """Makes a thread GDB's current one."""
    selected = gdb.selected_thread()
    if selected is None or selected.global_num != thread.global_num:
        switch(thread)
