# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a thread is in a loop that only looks at memory.

What such a loop does next depends on memory alone, to which it does not write, save for what it
keeps in its frame from one instruction to another: once it has gone round, it goes round until
another thread, or a signal, changes what it reads. A loop of which no way leads out goes round for
ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Set, Tuple

from ompdbg import frames
from ompdbg.model.doing import own_name
from ompdbg.model.spin_code import FRAME, Step, decode

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame, Services

_MAX_STEPS = 64
_MAX_FRAMES = 8
_LONGEST = 15  # bytes of an instruction
# They give time away, or tell what memory says: how often they are called changes nothing.
_HARMLESS = frozenset(
    (
        "sched_yield",
        "pthread_yield",
        "thrd_yield",
        "usleep",
        "sleep",
        "nanosleep",
        "clock_nanosleep",
        "omp_test_lock",
        "omp_test_nest_lock",
        "__kmpc_flush",
    )
)


class Spin(NamedTuple):
    """A loop that only looks at memory."""

    variables: Tuple[str, ...]  # those at which it looks, as far as they are known
    is_endless: bool  # whatever it sees


def spin_of(thread: "Thread") -> Optional[Spin]:
    """The loop in which a thread is; None if it is in no such loop, or that is not known."""
    frame, called = (None, None) if thread.target.running else _users_frame(thread)
    if frame is None or (called is not None and not _is_harmless(called)):
        return None
    known = thread.runtime.constants.spins
    key = frame.pc if called is None else -frame.pc
    if key not in known:
        known[key] = Loop(thread.runtime.services, frame.pc).spin(called is not None)
    return known[key]


def _is_harmless(function: str) -> bool:
    """Also under a name that the C library has for its own function."""
    name = function.partition("@")[0]
    return name in _HARMLESS or own_name(name) in _HARMLESS


def _users_frame(thread: "Thread") -> "Tuple[Optional[Frame], Optional[str]]":
    """The newest of the user's code, and the function that was called from there."""
    called: Optional[str] = None
    for depth, frame in enumerate(thread.runtime.services.stack(thread.target)):
        if depth >= _MAX_FRAMES or frame.is_signal:
            break
        if thread.runtime.classifier.kind(frame) == frames.USER and not frame.is_inlined:
            return frame, called
        if not frame.is_inlined:  # else it is a part of the next
            called = frame.function or "??"
    return None, None


def _may_be_of(step: Step, store: Step) -> bool:
    """An instruction may read what another has put into the frame."""
    there, here = store.store, step.load
    if here is None or there is None:
        return False
    if here.registers != there.registers or not here.size:
        return bool(here.registers)  # an address without registers is of no frame
    return (
        here.distance < there.distance + there.size and there.distance < here.distance + here.size
    )


class Loop:
    """The loop around an address."""

    def __init__(self, services: "Services", pc: int) -> None:
        self._services = services
        self._pc = pc
        self._steps: Dict[int, Step] = {}
        self._is_in_call = False

    def spin(self, called: bool) -> Optional[Spin]:
        """What it is. `called`: the thread is in a harmless function that was called before the
        address."""
        self._is_in_call = called
        self._explore()
        inside = self._around()
        if called and not any(
            self._steps[one].called is not None and self._pc in self._steps[one].following
            for one in inside
        ):
            return None
        if not inside or self._is_carried(inside):
            return None
        steps = [self._steps[address] for address in sorted(inside)]
        leaves = any(there not in inside for step in steps for there in step.following)
        looks = any(step.load is not None or step.called is not None for step in steps)
        if leaves and not looks:
            return None
        return Spin(self._variables(steps), not leaves)

    def _explore(self) -> None:
        """The instructions that are known, from the address on."""
        pending = [self._pc]
        while pending and len(self._steps) < _MAX_STEPS:
            address = pending.pop()
            if address in self._steps:
                continue
            step = self._step(address)
            if step is not None:
                self._steps[address] = step
                pending.extend(step.following)

    def _step(self, address: int) -> Optional[Step]:
        for size in range(_LONGEST, 0, -7):
            try:
                code = self._services.read_memory(address, size)
            except self._services.errors:
                continue  # the end of what is mapped
            step = decode(code, address)
            if step is None or step.called is None:
                return step
            return step if self._may_be_called(step, step.called) else None
        return None

    def _may_be_called(self, step: Step, entry: int) -> bool:
        if self._is_in_call and self._pc in step.following:
            return True  # the thread is in it, and who called it has looked at its name
        symbol = self._services.symbol_at(entry)
        return symbol is not None and not symbol.offset and _is_harmless(symbol.name)

    def _around(self) -> Set[int]:
        """Those from which a way leads back to the address."""
        before: Dict[int, List[int]] = {}
        for step in self._steps.values():
            for there in step.following:
                before.setdefault(there, []).append(step.address)
        found: Set[int] = set()
        pending = [self._pc]
        while pending:
            for address in before.get(pending.pop(), []):
                if address not in found:
                    found.add(address)
                    pending.append(address)
        return found if self._pc in found else set()

    def _before(self, inside: Set[int]) -> Dict[int, List[int]]:
        """From where each of them may be come to, inside of the loop."""
        found: Dict[int, List[int]] = {}
        for address in inside:
            for there in self._steps[address].following:
                if there in inside:
                    found.setdefault(there, []).append(address)
        return found

    def _is_carried(self, inside: Set[int]) -> bool:
        """A round leaves something to the next in a register, as one that counts does."""
        before = self._before(inside)
        stores = [self._steps[address] for address in inside if self._steps[address].store]
        if stores and any(self._steps[address].writes & FRAME for address in inside):
            return True
        sources: Dict[int, Set[int]] = {}
        for address in inside:
            step = self._steps[address]
            sources[address] = {store.address for store in stores if _may_be_of(step, store)}
            for register in step.reads:
                sources[address] |= self._writers(before, address, register)
        while True:  # those that rest on nothing that is left
            done = [address for address, of in sources.items() if not of & sources.keys()]
            if not done:
                return bool(sources)
            for address in done:
                del sources[address]

    def _writers(self, before: Dict[int, List[int]], address: int, register: int) -> Set[int]:
        """The instructions whose value of a register may be there before that at `address`."""
        found: Set[int] = set()
        seen: Set[int] = set()
        pending = list(before.get(address, []))
        while pending:
            one = pending.pop()
            if one in seen:
                continue
            seen.add(one)
            if register in self._steps[one].writes:
                found.add(one)
            else:
                pending.extend(before.get(one, []))
        return found

    def _variables(self, steps: List[Step]) -> Tuple[str, ...]:
        """Their names, where the addresses are in the code, or where the code reads them."""
        before = self._before({step.address for step in steps})
        pointers: Dict[int, int] = {}  # what an instruction has read
        found: Dict[str, None] = {}
        for step in steps:
            load, base = step.load, 0
            if load is None or not load.size:
                continue
            if load.registers:
                writers = set().union(
                    *(self._writers(before, step.address, register) for register in load.registers)
                )
                if len(writers) != 1 or len(load.registers) != 1 or not writers <= pointers.keys():
                    continue
                base = pointers[writers.pop()]
            name = self._services.variable_at(base + load.distance, False, self._pc)
            value = self._pointer(base + load.distance) if name is None else None
            if name is not None:
                found.setdefault(name)
            elif value is not None and load.size == 8:
                pointers[step.address] = value
        return tuple(found)

    def _pointer(self, address: int) -> Optional[int]:
        try:
            return int.from_bytes(self._services.read_memory(address, 8), "little")
        except self._services.errors:
            return None
