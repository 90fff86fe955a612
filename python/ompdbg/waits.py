# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a thread does and waits for, told by what was found out about it.

A runtime may not record the state of its threads. Then two observations tell it: which function of
the runtime the innermost user frame called, and on which address the thread sleeps in the kernel.
Where they contradict each other, or say nothing, the answer is that nobody knows, and why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, NamedTuple, Optional, Tuple

from ompdbg.frames import module_name
from ompdbg.services import SymbolAt

if TYPE_CHECKING:
    from _ompd import WaitSite

# ompt_state_t, as far as states are concluded here (OpenMP 5.2, 19.4.4.30).
WORK_SERIAL = 0x000
WORK_PARALLEL = 0x001
WAIT_BARRIER = 0x010
WAIT_BARRIER_PARALLEL = 0x011
WAIT_BARRIER_IMPLICIT = 0x013
WAIT_BARRIER_IMPLEMENTATION = 0x015
WAIT_TASKWAIT = 0x020
WAIT_MUTEX = 0x040
WAIT_LOCK = 0x041
WAIT_CRITICAL = 0x042
IDLE = 0x100
OVERHEAD = 0x101


class Kind(NamedTuple):
    """One row for each enum ompd_ext_wait_kind."""

    name: str  # in JSON
    title: str  # in tables; "" if a thread is not said to wait there
    family: str  # kinds of one family do not contradict each other


_NOT_WAITING = ""

KINDS: Dict[int, Kind] = {
    0: Kind("none", _NOT_WAITING, "runtime"),
    1: Kind("barrier", "barrier", "barrier"),
    2: Kind("barrier_workshare", "end of worksharing", "barrier"),
    3: Kind("barrier_parallel", "end of region", "barrier"),
    4: Kind("critical", "critical", "mutex"),
    5: Kind("lock", "lock", "mutex"),
    6: Kind("nest_lock", "nest lock", "mutex"),
    7: Kind("atomic", "atomic", "mutex"),
    8: Kind("ordered", "ordered", "ordered"),
    9: Kind("taskwait", "taskwait", "task"),
    10: Kind("taskgroup", "taskgroup", "task"),
    11: Kind("taskyield", _NOT_WAITING, "runtime"),
    12: Kind("single", "single copyprivate", "barrier"),
    13: Kind("doacross", "ordered depend", "doacross"),
    14: Kind("parallel", _NOT_WAITING, "runtime"),
    15: Kind("task", _NOT_WAITING, "runtime"),
    16: Kind("taskloop", _NOT_WAITING, "runtime"),
    17: Kind("teams", _NOT_WAITING, "runtime"),
    18: Kind("target", _NOT_WAITING, "runtime"),
    19: Kind("idle", "idle in pool", "idle"),
    20: Kind("workshare", _NOT_WAITING, "runtime"),
    21: Kind("runtime_lock", "runtime's lock", "runtime lock"),
    22: Kind("cancel", _NOT_WAITING, "runtime"),
    23: Kind("dependences", "dependences", "task"),
    24: Kind("reduction", "reduction", "barrier"),
}
UNKNOWN_KIND = Kind("unknown", "the runtime", "runtime")
MUTEX = Kind("mutex", "lock or critical", "mutex")

BARRIER_PARALLEL = 3
CRITICAL = 4
LOCK = 5
NEST_LOCK = 6
PARALLEL = 14
IDLE_IN_POOL = 19
DEPENDENCES = 23

# States that only tell that it is a barrier, or an implicit one; others tell which.
_ANY_BARRIER = (WAIT_BARRIER, WAIT_BARRIER_IMPLICIT)

# The kind that a recorded state stands for, where no better evidence names it.
_KIND_OF_STATE = {
    0x010: 1,
    0x011: 3,
    0x012: 2,
    0x013: 1,
    0x014: 1,
    0x015: 1,
    0x016: 1,
    0x020: 9,
    0x021: 10,
    0x041: 5,
    0x042: 4,
    0x043: 7,
    0x044: 8,
    0x100: 19,
}

# Functions of the runtimes that ask or set something, or make something ready, and go on.
_ROUTINE = re.compile(
    r"omp_((get|in|is|test|init|destroy|capture|display)_|set_(?!(nest_)?lock))\w+"
    r"|omp_((aligned_)?c?alloc|realloc|free)"
    r"|__kmpc_(global|bound|push|pop|in|init|destroy|test|get|(dist_)?for_static|team_static)_\w+"
    r"|GOMP_((atomic|ordered|single_copy)_end|doacross_(ull_)?post|taskgroup_start|alloc|free)"
    r"|__kmpc_end_(single|master|masked|scope|ordered|barrier_master)"
    r"|__kmpc_(master|masked|scope|flush|(\w+_)?alloc|calloc|realloc|free|threadprivate\w*)"
)

# GDB leaves out the dot in Fortran. Clang's variables end in .var, which GDB takes for mangled.
_CRITICAL_SYMBOLS = (".gomp_critical_user_", "gomp_critical_user_")
_CRITICAL_SUFFIXES = (".var", "[var]")


