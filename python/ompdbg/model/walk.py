# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stack of one thread, with the regions and tasks whose code lies on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from ompdbg import frames
from ompdbg.lazy import cached_property
from ompdbg.model.calls import PARALLEL_CALL, TARGET_CALL, TEAMS_CALL, Call, CallFinder
from ompdbg.model.constructs import TASK, TASKLOOP, Constructs, LogicalFrame
from ompdbg.services import Frame

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.team import Team
    from ompdbg.model.thread import Thread

# More levels than this are taken for damaged memory.
_MAX_LEVELS = 1024


class _View(NamedTuple):
    """The regions of a thread in one runtime."""

    thread: "Thread"
    formed: List["Team"]  # those that it opened itself, innermost first
    worker_region: Optional["Team"]  # the one in which it is a worker, around all of these
    calls: List[Call]  # that opened regions, innermost first


class TaskFrame(NamedTuple):
    """The frame of a task's code."""

    entry: Optional[int]  # entry point of the code
    call: Optional[int]  # enum ompd_ext_wait_kind of the call in which the task was executed


class Walk:
    """The whole stack of one thread, with the constructs on it."""

    def __init__(self, thread: "Thread") -> None:
        self.runtime: "Runtime" = thread.runtime
        process = thread.runtime.process
        threads = [thread] if process is None else process.views(thread)
        self.stack = list(self.runtime.services.stack(thread.target))
        self.kinds = [self.runtime.classifier.kind(frame) for frame in self.stack]
        self._hide_start()
        self._threads = {thread.runtime: thread for thread in threads}
        finder = CallFinder(self.stack, self.kinds, self._threads, self.runtime)
        self.calls: Dict[int, Call] = finder.find()  # by the index of their innermost frame
        self.views = [self._view(thread) for thread in threads]
        if any(len(view.calls) < len(view.formed) for view in self.views):
            self.calls = finder.with_regions_run_by_code(self.calls)
            self.views = [self._view(thread) for thread in threads]

    @cached_property
    def constructs(self) -> Constructs:
        """What each frame is the code of."""
        return Constructs(self)

    @cached_property
    def frames(self) -> List[LogicalFrame]:
        """All of them, innermost first."""
        return self.constructs.frames()

    def frame_of_call(self, region: "Team") -> Optional[Frame]:
        """The frame that called the runtime to open a region of this thread, if it is there."""
        index = self.opening_of(region)
        return None if index is None or index >= len(self.stack) else self.stack[index]

    def _hide_start(self) -> None:
        """What calls main is nobody's: the start code that is linked into a program, and the
        function that gfortran makes to call the main program. Nor is a stub for a call."""
        if self.stack and frames.is_runtime_stub(self.stack[0].symbol):
            self.kinds[0] = frames.RUNTIME
        last = len(self.stack) - 1
        if last > 0 and self.stack[last].symbol in (None, "_start"):
            if self.kinds[last - 1] == frames.SYSTEM:
                self.kinds[last] = frames.SYSTEM
        for index, frame in enumerate(self.stack):
            if index and frame.symbol == "main" and frames.is_fortran(frame.file):
                self.kinds[index] = frames.SYSTEM

    @property
    def teams_call(self) -> Optional[Call]:
        """The call that made a league."""
        return next((call for call in self.calls.values() if call.kind == TEAMS_CALL), None)

    @property
    def league(self) -> Optional["Team"]:
        """The region of the initial thread of a league that this is."""
        found = (_league_around(view.thread) for view in self.views)
        return next((region for region in found if region is not None), None)

    def _view(self, thread: "Thread") -> _View:
        formed, worker_region = _regions(thread)
        return _View(thread, formed, worker_region, self._parallel_calls(thread.runtime, formed))

    @property
    def worker_region(self) -> Optional["Team"]:
        """The region for which its runtime made the thread."""
        found = (view.worker_region for view in self.views)
        return next((region for region in found if region is not None), None)

    def number_in(self, team: "Team") -> Optional[int]:
        """The thread's number in a team."""
        thread = self._threads.get(team.runtime)
        return None if thread is None else thread.number_in(team)

    def opening_of(self, region: "Team") -> Optional[int]:
        """Index of the frame that called the runtime to open a region of this thread; the
        stack's length if that frame is gone, with all older ones."""
        view = next((view for view in self.views if region in view.formed), None)
        if view is None:
            return None
        # A region more or less may be about to begin or to end: the oldest ones are certain.
        outside = len(view.formed) - 1 - view.formed.index(region)
        calls = view.calls
        return calls[len(calls) - 1 - outside].caller if outside < len(calls) else None

    def team_around(self, opened: "Team", begin: int) -> Optional["Team"]:
        """The team in which the thread works where it opened a region, at frame `begin`. It may
        be one of another runtime."""
        if len(self.views) == 1:
            return opened.parent
        around = [
            (index, region)
            for view in self.views
            for region in view.formed
            for index in (self.opening_of(region),)
            if index is not None and index > begin
        ]
        if around:
            return min(around, key=lambda one: one[0])[1]
        return self.worker_region or opened.parent

    def _parallel_calls(self, runtime: "Runtime", formed: List["Team"]) -> List[Call]:
        """The calls that opened these regions, innermost first."""
        known: List[Call] = []
        possible: List[Call] = []
        for call in self.calls.values():
            if call.kind == TARGET_CALL:
                break  # within target code run by the host, levels count anew
            if call.runtime is not runtime:
                continue
            if call.kind == PARALLEL_CALL:
                known.append(call)
            if call.kind == PARALLEL_CALL or self._may_be_parallel(call):
                possible.append(call)
        return possible if len(known) < len(formed) == len(possible) else known

    def task_frames(self) -> List[TaskFrame]:
        """The frames of tasks on top of the innermost region."""
        found: List[TaskFrame] = []
        for begin, call in self.calls.items():
            if not begin or self.kinds[begin - 1] != frames.USER:
                continue
            if self.frames[begin - 1].construct not in (TASK, TASKLOOP):
                break
            found.append(TaskFrame(self.stack[begin - 1].start, call.kind))
        return found

    def _may_be_parallel(self, call: Call) -> bool:
        """Code that jumps to the runtime's function leaves no frame, and with it goes the trace
        of the call. The oldest frame of a worker alone is not one."""
        return call.kind is None and (call.caller < len(self.stack) or call.depth > 1)


