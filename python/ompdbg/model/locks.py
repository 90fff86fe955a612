# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks, critical constructs and ordered regions that threads wait for, and who holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

import _ompd

from ompdbg.model.asleep import system_call
from ompdbg.model.held import UNNAMED, CodeReader, Held

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Location, Thread

ORDERED = ("ordered", "doacross")
# enum ompd_ext_lock_kind, by kind of wait.
_LOCK_KINDS = {"lock": 0, "nest_lock": 1, "critical": 2, "mutex": 0}
_OTHERS = ("atomic",)
_UNNAMED_FUNCTION = "GOMP_critical_start"

_NOT_RECORDED = "the runtime records no owner"
_TASK_GONE = (
    "it records a task as its owner that no thread runs: the task is suspended or has ended, or "
    "the lock was overwritten"
)
_MISSING = (
    "it records the thread with gtid {} as its owner, which does not exist: the thread has ended, "
    "or the lock was overwritten"
)
_INVALID = "it is damaged: it records gtid {} as its owner, which no thread ever had"
_WHICH = "which one that is, neither the runtime nor the code of the call tells"
_CODE_UNREAD = "what functions have taken it, their code does not tell"
_NOT_IN_CODE = (
    "no function that a thread is in has taken it, as far as code tells: "
    "the one that did has returned, or its thread has ended"
)
_NOT_IN_CODE_SEEN = "no function that a stopped thread is in has taken it, as far as code tells"
_OWNER_UNSEEN = "nothing is known of the thread that it records as its owner"
_TURN_UNSEEN = "nothing is known of the thread whose turn it is"

# Why the owner is not known, by what the lock names as its owner.
_REASONS = {
    _ompd.LOCK_OWNER_UNRECORDED: _NOT_RECORDED,
    _ompd.LOCK_OWNER_TASK: _TASK_GONE,
    _ompd.LOCK_OWNER_MISSING: _MISSING,
    _ompd.LOCK_OWNER_INVALID: _INVALID,
}

_JUST_GOT = ", or a thread that waits has just got it"

# How the owner is known.
RECORDED, BY_CODE = "recorded", "code"


class Lock:
    """What threads wait for one another's turn at."""

    def __init__(self, kind: str, first: "Thread") -> None:
        wait = first.wait
        assert wait is not None
        self.kind = kind
        self.runtime = first.runtime
        self.title = wait.title
        self.symbol = wait.symbol
        self.address = wait.address
        self.waiters: "List[Thread]" = []
        self.owner: "Optional[Thread]" = None
        self.how: Optional[str] = None  # RECORDED or BY_CODE
        self.taken: "Optional[Location]" = None  # where the owner's code took it
        self.is_held: Optional[bool] = None
        self.reason: Optional[str] = None  # why the owner is not known
        self.is_named = False  # the lock names a thread as its owner: no code is asked for one
        self.owner_ended = False  # and that thread does not exist


def locks(process: "Process") -> List[Lock]:
    """What threads wait for, by the lowest number of a thread."""
    found: Dict[Tuple[object, ...], Lock] = {}
    for thread in process.threads:
        wait = thread.wait
        if wait is None or wait.kind not in (*_LOCK_KINDS, *ORDERED, *_OTHERS):
            continue
        key: Tuple[object, ...] = (thread.runtime.name, wait.kind, wait.address)
        if wait.kind in ORDERED:
            key = (thread.runtime.name, wait.kind, thread.team and thread.team.id)
        elif wait.address is None:
            key = (thread.runtime.name, wait.kind, "of", thread.target.number)
        lock = found.setdefault(key, Lock(wait.kind, thread))
        lock.waiters.append(thread)
    reader = CodeReader()
    for lock in found.values():
        if lock.kind in ORDERED:
            _find_turn(process, lock)
        else:
            _find_owner(process, lock, reader)
    return list(found.values())