class Wait(NamedTuple):
    """What a thread waits for."""

    kind: str  # Kind.name
    title: str  # for people: "critical table", "lock mylock", "barrier"
    function: Optional[str]  # of the runtime, where it is known which one was called
    address: Optional[int]  # of the lock or of what else the thread sleeps on
    symbol: Optional[str]  # that names the address


class Evidence(NamedTuple):
    """What was found out about a thread."""

    in_runtime: bool  # frames of the runtime are younger than any user frame
    level: int  # nesting level of its region
    recorded: Optional[Tuple[int, int]] = None  # state and wait id from the runtime's memory
    call: Optional["WaitSite"] = None  # runtime function that the innermost user frame called
    futex: Optional[int] = None  # address on which the thread sleeps, or of its lock
    futex_site: Optional["WaitSite"] = None  # what the runtime keeps at that address
    futex_symbol: Optional[SymbolAt] = None
    variable: Optional[str] = None  # or part of one, as the source names it, at that address
    is_users: bool = False  # the address belongs neither to the runtime nor to a library
    for_dependences: bool = False  # its task waits for tasks that it depends on
    after_user_code: bool = False  # no user frame: the runtime went on by itself after the code
    in_users_code: bool = False  # user frames are younger than any frame of the runtime
    in_no_users_code: bool = False  # there are none, but frames of the runtime
    is_outside: bool = False  # the whole stack is the system's
    in_routine: bool = False  # the user's code called one that does not wait
    is_unseen: bool = False  # of its stack nothing is known: a core file may lack its registers


class Verdict(NamedTuple):
    """What a thread does."""

    state: Optional[int]  # ompt_state_t; None: not known
    reason: Optional[str]  # why it is not known
    wait: Optional[Wait]


def symbol_name(symbol: Optional[SymbolAt]) -> Optional[str]:
    """How an address is written: the symbol, with the distance from it. None: it has no name,
    as the variable of the critical construct without one."""
    if symbol is None:
        return None
    name = symbol.name
    for prefix in _CRITICAL_SYMBOLS:
        if name.startswith(prefix):
            name = _without_suffix(name[len(prefix) :])
            break
    if not name:
        return None
    name = module_name(name)
    return f"{name}+{symbol.offset}" if symbol.offset else name


def _without_suffix(name: str) -> str:
    for suffix in _CRITICAL_SUFFIXES:
        if name.endswith(suffix):
            return name[: -len(suffix)]
    return name


def is_wait(site: "WaitSite") -> bool:
    """A thread there is said to wait."""
    return bool(KINDS.get(site.kind, UNKNOWN_KIND).title)


def is_mutex(site: "WaitSite") -> bool:
    """Threads wait there for one another's turn, at an object of the program's."""
    return _family(site.kind) == "mutex"


def is_routine(function: Optional[str]) -> bool:
    """A function of the runtime, of none of the kinds above, in which threads do not wait."""
    name = (function or "").partition("@")[0]  # one may jump to another: through "NAME@plt"
    return _ROUTINE.fullmatch(name) is not None


def is_critical_name(symbol: Optional[SymbolAt]) -> bool:
    """The variable that GCC makes for a critical construct with a name."""
    return symbol is not None and symbol.name.startswith(_CRITICAL_SYMBOLS)


def conclude(evidence: Evidence) -> Verdict:
    """Draws the conclusion, or says why there is none."""
    state, wait_id = evidence.recorded or (None, 0)
    if state is not None and (state == IDLE or (evidence.in_runtime and state in _KIND_OF_STATE)):
        return _recorded(evidence, state, wait_id)
    if evidence.is_outside and state in (None, WORK_SERIAL, WORK_PARALLEL):
        return Verdict(None, "in none of the program's code: it begins, or ends", None)
    if evidence.is_unseen and state in (None, WORK_SERIAL, WORK_PARALLEL):
        return Verdict(None, "its stack is not known", None)
    if not evidence.in_runtime:
        # In the handler of a signal that came while the thread waited, it works.
        if state is not None and not (state in _KIND_OF_STATE and evidence.in_users_code):
            return Verdict(state, None, None)
        return _works(evidence)
    observed = _observed(evidence)
    # LLVM's runtime does not record every wait: where it has recorded work, there may be one.
    return Verdict(state, None, None) if observed.state is None and state == OVERHEAD else observed


def _works(evidence: Evidence) -> Verdict:
    return Verdict(WORK_PARALLEL if evidence.level else WORK_SERIAL, None, None)


def _observed(evidence: Evidence) -> Verdict:
    """A thread in the runtime, of which no wait is recorded."""
    if evidence.call is not None:
        return _called(evidence, evidence.call)
    if evidence.futex_site is not None:
        return _asleep(evidence, evidence.futex_site)
    return _unclassified(evidence)


