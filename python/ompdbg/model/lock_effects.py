# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of the program's own functions do to locks: constructors and destructors of guards,
and the like.

A function is done again with what is passed to it. It sets a lock if it does on every way to its
end. It may unset any lock of which it cannot be told that it does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

import _ompd

from ompdbg import frames
from ompdbg.model import x86_values as x86
from ompdbg.model.function_code import ARGUMENTS, IMAGINED, FunctionCode, is_imagined
from ompdbg.model.replay import Content, Machine, Value
from ompdbg.model.x86_values import RBP, RDI, RDX, RSP, Insn, Number, Place

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime

_MAX_STEPS = 1500
_MAX_WAYS = 32
_MAX_DEPTH = 8
_MAX_NESTING = 32
_MAX_FUNCTIONS = 200
_NEAR = 256  # of an address that is passed, what may be reached by it
_MAX_STUBS = 3
_LARGEST = 64  # object of which it is known what is in it
_WORD = 8
_MASK = (1 << 64) - 1
_STACK = IMAGINED + (1 << 19)  # of functions that are done again

# enum ompd_ext_wait_kind
_NONE, _LOCK, _NEST_LOCK = 0, 5, 6

# To behind their calls a program may come from anywhere.
_SETJMP = re.compile(r"^_*(?:sig)?setjmp(?:@.*)?$")


class Operation(NamedTuple):
    """A lock is set or unset."""

    sets: bool
    key: Value


class Change(NamedTuple):
    """What a call does to locks."""

    sets: FrozenSet[int]  # they are held, and were not before
    unsets: Optional[FrozenSet[int]]  # it may have; None: any
    is_clear: bool  # it sets no others
    may_vary: bool = False  # when it was done before, it may have unset others


NOTHING = Change(frozenset(), frozenset(), True)
ANYTHING = Change(frozenset(), None, False)


class Target(NamedTuple):
    """What is called."""

    entry: Optional[int]  # of a function of the program's; None: another
    site: Optional[_ompd.WaitSite] = None  # a function of the runtime
    operation: Optional[str] = None  # its name, if it is for locks
    sets: bool = False
    is_known: bool = True
    returns_twice: bool = False


class _Way(NamedTuple):
    operations: List[Operation]
    machine: Machine


class _Done(NamedTuple):
    """A call, with what it was passed, and what it does with that."""

    call: Insn
    target: Target
    machine: Optional[Machine]
    ways: Optional[List[_Way]]  # None: not known


# Where it is, where its calls return to, what was done to locks.
_Pending = Tuple[Machine, int, List[int], List[Operation]]


class Summary(NamedTuple):
    """Of a function, whatever is passed to it."""

    has_locks: bool  # it sets or unsets some, or may
    unsets: Optional[FrozenSet[int]]