def walk_of(thread: "Thread") -> Walk:
    """Many stacks go on in the same threads: each is walked over once."""
    if thread.walk is None:
        thread.walk = Walk(thread)
    return thread.walk


def logical_frames(thread: "Thread") -> List[LogicalFrame]:
    """All frames on a thread's own stack, innermost first."""
    return walk_of(thread).frames


def task_frames(thread: "Thread") -> List[TaskFrame]:
    """The tasks that lie on a thread's stack on top of its region, innermost first."""
    return walk_of(thread).task_frames()


def regions_around(thread: "Thread") -> Tuple[int, bool]:
    """How many regions the thread itself opened, and whether it is a worker in one around these.
    Where the same frames lie on the stack of a thread, this tells whether the same calls of the
    runtime among them opened regions."""
    formed, worker_region = _regions(thread)
    return len(formed), worker_region is not None


def _regions(thread: "Thread") -> Tuple[List["Team"], Optional["Team"]]:
    """The regions that the thread itself opened, innermost first; and the one in which it is a
    worker."""
    formed: List["Team"] = []
    team = thread.team
    while team is not None and team.level != 0 and team not in formed:
        number = thread.number_in(team)
        if number is None:
            return formed, None
        if number != 0:
            return formed, team
        formed.append(team)
        team = team.parent
    return formed, None


def _league_around(thread: "Thread") -> Optional["Team"]:
    """The region of an initial thread of a league, if its parallel regions are within one."""
    team = thread.team
    for _ in range(_MAX_LEVELS):
        if team is None or team.level == 0:
            break
        team = team.parent
    return team if team is not None and team.is_league else None