def _recorded(evidence: Evidence, state: int, wait_id: int) -> Verdict:
    kind = _KIND_OF_STATE[state]
    if state == WAIT_TASKWAIT and evidence.for_dependences:
        # Neither the call nor what the thread sleeps on tells it from a taskwait.
        called = evidence.call
        function = called.function if called is not None else None
        return Verdict(state, None, _wait(evidence, DEPENDENCES, function, wait_id))
    if state in _ANY_BARRIER and evidence.after_user_code:
        kind, state = BARRIER_PARALLEL, WAIT_BARRIER_PARALLEL
    for site in (evidence.call, evidence.futex_site):
        if site is not None and (site.state == state or _family(site.kind) == _family(kind)):
            exact = _more_exact(state, site)
            return Verdict(exact, None, _wait(evidence, site.kind, site.function, wait_id))
    call = evidence.call
    function = call.function if call is not None and not is_wait(call) else None
    return Verdict(state, None, _wait(evidence, kind, function, wait_id))


def _more_exact(state: int, site: "WaitSite") -> int:
    """What is recorded and what the place tells are one kind of wait. A runtime may record just
    that it is a barrier; LLVM's records critical constructs as the locks by which it makes them.
    """
    if state in _ANY_BARRIER or is_mutex(site):
        return site.state
    return state


def _called(evidence: Evidence, call: "WaitSite") -> Verdict:
    """The user's code called a known function of the runtime."""
    asleep = evidence.futex_site
    family = _family(call.kind)
    if asleep is None:
        if is_wait(call):
            return Verdict(call.state, None, _wait(evidence, call.kind, call.function))
        if evidence.futex is not None and not evidence.is_users:
            where = _place(evidence)
            return Verdict(
                None, f"in {call.function}, asleep on {where}, whose use is not known", None
            )
        return Verdict(call.state, None, None)
    if _family(asleep.kind) == "runtime lock":
        if is_wait(call):
            return Verdict(call.state, None, _wait(evidence, call.kind, call.function))
        return Verdict(asleep.state, None, _wait(evidence, asleep.kind, call.function))
    if family == "runtime":
        if call.kind == PARALLEL and _family(asleep.kind) == "barrier":
            return _asleep(evidence, asleep, call.function)
        if call.kind == PARALLEL and asleep.kind == IDLE_IN_POOL:
            # libgomp's thread that encountered the region fetches the others from there.
            return Verdict(call.state, None, None)
        return Verdict(asleep.state, None, _wait(evidence, asleep.kind, call.function))
    if family == _family(asleep.kind):
        return Verdict(call.state, None, _wait(evidence, call.kind, call.function))
    called = KINDS.get(call.kind, UNKNOWN_KIND).name
    sleeping = KINDS.get(asleep.kind, UNKNOWN_KIND).name
    reason = f"called {call.function} ({called}), but sleeps on that of a {sleeping}"
    return Verdict(None, reason, None)


def _asleep(evidence: Evidence, asleep: "WaitSite", function: Optional[str] = None) -> Verdict:
    """No call is known that waits (a tail call leaves no frame), but what the thread sleeps on."""
    kind, state = asleep.kind, asleep.state
    if _family(kind) == "barrier" and evidence.after_user_code:
        kind, state = BARRIER_PARALLEL, WAIT_BARRIER_PARALLEL
    return Verdict(state, None, _wait(evidence, kind, function or asleep.function))


def _unclassified(evidence: Evidence) -> Verdict:
    if evidence.futex is None and evidence.in_no_users_code:
        return Verdict(None, "in the runtime, in none of the program's code", None)
    if evidence.futex is None and evidence.in_routine:
        return _works(evidence)
    if evidence.futex is None:
        return Verdict(None, "in the runtime, called from an unknown place", None)
    if is_critical_name(evidence.futex_symbol):
        return Verdict(WAIT_CRITICAL, None, _wait(evidence, CRITICAL, None))
    if evidence.is_users and evidence.futex_symbol is not None:
        # Variables of critical constructs have their own names: the others are locks.
        return Verdict(WAIT_LOCK, None, _wait(evidence, LOCK, None))
    if evidence.is_users:
        wait = Wait(MUTEX.name, f"{MUTEX.title} {evidence.futex:#x}", None, evidence.futex, None)
        return Verdict(WAIT_MUTEX, None, wait)
    return Verdict(None, f"asleep on {_place(evidence)}, whose use is not known", None)


def _family(kind: int) -> str:
    return KINDS.get(kind, UNKNOWN_KIND).family


def _place(evidence: Evidence) -> str:
    return symbol_name(evidence.futex_symbol) or f"{evidence.futex:#x}"


def _wait(evidence: Evidence, kind: int, function: Optional[str], wait_id: int = 0) -> Wait:
    row = KINDS.get(kind, UNKNOWN_KIND)
    address = evidence.futex if evidence.futex is not None else (wait_id or None)
    symbol = None
    if row.family == "mutex" and evidence.is_users:
        symbol = evidence.variable or symbol_name(evidence.futex_symbol)
    title = row.title or row.name
    if symbol is not None:
        title = f"{title} {symbol}"
    elif row.name in ("lock", "nest_lock") and address is not None:
        title = f"{title} {address:#x}"
    return Wait(row.name, title, function, address, symbol)