class LockEffects:
    """Reads code once for all threads, and of a large program not all."""

    def __init__(self, runtime: "Runtime") -> None:
        self._nesting = 0
        self._left = _MAX_FUNCTIONS
        self._runtime = runtime
        self._services = runtime.services
        self._code = runtime.functions.code
        self._summaries: Dict[int, Summary] = {}
        self._targets: Dict[int, Target] = {}
        self._entries: Dict[int, bool] = {}  # whether a function of the program begins there

    def changes(
        self, function: FunctionCode, base: int, at_call: Callable[[Insn], Optional[Machine]]
    ) -> List[Tuple[Insn, Change]]:
        """What its calls of other functions of the program's do. `base`: what rbp is in its frame;
        `at_call`: what is known there."""
        calls: List[_Done] = []
        for call in function.calls():
            target = self.target(call)
            if target.operation is not None:
                continue
            if not target.is_known:
                calls.append(_Done(call, target, None, None))
            elif target.entry is not None and self.summary(target.entry).has_locks:
                machine = at_call(call)
                ways = None if machine is None else self._ways(target.entry, machine)
                calls.append(_Done(call, target, machine, ways))
        objects = _Objects(function, base, calls)
        return [(one.call, self._change(one, objects)) for one in calls]

    # ---- What is called ---------------------------------------------------------------------

    def target(self, call: Insn) -> Target:
        """Of a call, or a jump at the end of a function."""
        if call.address not in self._targets:
            self._targets[call.address] = self._find_target(call)
        return self._targets[call.address]

    def _find_target(self, call: Insn) -> Target:
        entry: Optional[int] = call.target
        if call.of is not None:
            entry = self._pointer(call)
        for _ in range(_MAX_STUBS):
            if entry is None:
                return Target(None, is_known=False)
            try:
                site = self._runtime.space.classify_entry(entry)
                if site is not None:
                    return _of_runtime(site)
            except _ompd.Error:
                pass
            first = self._code.at(entry)
            if first is not None and first.does == x86.NOTHING:
                first = self._code.at(first.after)
            if first is None or first.does != x86.JUMP or first.of is None:
                break
            entry = self._pointer(first)
        if entry is None:
            return Target(None, is_known=False)
        first = self._code.at(entry)
        second = None if first is None else self._code.at(first.after)
        if first is not None and first.does == x86.NOTHING and second is not None:
            first, second = second, self._code.at(second.after)
        if first is not None and first.does == x86.PUSH and isinstance(first.of, x86.Number):
            if second is not None and second.does == x86.JUMP:
                return Target(None)  # the linker has not been asked for it: it was never called
        kind = self._runtime.classifier.kind_of_code(entry)
        if kind is None:
            return Target(None, is_known=False)
        symbol = self._services.symbol_at(entry)
        if kind != frames.USER and symbol is not None and _SETJMP.match(symbol.name):
            return Target(None, returns_twice=True)
        return Target(entry if kind == frames.USER else None)

    def _pointer(self, insn: Insn) -> Optional[int]:
        place = insn.of
        if not isinstance(place, Place) or place.is_of_thread:
            return None
        if place.base is not None or place.times is not None:
            return None
        try:
            return int.from_bytes(self._services.read_memory(place.distance & _MASK, 8), "little")
        except self._services.errors:
            return None

    # ---- Functions, whatever is passed to them ----------------------------------------------

    def summary(self, entry: int) -> Summary:
        """What is called by it is looked at, too. One that calls itself is not understood."""
        if entry not in self._summaries:
            self._summaries[entry] = Summary(True, None)
            if self._nesting < _MAX_NESTING and self._left:
                self._nesting += 1
                self._left -= 1
                try:
                    self._summaries[entry] = self._summarize(entry)
                finally:
                    self._nesting -= 1
        return self._summaries[entry]

    def _summarize(self, entry: int) -> Summary:
        function = self._runtime.functions.at(entry)
        if function is None:
            return Summary(True, None)
        targets = [self.target(call) for call in function.calls()]
        if not all(target.is_known for target in targets):
            return Summary(True, None)
        called = [self.summary(one.entry) for one in targets if one.entry is not None]
        handed = self.handed_out(function)
        if handed is None:
            return Summary(True, None)
        if not handed and not any(one.has_locks for one in called):
            if all(one.operation is None for one in targets):
                return Summary(False, frozenset())

        def at_call(call: Insn) -> Optional[Machine]:
            assert function is not None
            imagined = {RBP: IMAGINED} if function.has_frame_pointer else {}
            return function.at_call(call, imagined, lambda address, width: None)

        unsets = set(handed)
        for call, target in zip(function.calls(), targets):
            if target.operation is None or target.sets:
                continue
            machine = at_call(call)
            key = None if machine is None else machine.registers[lock_register(target.operation)]
            if not isinstance(key, int) or is_imagined(key):
                return Summary(True, None)
            unsets.add(key)
        for _, change in self.changes(function, IMAGINED, at_call):
            if change.unsets is None:
                return Summary(True, None)
            unsets |= change.unsets
        return Summary(True, frozenset(unsets))

    def handed_out(self, function: FunctionCode) -> Optional[FrozenSet[int]]:
        """What others may unset by the functions of which it takes the address, as `qsort` does by
        one that is passed to it. Of outlined functions it is the runtime that does."""
        found: Set[int] = set()
        for insn in function.insns():
            address = self._taken(insn)
            if address is None:
                continue
            if address not in self._entries:
                taken = self._services.function_at(address)
                self._entries[address] = (
                    taken is not None
                    and taken.start == address
                    and taken.line is not None  # else it may be a variable
                    and not frames.is_outlined(taken.symbol)
                    and self._runtime.classifier.kind_of_code(address) == frames.USER
                )
            if self._entries[address]:
                unsets = self.summary(address).unsets
                if unsets is None:
                    return None
                found |= unsets
        return frozenset(found)

    def _taken(self, insn: Insn) -> Optional[int]:
        """The address of a function or of something else that it takes."""
        if insn.does == x86.MOVE and isinstance(insn.of, Number):
            return insn.of.value if 0 < insn.of.value < IMAGINED else None
        place = insn.of
        if not isinstance(place, Place) or place.base is not None or place.times is not None:
            return None
        if insn.does == x86.ADDRESS:
            return place.distance & _MASK
        address = self._pointer(insn) if insn.does == x86.MOVE and insn.width == _WORD else None
        return address if address is not None and address < IMAGINED else None

    # ---- Functions, with what is passed to them ---------------------------------------------

    def _change(self, done: _Done, objects: "_Objects") -> Change:
        if done.target.entry is None:
            return ANYTHING
        if done.ways is None:
            return ANYTHING._replace(unsets=self.summary(done.target.entry).unsets)
        unsets: Set[int] = set()
        is_clear, unsets_any = True, False
        held: List[Set[int]] = []
        for way in done.ways:
            held.append(set())
            for operation in way.operations:
                keys = objects.keys(operation.key, done)
                if operation.sets:
                    is_clear &= keys is not None and len(keys) == 1
                    if keys is not None and len(keys) == 1:
                        held[-1] |= keys
                elif keys is None:
                    unsets_any = True
                    held[-1].clear()
                else:
                    unsets |= keys
                    held[-1] -= keys
        both = set.intersection(*held) if held else set()
        is_clear &= all(one == both for one in held)
        may_vary = done.machine is not None and done.machine.may_vary
        return Change(
            frozenset(both), None if unsets_any else frozenset(unsets), is_clear, may_vary
        )

    def _ways(self, entry: int, machine: Machine) -> Optional[List[_Way]]:
        """All ways through a function; None: they are not understood, or too many."""
        machine = Machine(list(machine.registers), _content)
        machine.registers[RSP] = _STACK
        _push(machine, 0)
        if not self._is_followed(entry):
            return None
        pending: List[_Pending] = [(machine, entry, [0], [])]
        found: List[_Way] = []
        steps = 0
        while pending:
            now, at, returns, operations = pending.pop()
            while returns:
                steps += 1
                insn = self._code.at(at)
                if insn is None or steps > _MAX_STEPS or len(pending) + len(found) > _MAX_WAYS:
                    return None
                at = insn.after
                if insn.does == x86.END:
                    break
                if insn.does == x86.RETURN:
                    now.registers[RSP] = _later(now.registers[RSP])
                    at = returns.pop()
                elif insn.does == x86.JUMP_IF:
                    if now.is_zero is None or insn.condition == "?":
                        pending.append((now.copy(), insn.target, returns[:], operations[:]))
                    elif now.is_zero == (insn.condition == "e"):
                        at = insn.target
                elif insn.does in (x86.CALL, x86.CALL_POINTER) or self._leaves(insn):
                    target = self.target(insn)
                    if not target.is_known or target.returns_twice or len(returns) > _MAX_DEPTH:
                        return None
                    if insn.does != x86.JUMP:
                        returns.append(at)
                        if not _push(now, at):
                            return None
                    if target.entry is not None:
                        if not self._is_followed(target.entry):
                            return None
                        at = target.entry
                        continue
                    if target.operation is not None:
                        key = now.registers[lock_register(target.operation)]
                        operations.append(Operation(target.sets, key))
                    elif _passes_what_was_stored(now):
                        now.forget_memory()
                    now.registers[RSP] = _later(now.registers[RSP])
                    now.after_call()
                    at = returns.pop()
                elif insn.does == x86.JUMP:
                    at = insn.target
                else:
                    now.do(insn)
            if not returns:
                found.append(_Way(operations, now))
        return found

    def _is_followed(self, entry: int) -> bool:
        """Nobody but itself calls what it may call."""
        function = self._runtime.functions.at(entry)
        return function is not None and self.handed_out(function) == frozenset()

    def _leaves(self, jump: Insn) -> bool:
        """It calls another function at the end of this one."""
        if jump.does != x86.JUMP:
            return False
        if jump.of is not None:
            return True
        symbol = self._services.symbol_at(jump.target)
        return symbol is None or symbol.offset == 0