def _find_turn(process: "Process", lock: Lock) -> None:
    """Whose turn it is in an ordered region."""
    first = lock.waiters[0]
    turn: Optional[int] = None
    if first.handle is not None and lock.kind == "ordered":
        try:
            turn = first.handle.ordered_turn()
        except _ompd.Error:
            turn = None
    if turn is None or first.team is None:
        lock.reason = "the runtime does not record whose turn it is"
        return
    lock.owner = first.team.member(turn)
    lock.how = RECORDED
    if lock.owner is None:
        left = "the thread whose turn it is has left"
        lock.reason = left if process.is_seen_whole else _TURN_UNSEEN


def _find_owner(process: "Process", lock: Lock, reader: CodeReader) -> None:
    if lock.address is not None and lock.kind in _LOCK_KINDS:
        _recorded(process, lock)
    if not lock.is_named and lock.is_held is not False:
        _told_by_code(process, lock, reader)


def _recorded(process: "Process", lock: Lock) -> None:
    assert lock.address is not None
    try:
        lock.is_held, _, owner, ident, recorded = lock.runtime.space.lock(
            _LOCK_KINDS[lock.kind], lock.address
        )
    except _ompd.Error as error:
        lock.reason = error.reason
        return
    if not lock.is_held:
        lock.reason = "free at this moment"
    elif owner == _ompd.LOCK_OWNER_THREAD:
        _find_thread(process, lock, ident)
    else:
        lock.is_named = lock.owner_ended = owner == _ompd.LOCK_OWNER_MISSING
        lock.reason = _REASONS[owner].format(recorded)


def _find_thread(process: "Process", lock: Lock, ident: int) -> None:
    for thread in process.threads:
        if thread.handle is not None and thread.handle.id == ident:
            if thread.runtime is lock.runtime:
                lock.owner, lock.how = thread, RECORDED
    lock.is_named = lock.owner is not None or not process.is_seen_whole
    if lock.owner is None and not process.is_seen_whole:
        lock.reason = _OWNER_UNSEEN


def _told_by_code(process: "Process", lock: Lock, reader: CodeReader) -> None:
    keys = [lock.address] if lock.address is not None else []
    wait = lock.waiters[0].wait
    if wait is not None and wait.function == _UNNAMED_FUNCTION:
        keys = [UNNAMED]
    holders: "List[Tuple[Thread, Held]]" = []
    for thread in process.threads:
        if thread.openmp is False:
            continue
        held = [
            one
            for one in reader.held(thread)
            if one.key in keys and one.is_critical == (lock.kind == "critical")
        ]
        if held:
            holders.append((thread, held[0]))
    others = [one for one in holders if one[0] not in lock.waiters] or holders
    if len(others) != 1:
        not_in_code = _NOT_IN_CODE if process.is_seen_whole else _NOT_IN_CODE_SEEN
        told = not_in_code if reader.is_complete else _CODE_UNREAD
        if reader.is_complete and not all(_is_asleep(thread) for thread in lock.waiters):
            told += _JUST_GOT
        _explain(lock, keys, [thread for thread, _ in others], told)
        return
    lock.owner, evidence = others[0]
    lock.how = BY_CODE
    lock.reason = None
    lock.taken = lock.owner.locate(evidence.frame)


def _explain(
    lock: Lock, keys: "Sequence[Optional[int]]", takers: "Sequence[Thread]", told: str
) -> None:
    """What is known of an owner that is not: why neither the runtime nor the code has it. `told`:
    what the code says, if no thread seems to have taken the lock."""
    if not keys:
        lock.reason = lock.reason or _WHICH
        return
    if takers:
        labels = ", ".join(thread.target.label for thread in takers)
        told = f"as far as code tells, each of threads {labels} may have taken it"
    lock.reason = f"{lock.reason or _NOT_RECORDED}, and {told}"


def _is_asleep(thread: "Thread") -> bool:
    call = system_call(thread)
    return call is not None and call.waits
