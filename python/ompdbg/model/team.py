# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A parallel region and its team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

import _ompd

from ompdbg.lazy import cached_property

if TYPE_CHECKING:
    from ompdbg.model.source import Construct
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Location, Thread

# The label of the implicit region around everything, in which no team works.
NO_TEAM = "-"

# A larger team is taken for damaged memory.
_MOST_MEMBERS = 1 << 16

_LEAGUE = 2  # enum ompd_ext_parallel_kind

_UNKNOWN = 1 << 30  # sorts behind every number of a thread


class Team:
    """A team, or the initial thread on its own outside of any parallel region (level 0)."""

    def __init__(self, runtime: "Runtime", handle: _ompd.Parallel) -> None:
        self.runtime = runtime
        self.handle = handle
        self.id = handle.id

    def _icv(self, name: str) -> Optional[int]:
        icv = self.runtime.icv_id(name)
        if icv is None:
            return None
        try:
            return self.handle.icv(icv)
        except _ompd.Error:
            return None

    @cached_property
    def level(self) -> Optional[int]:
        """Number of parallel regions around and including this one."""
        return self._icv("levels-var")

    @cached_property
    def active_level(self) -> Optional[int]:
        """How many of them have more than one thread."""
        return self._icv("active-levels-var")

    @cached_property
    def size(self) -> Optional[int]:
        """Number of its threads."""
        return self._icv("team-size-var")

    @cached_property
    def parent(self) -> Optional["Team"]:
        """The team of the enclosing region."""
        try:
            return self.runtime.team(self.handle.enclosing())
        except _ompd.Error:
            return None

    @cached_property
    def is_league(self) -> bool:
        """The implicit region of an initial thread of a league."""
        try:
            return self.handle.info().kind == _LEAGUE
        except _ompd.Error:
            return False

    @cached_property
    def source(self) -> Optional["Construct"]:
        """Where its construct is, if the runtime was told."""
        from ompdbg.model.source import construct_at

        try:
            return construct_at(self.runtime, self.handle.info().source)
        except _ompd.Error:
            return None

    @cached_property
    def opened(self) -> "Optional[Location]":
        """Where its thread 0 encountered the construct."""
        from ompdbg.model.stack import opening

        frame = opening(self)
        primary = self.primary
        return None if frame is None or primary is None else primary.locate(frame)

    @cached_property
    def primary(self) -> Optional["Thread"]:
        """Thread 0, which encountered the parallel construct."""
        return self.member(0)

    def member(self, thread_num: int) -> Optional["Thread"]:
        """The thread with that number; None if the debugger has no such thread."""
        try:
            return self.runtime.thread_of(self.handle.thread(thread_num))
        except _ompd.Error:
            return None

    @cached_property
    def lost(self) -> List[int]:
        """Numbers of those of which the runtime has a record, and the process has no such thread.
        Raises no error: what is not certain is not told."""
        return [
            number for number in range(min(self.size or 0, _MOST_MEMBERS)) if self._is_lost(number)
        ]

    def _is_lost(self, thread_num: int) -> bool:
        try:
            handle = self.handle.thread(thread_num)
            pthread = (_ompd.THREAD_ID_PTHREAD, handle.thread_id(_ompd.THREAD_ID_PTHREAD))
        except _ompd.Error:
            return False
        services = self.runtime.services
        for thread in self.runtime.threads:
            ids = services.thread_ids(thread.target)
            if pthread in ids or not any(kind == _ompd.THREAD_ID_PTHREAD for kind, _ in ids):
                return False
        return True

    def number_of(self, thread: "Thread") -> Optional[int]:
        """The number of a thread, for libraries that do not tell it."""
        return self._numbers.get(thread.target.number)

    @cached_property
    def _numbers(self) -> Dict[int, int]:
        """Numbers in the team by those of the debugger."""
        found: Dict[int, int] = {}
        for number in range(min(self.size or 0, _MOST_MEMBERS)):
            member = self.member(number)
            if member is not None:
                found.setdefault(member.target.number, number)
        return found

    # ---- Its name ---------------------------------------------------------------------------

    @property
    def is_outermost(self) -> bool:
        """A parallel region that no other encloses."""
        if self.level == 0:
            return False
        return self.parent is None or self.parent.level == 0

    @property
    def founder_number(self) -> int:
        """The debugger's number of the thread that formed the team."""
        return self.primary.target.number if self.primary is not None else _UNKNOWN

    @cached_property
    def path(self) -> Tuple[int, ...]:
        """The way to it from outside: the outermost team's number, and for each level below the
        number of the thread that formed the team in the team around it."""
        chain: List[Team] = [self]
        while not chain[-1].is_outermost and chain[-1].parent is not None:
            if chain[-1].parent in chain:
                break  # damaged memory
            chain.append(chain[-1].parent)
        outermost = self.runtime.outermost_teams
        first = _UNKNOWN
        if chain[-1] in outermost:
            first = outermost.index(chain[-1]) + self.runtime.first_team
        return (first, *(team._number_in_parent() for team in reversed(chain[:-1])))

    def _number_in_parent(self) -> int:
        if self.primary is None or self.primary.handle is None or self.parent is None:
            return _UNKNOWN
        number = self.primary.number_in(self.parent)
        return _UNKNOWN if number is None else number

    @cached_property
    def label(self) -> str:
        """Short name for tables: `1`, and `1.2` for the team that thread 2 of team 1 formed."""
        if self.level == 0:
            return NO_TEAM
        return ".".join("?" if number == _UNKNOWN else str(number) for number in self.path)