class _Objects:
    """Those in the frame of a function, as guards, by what its calls have stored in them."""

    def __init__(self, function: FunctionCode, base: int, calls: List[_Done]) -> None:
        self._function = function
        self._base = base
        self._calls = [one for one in calls if one.ways is not None]

    def keys(self, key: Value, done: _Done) -> Optional[Set[int]]:
        """Which locks it may be, by a call; None: any."""
        if isinstance(key, int):
            return None if is_imagined(key) else {key}
        if key is None or not self._is_closed(key.address, done):
            return None
        found: Set[int] = set()
        for one in self._calls:
            for way in one.ways or ():
                if way.machine.lost:
                    return None
                width, value = way.machine.stored.get(key.address, (0, None))
                if not width:
                    continue
                if width != _WORD or not isinstance(value, int) or is_imagined(value):
                    return None
                now = (value + key.plus) & _MASK
                if one.machine is not None and one.machine.may_vary:
                    if Operation(True, now) not in way.operations:
                        return None  # what was there before, may be held: it was not set by this
                found.add(now)
        return found or None

    def _is_closed(self, address: int, done: _Done) -> bool:
        """Nobody writes there but calls that are understood: of the object that the call was
        passed, no other gets the address."""
        begins = [one for one in _passed(done.machine) if 0 <= address - one < _LARGEST]
        if not begins or self._function.stores_to(self._base, address):
            return False
        begin, end = max(begins), address + _WORD
        times = sum(any(begin <= at < end for at in _passed(one.machine)) for one in self._calls)
        return self._function.taken(self._base, begin, end) == times


