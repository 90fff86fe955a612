# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runtime a program has, how its structures are known, and what cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, TypeVar

import _ompd

from ompdbg.frames import runtime_of_object
from ompdbg.model.process import by_runtime

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Thread

_NAMES_LIBRARIES = "ompd_dll_locations"
_Value = TypeVar("_Value")

LAYOUT_SOURCES = {0: "none", 1: "runtime", 2: "debug_info", 3: "table"}


class Unavailable(NamedTuple):
    """Something that cannot be told, and why."""

    what: str
    reason: str
    runtime: Optional[str] = None  # whose it is, where there are several


class RuntimeStatus(NamedTuple):
    """One runtime, and the library that answers for it."""

    name: str  # as in JSON
    library: str  # path
    library_version: str
    api_version: int
    omp_version: Optional[int]
    omp_version_string: Optional[str]
    layout: Optional[_ompd.Layout]
    object_name: Optional[str]  # what the runtime is by the name of its file, if that told
    threads: int
    teams: int


class Status(NamedTuple):
    """What `omp status` shows."""

    runtimes: List[RuntimeStatus]
    threads: int
    openmp_threads: int
    running_threads: int
    teams: int
    nesting: int  # level of the innermost region
    unavailable: List[Unavailable]


def status(process: "Process") -> Status:
    """Looks at everything as a whole."""
    threads = process.threads
    teams = process.teams
    unavailable = [Unavailable("a runtime", problem) for problem in process.problems]
    for name, runtime in by_runtime(process).items():
        missing = _unavailable(runtime)
        if process.has_several:
            missing = [one._replace(runtime=name) for one in missing]
        unavailable += missing
    return Status(
        runtimes=[_runtime(name, r, process) for name, r in by_runtime(process).items()],
        threads=len(threads),
        openmp_threads=sum(1 for thread in threads if thread.openmp),
        running_threads=sum(1 for thread in threads if thread.target.running),
        teams=len(teams),
        nesting=max([team.level or 0 for team in teams], default=0),
        unavailable=unavailable + _threads_unavailable(threads),
    )


def _runtime(name: str, runtime: "Runtime", process: "Process") -> RuntimeStatus:
    space = runtime.space
    return RuntimeStatus(
        name=name,
        library=space.library.path,
        library_version=space.library.version_string,
        api_version=space.library.api_version,
        omp_version=_told(lambda: space.omp_version),
        omp_version_string=_told(lambda: space.omp_version_string),
        layout=space.layout() if space.library.extended else None,
        object_name=_object_name(runtime),
        threads=sum(1 for t in process.threads if t.openmp and t.runtime is runtime),
        teams=len(runtime.teams),
    )


def _object_name(runtime: "Runtime") -> Optional[str]:
    """The runtime that names OMPD libraries, whichever it is: the one that others answer for."""
    services = runtime.services
    address = services.symbol_address(_NAMES_LIBRARIES, None, None)
    symbol = None if address is None else services.symbol_at(address)
    return None if symbol is None else runtime_of_object(symbol.object_file)


def _told(ask: Callable[[], _Value]) -> Optional[_Value]:
    """None where a library cannot answer."""
    try:
        return ask()
    except _ompd.Error:
        return None


def _unavailable(runtime: "Runtime") -> List[Unavailable]:
    found: List[Unavailable] = []
    if not runtime.space.library.extended:
        found.append(Unavailable("tasks and wait sites", "the OMPD library has no extensions"))
    for icv in _told(runtime.space.icvs) or []:
        if icv.scope != _ompd.SCOPE_ADDRESS_SPACE:
            continue
        reason = _why_unavailable(runtime.space, icv.id)
        if reason is not None:
            found.append(Unavailable(icv.name, reason))
    return found


def _why_unavailable(space: _ompd.AddressSpace, icv: int) -> Optional[str]:
    """LLVM's library has strings only of variables that are no numbers."""
    try:
        space.icv_string(icv)
        return None
    except _ompd.Error as error:
        if error.code != _ompd.RC_UNSUPPORTED:
            return error.reason
    # Nor has the runtime every variable of the newest standard.
    try:
        space.icv(icv)
        return None
    except _ompd.Error as error:
        return None if error.code == _ompd.RC_UNSUPPORTED else error.reason


def _threads_unavailable(threads: "List[Thread]") -> List[Unavailable]:
    found: List[Unavailable] = []
    reasons: Dict[str, List[str]] = {}
    for thread in threads:
        reason = "running" if thread.target.running else thread.error
        if reason is not None:
            reasons.setdefault(reason, []).append(thread.target.label)
    for reason, labels in reasons.items():
        noun = "thread" if len(labels) == 1 else "threads"
        found.append(Unavailable(f"{noun} {', '.join(labels)}", reason))
    return found
