# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runtime a program has, how its structures are known, and what cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional

import _ompd

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime

LAYOUT_SOURCES = {0: "none", 1: "runtime", 2: "debug_info", 3: "table"}


class Unavailable(NamedTuple):
    """Something that cannot be told, and why."""

    what: str
    reason: str


class Status(NamedTuple):
    """What `omp status` shows."""

    library: str  # path
    library_version: str
    api_version: int
    omp_version: int
    omp_version_string: str
    layout: Optional[_ompd.Layout]
    threads: int
    openmp_threads: int
    running_threads: int
    teams: int
    nesting: int  # level of the innermost region
    unavailable: List[Unavailable]


def status(runtime: "Runtime") -> Status:
    """Looks at the runtime as a whole."""
    space = runtime.space
    threads = runtime.threads
    teams = runtime.teams
    return Status(
        library=space.library.path,
        library_version=space.library.version_string,
        api_version=space.library.api_version,
        omp_version=space.omp_version,
        omp_version_string=space.omp_version_string,
        layout=space.layout() if space.library.extended else None,
        threads=len(threads),
        openmp_threads=sum(1 for thread in threads if thread.openmp),
        running_threads=sum(1 for thread in threads if thread.target.running),
        teams=len(teams),
        nesting=max([team.level or 0 for team in teams], default=0),
        unavailable=_unavailable(runtime),
    )


def _unavailable(runtime: "Runtime") -> List[Unavailable]:
    found: List[Unavailable] = []
    if not runtime.space.library.extended:
        found.append(Unavailable("tasks and wait sites", "the OMPD library has no extensions"))
    reasons: Dict[str, List[str]] = {}
    for thread in runtime.threads:
        if thread.error is not None:
            reasons.setdefault(thread.error, []).append(thread.target.label)
    for reason, labels in reasons.items():
        noun = "thread" if len(labels) == 1 else "threads"
        found.append(Unavailable(f"{noun} {', '.join(labels)}", reason))
    running = [thread.target.label for thread in runtime.threads if thread.target.running]
    if running:
        noun = "thread" if len(running) == 1 else "threads"
        found.append(Unavailable(f"{noun} {', '.join(running)}", "running"))
    for icv in runtime.space.icvs():
        if icv.scope != _ompd.SCOPE_ADDRESS_SPACE:
            continue
        try:
            runtime.space.icv_string(icv.id)
        except _ompd.Error as error:
            found.append(Unavailable(icv.name, error.reason))
    return found
