# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be observed of a thread: its newest frames, its registers, and what OMPD records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg import frames, waits
from ompdbg.model import waited_lock
from ompdbg.services import Frame, SymbolAt

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

# How many frames below the innermost user frame may lack source lines.
_SEARCHED_FOR_SOURCE = 32
# More frames of runtime and libraries than this on top of user code are not walked over.
_MAX_FOREIGN = 256

# x86-64 Linux: the number of the system call, its instruction, and its operations that wait.
_FUTEX_CALL = 202
_SYSCALL_INSTRUCTION = b"\x0f\x05"
_OPERATION_MASK = 0x7F
_WAITING_OPERATIONS = (0, 9, 6, 11)  # WAIT, WAIT_BITSET, LOCK_PI, WAIT_REQUEUE_PI

# x86-64: a direct call, and how far away a function of the same object can be.
_DIRECT_CALL = 0xE8
_DIRECT_CALL_SIZE = 5
_SAME_OBJECT = 1 << 27
_INDIRECT_CALL = 0xFF


class Observation(NamedTuple):
    """What was seen."""

    evidence: waits.Evidence
    location: Optional[Frame]


class Top(NamedTuple):
    """The frames down to the innermost user frame, and what they tell."""

    first: Optional[Frame]
    runtime: List[Frame]  # the runtime's frames above it, innermost first
    user: Optional[Frame]
    location: Optional[Frame]
    call: Optional["_ompd.WaitSite"] = None  # the function of the runtime that the user called
    in_routine: bool = False  # that function does not wait
    after_user_code: bool = False
    is_outside: bool = False  # the whole stack is the system's


def observe(thread: "Thread") -> Observation:
    """Looks at a stopped thread."""
    top = _top(thread)
    recorded = _recorded_state(thread)
    if not top.runtime or (recorded is not None and recorded[0] == waits.IDLE):
        evidence = waits.Evidence(
            in_runtime=bool(top.runtime),
            level=thread.level or 0,
            recorded=recorded,
            in_users_code=not top.runtime and top.user is not None,
            is_outside=top.is_outside,
            is_unseen=top.first is None,
        )
        return Observation(evidence, top.location)
    futex = _futex_address(thread, top)
    site = _futex_site(thread, futex)
    if site is None and top.call is not None and waits.is_mutex(top.call):
        futex = futex or waited_lock.find(thread, top.user, top.call)
    symbol = thread.runtime.services.symbol_at(futex) if futex is not None else None
    users = (
        futex is not None
        and site is None
        and thread.runtime.classifier.is_users_data(futex, symbol)
    )
    evidence = waits.Evidence(
        in_runtime=True,
        level=thread.level or 0,
        recorded=recorded,
        call=top.call,
        futex=futex,
        futex_site=site,
        futex_symbol=symbol,
        variable=_variable(thread, futex, symbol, top) if users else None,
        is_users=users,
        for_dependences=recorded is not None
        and recorded[0] == waits.WAIT_TASKWAIT
        and thread.task is not None
        and "in_depend_wait" in thread.task.flags,
        after_user_code=top.after_user_code,
        in_no_users_code=top.user is None,
        in_routine=top.in_routine,
    )
    return Observation(evidence, top.location)


def _variable(
    thread: "Thread", futex: Optional[int], symbol: Optional[SymbolAt], top: Top
) -> Optional[str]:
    if futex is None or symbol is None or waits.is_critical_name(symbol):
        return None
    near = top.user.pc if top.user is not None else None
    return thread.runtime.services.variable_at(futex, True, near)


def _top(thread: "Thread") -> Top:
    """Looked at once for all threads that are at the same place."""
    runtime = thread.runtime
    key = runtime.services.stack_key(thread.target)
    if key is None or not runtime.classifier.knows_by_object:
        return _look_at(thread)
    top = runtime.constants.tops.get(key) or runtime.tops.get(key)
    if top is None:
        top = _look_at(thread)
        # Without source lines there, the location is one of the frames that follow.
        if top.user is None or top.user.line is not None:
            lasting = top.user is None or runtime.constants.is_permanent(top.user)
            (runtime.constants.tops if lasting else runtime.tops)[key] = top
    return top


def _look_at(thread: "Thread") -> Top:
    top = _newest_frames(thread)
    if not top.runtime:
        return top
    if top.first is not top.runtime[0] and _called_users_code(thread, top.runtime[0]):
        # As the last thing that it did, that code jumped to a function of the system.
        return top._replace(runtime=[])
    call = _called(thread, top)
    after = (top.user is None or (call is not None and call.kind == waits.PARALLEL)) and (
        _went_on(thread, top.runtime)
    )
    in_routine = call is None and _in_routine(thread, top)
    return top._replace(call=call, in_routine=in_routine, after_user_code=after)


def _newest_frames(thread: "Thread") -> Top:
    classifier = thread.runtime.classifier
    stack: Iterator[Frame] = thread.runtime.services.stack(thread.target)
    first: Optional[Frame] = None
    runtime: List[Frame] = []
    kind: Optional[str] = None
    for depth, frame in enumerate(stack):
        if first is None:
            first = frame
        if frame.is_signal:
            continue
        kind = classifier.kind(frame)
        if kind == frames.USER:
            return Top(first, runtime, frame, _with_source(thread, frame, stack))
        if kind == frames.RUNTIME:
            runtime.append(frame)
        if depth >= _MAX_FOREIGN:
            kind = None
            break
    is_outside = not runtime and kind == frames.SYSTEM
    return Top(first, runtime, None, None, is_outside=is_outside)


