# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread of the program, and what OpenMP knows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence

import _ompd

from ompdbg import waits
from ompdbg.frames import is_nameless, plain_name
from ompdbg.lazy import cached_property
from ompdbg.model import activity
from ompdbg.model import task as tasks

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.walk import Walk
    from ompdbg.model.task import Task
    from ompdbg.model.team import Team
    from ompdbg.services import Frame, TargetThread

RUNNING = "running"

_HELPER = 2  # enum ompd_ext_thread_kind

# Codes after which the same question may be asked with another kind of thread id.
_WRONG_KIND = (_ompd.RC_UNSUPPORTED, _ompd.RC_BAD_INPUT)


class Location(NamedTuple):
    """Where in the user's code a thread is."""

    function: Optional[str]  # of the source; None in a stripped program
    symbol: Optional[str]  # of the function that was made from it
    file: Optional[str]
    line: Optional[int]
    address: int
    object_file: str  # path of the program or shared object


class Thread:
    """A thread of the debugger. It may be no OpenMP thread."""

    def __init__(self, runtime: "Runtime", target: "TargetThread") -> None:
        self.runtime = runtime
        self.target = target
        self.handle: Optional[_ompd.Thread] = None
        self.walk: "Optional[Walk]" = None  # of stack.py
        self.error: Optional[str] = None  # why nothing is known, if that is a failure
        if not target.running:
            self._open()

    def _open(self) -> None:
        for kind, ident in self.runtime.services.thread_ids(self.target):
            try:
                self.handle = self.runtime.space.thread(kind, ident)
                self.error = None
                return
            except _ompd.Error as error:
                failed = not isinstance(error, _ompd.Unavailable)
                self.error = error.reason if failed else None
                if error.code not in _WRONG_KIND:
                    return

    @property
    def openmp(self) -> Optional[bool]:
        """Whether it is an OpenMP thread; None if that is not known."""
        if self.handle is not None:
            return True
        return None if self.target.running or self.error is not None else False

    # ---- Its place in its team --------------------------------------------------------------

    @cached_property
    def is_helper(self) -> bool:
        """A thread of the runtime's own, for target tasks that are not waited for."""
        if self.handle is None or not self.runtime.space.library.extended:
            return False
        try:
            return self.handle.info().kind == _HELPER
        except _ompd.Error:
            return False

    @cached_property
    def team(self) -> Optional["Team"]:
        """The team in which it works; None if it is in none, as helpers."""
        if self.handle is None or self.is_helper:
            return None
        try:
            return self.runtime.team(self.handle.parallel())
        except _ompd.Unavailable:
            return None
        except _ompd.Error as error:
            self.error = error.reason
            return None

    def number_in(self, team: "Team") -> Optional[int]:
        """Its number in a team; None if it is no member."""
        if self.handle is None:
            return None
        if not self.runtime.space.library.extended:
            return team.number_of(self)
        try:
            return self.handle.thread_num(team.handle)
        except _ompd.Error:
            return None

    @cached_property
    def thread_num(self) -> Optional[int]:
        """Its number in its team."""
        return None if self.team is None else self.number_in(self.team)

    @property
    def team_size(self) -> Optional[int]:
        """Number of threads of its team."""
        return None if self.team is None else self.team.size

    @property
    def level(self) -> Optional[int]:
        """Nesting level of its region."""
        return None if self.team is None else self.team.level

    @property
    def active_level(self) -> Optional[int]:
        """Nesting level, counting only regions with several threads."""
        return None if self.team is None else self.team.active_level

    @cached_property
    def task(self) -> Optional["Task"]:
        """The task that it executes; None if it has none."""
        if self.handle is None:
            return None
        try:
            handle = self.handle.task()
            task = tasks.Task(self.runtime, handle.info(), handle)
            return None if self.is_helper and task.kind == "implicit" else task
        except _ompd.Error:
            return None

    # ---- What it does -----------------------------------------------------------------------

    @cached_property
    def _observed(self) -> "activity.Observation":
        return activity.observe(self)

    @cached_property
    def _verdict(self) -> waits.Verdict:
        if self.target.running:
            return waits.Verdict(None, "the thread is running", None)
        if self.team is None and self.error is not None:
            return waits.Verdict(None, self.error, None)
        if self.is_helper and self.task is None:
            return waits.Verdict(waits.IDLE, None, None)
        verdict = waits.conclude(self._observed.evidence)
        if self.is_helper and verdict.state == waits.WORK_SERIAL:
            return verdict._replace(state=waits.WORK_PARALLEL)
        if self.handle is None:
            return waits.Verdict(None, "no OpenMP thread", verdict.wait)
        return verdict

    @property
    def in_runtime(self) -> bool:
        """Frames of the runtime are younger than those of the user's code."""
        return self._observed.evidence.in_runtime

    @property
    def is_outside(self) -> bool:
        """It is in no code but the system's, as it begins or ends."""
        return self._observed.evidence.is_outside

    @property
    def state(self) -> Optional[str]:
        """Name of its state; None if it is not known."""
        state = self._verdict.state
        return None if state is None else self.runtime.state_name(state)

    @property
    def state_reason(self) -> Optional[str]:
        """Why its state is not known."""
        return self._verdict.reason

    @property
    def wait(self) -> Optional[waits.Wait]:
        """What it waits for."""
        return self._verdict.wait

    @cached_property
    def location(self) -> Optional[Location]:
        """Its innermost user frame, one with source lines if there is one."""
        if self.target.running:
            return None
        frame = self._observed.location
        return None if frame is None else self.locate(frame)

    def locate(self, frame: "Frame") -> Location:
        """The place of a frame, in terms of the source."""
        known = self.runtime.constants.locations
        if frame not in known:
            known[frame] = self._locate(frame)
        return known[frame]

    def _locate(self, frame: "Frame") -> Location:
        symbol = frame.symbol
        object_file = frame.object_file or self.runtime.services.program
        function = self.runtime.namer.enclosing(symbol, frame.file)
        if function is None and not is_nameless(symbol):
            function = frame.function
        function = function and plain_name(function)
        return Location(function, symbol, frame.file, frame.line, frame.pc, object_file)


def why_no_openmp(threads: "Sequence[Thread]", everyone: bool) -> str:
    """Why none of them is asked what only OpenMP threads can tell."""
    for thread in threads:
        if thread.error is not None:
            return thread.error
    return "no OpenMP thread" if everyone else "the thread is no OpenMP thread"