def _of_runtime(site: _ompd.WaitSite) -> Target:
    name = site.function or ""
    if site.kind in (_LOCK, _NEST_LOCK):
        return Target(None, site, name, True)
    is_unset = site.kind == _NONE and "unset" in name
    return Target(None, site, name if is_unset else None)


def lock_register(function: Optional[str]) -> int:
    """In which the runtime's function gets the lock: before it come the place in the source and
    the thread's number, or nothing."""
    return RDX if function is not None and function.startswith("__kmpc_") else RDI


def _passed(machine: Optional[Machine]) -> List[int]:
    values = [] if machine is None else [machine.registers[number] for number in ARGUMENTS]
    return [value for value in values if isinstance(value, int)]


def _passes_what_was_stored(machine: Machine) -> bool:
    """What is called may change what was stored."""
    return any(abs(at - one) < _NEAR for one in _passed(machine) for at in machine.stored)


def _content(address: int, width: int) -> Value:
    """What memory holds now, it may not have held then."""
    return Content(address, 0) if width == _WORD else None


def _push(machine: Machine, value: int) -> bool:
    top = machine.registers[RSP]
    if not isinstance(top, int):
        return False
    machine.registers[RSP] = top - _WORD
    machine.store(top - _WORD, _WORD, value)
    return True


def _later(top: Value) -> Value:
    return top + _WORD if isinstance(top, int) else None