def _with_source(thread: "Thread", innermost: Frame, older: Iterator[Frame]) -> Frame:
    """The innermost user frame that has source lines, or just the innermost."""
    if innermost.line is not None:
        return innermost
    for _, frame in zip(range(_SEARCHED_FOR_SOURCE), older):
        kind = thread.runtime.classifier.kind(frame)
        if kind == frames.RUNTIME:
            break
        if kind == frames.USER and frame.line is not None:
            return frame
    return innermost


def _recorded_state(thread: "Thread") -> Optional[Tuple[int, int]]:
    if thread.handle is None:
        return None
    try:
        return thread.handle.state()
    except _ompd.Error:
        return None


def _called(thread: "Thread", top: Top) -> Optional[_ompd.WaitSite]:
    """The function of the runtime that the user's code called, or what that one waits in."""
    runtime, call = _innermost_call(thread, top)
    if call is None or waits.is_wait(call):
        return call
    # Functions that do more than to wait: their callees tell, if they have names.
    for frame in runtime[:-1]:
        site = classify_frame(thread, frame)
        if site is not None and waits.is_wait(site):
            return site
    site = _classify_call(thread, runtime[-1]) if len(runtime) > 1 else None
    return site if site is not None and waits.is_wait(site) else call


def _innermost_call(thread: "Thread", top: Top) -> Tuple[List[Frame], Optional[_ompd.WaitSite]]:
    """The function that the user's code called last, and the frames that its call made."""
    # User code that jumped to a function of the runtime left no frame between that function and
    # the one that called the user's code through a pointer.
    for number, caller in enumerate(top.runtime[1:], 1):
        if _called_users_code(thread, caller):
            site = classify_frame(thread, top.runtime[number - 1])
            if site is not None:
                return top.runtime[:number], site
    if top.user is not None and top.user.is_call:
        site = _classify_call(thread, top.user)
        if site is not None:
            return top.runtime, site
    # The oldest frame of a thread without user frames is the one that called the user's code.
    entered = top.runtime if top.user is not None else top.runtime[:-1]
    return entered, classify_frame(thread, entered[-1]) if entered else None


def _in_routine(thread: "Thread", top: Top) -> bool:
    """Whether the user's code called a function of the runtime that does not wait. It may have
    jumped to another one, and have no frame."""
    if top.user is None:
        return False
    if waits.is_routine(top.runtime[-1].symbol):
        return True
    try:
        entry = thread.runtime.space.call_target(top.user.pc) if top.user.is_call else None
    except _ompd.Error:
        return False
    symbol = thread.runtime.services.symbol_at(entry) if entry is not None else None
    return symbol is not None and symbol.offset == 0 and waits.is_routine(symbol.name)


def _classify_call(thread: "Thread", frame: Frame) -> Optional[_ompd.WaitSite]:
    """Which function of the runtime a frame calls."""
    try:
        return thread.runtime.space.classify_call(frame.pc)
    except _ompd.Error:
        return None


def classify_frame(thread: "Thread", frame: Frame) -> Optional[_ompd.WaitSite]:
    """Which function of the runtime a frame of it belongs to, if it is one that users call."""
    if frame.start is None:
        return None
    try:
        return thread.runtime.space.classify_entry(frame.start)
    except _ompd.Error:
        return None


def _futex_address(thread: "Thread", top: Top) -> Optional[int]:
    """The address on which the thread sleeps in a futex system call made by the runtime."""
    first = top.first
    if first is None or not top.runtime or first is not top.runtime[0]:
        return None
    size = len(_SYSCALL_INSTRUCTION)
    if _code(thread, first.pc - size, size) != _SYSCALL_INSTRUCTION:
        return None
    values = thread.runtime.services.registers(thread.target, "orig_rax", "rsi", "rdi")
    if values is None:
        return None
    number, operation, address = values
    waiting = number == _FUTEX_CALL and operation & _OPERATION_MASK in _WAITING_OPERATIONS
    return address if waiting else None


def _futex_site(thread: "Thread", futex: Optional[int]) -> Optional[_ompd.WaitSite]:
    if futex is None or thread.handle is None:
        return None
    try:
        return thread.handle.classify_futex(futex)
    except _ompd.Error:
        return None


def _went_on(thread: "Thread", runtime: List[Frame]) -> bool:
    """Whether the runtime's oldest frame waits by itself: it called a function of its own, and
    not through a pointer the user's."""
    if len(runtime) < 2:
        return True
    pc = runtime[-1].pc
    code = _code(thread, pc - _DIRECT_CALL_SIZE, _DIRECT_CALL_SIZE)
    if code is None or code[0] != _DIRECT_CALL:
        return False
    return abs(int.from_bytes(code[1:], "little", signed=True)) < _SAME_OBJECT


def _called_users_code(thread: "Thread", frame: Frame) -> bool:
    """Whether the runtime made this call through a pointer: so it calls the code of constructs,
    and the system's functions directly or through its table of their addresses."""
    code = _code(thread, frame.pc - _DIRECT_CALL_SIZE, _DIRECT_CALL_SIZE)
    if code is None or code[0] == _DIRECT_CALL:
        return False
    through_register = code[-2] == _INDIRECT_CALL and code[-1] & 0xF8 == 0xD0
    through_memory = code[-3] == _INDIRECT_CALL and code[-2] & 0xF8 == 0x50  # with a distance
    return through_register or (through_memory and code[-2] != 0x54)


def _code(thread: "Thread", address: int, size: int) -> Optional[bytes]:
    return thread.runtime.read_code(address, size)
