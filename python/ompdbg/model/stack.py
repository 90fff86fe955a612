# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The logical stack of a thread: how it got where it is, in the terms of the source.

The stack of a worker thread ends in the runtime. Its story goes on in the thread that encountered
the parallel construct, from the call of the runtime that opened the region, and so on until main.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Set, Tuple

import _ompd

from ompdbg import frames
from ompdbg.lazy import cached_property
from ompdbg.model.activity import classify_frame
from ompdbg.model.task import task_function
from ompdbg.services import Frame

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.team import Team
    from ompdbg.model.thread import Thread

PARALLEL = "parallel region"
TASK = "task"
TASKLOOP = "taskloop task"
TEAMS = "teams region"
TARGET = "target region"
COPY = "copy of task data"
OUTLINED = "outlined code"

# By enum ompd_ext_wait_kind of the call that led to the code. A task may run in every other
# call that waits or schedules.
_CONSTRUCTS = {14: PARALLEL, 15: TASK, 16: TASKLOOP, 17: TEAMS, 18: TARGET}
_PARALLEL_CALL = 14
_TARGET_CALL = 18
_TEAMS_CALL = 17
# Functions that user code calls to open a region, for OMPD libraries that know no calls.
_OPENS_REGION = ("__kmpc_fork_call", "__kmpc_fork_teams", "GOMP_parallel")
# Of LLVM's runtime; a wrapper is in between where it runs code that GCC compiled.
_INVOKE_REGION, _MAX_WRAPPERS = "__kmp_invoke_microtask", 2
_NO_TASK_RUNS = (0, 4, 5, 6, 7)

# More threads than this on the way to main are taken for damaged memory.
_MAX_PARTS = 1024


class LogicalFrame(NamedTuple):
    """One frame of a user's code."""

    frame: Frame
    kind: str  # frames.USER, RUNTIME or SYSTEM
    construct: Optional[str]  # PARALLEL, ... for the code of an OpenMP construct
    function: Optional[str]  # of the source: for a construct, the one that contains it
    construct_line: Optional[int]  # where the construct begins
    construct_file: Optional[str]


class Part(NamedTuple):
    """The frames that lie on one thread's stack."""

    thread: "Thread"
    team: Optional["Team"]  # in which the innermost of these frames works
    thread_num: Optional[int]  # in that team
    frames: List[LogicalFrame]

    @property
    def program(self) -> str:
        """Path of the program."""
        return self.thread.runtime.services.program


class LogicalStack(NamedTuple):
    """All parts, innermost first."""

    parts: List[Part]
    note: Optional[str]  # why it ends before main


class _Call(NamedTuple):
    """A call of a runtime on a stack."""

    caller: int  # index of the user frame that made it; the stack's length if there is none
    depth: int  # number of its frames
    runtime: "Runtime"
    kind: Optional[int]  # enum ompd_ext_wait_kind; None: not known


class _View(NamedTuple):
    """The regions of a thread in one runtime."""

    thread: "Thread"
    formed: List["Team"]  # those that it opened itself, innermost first
    worker_region: Optional["Team"]  # the one in which it is a worker, around all of these
    calls: List[_Call]  # that opened regions, innermost first


def logical_stack(thread: "Thread") -> LogicalStack:
    """The stack of a thread, continued to main."""
    parts: List[Part] = []
    seen: Set[int] = set()
    current, team, opened = thread, thread.team, None
    while len(parts) < _MAX_PARTS:
        walk = _walk(current)
        begin = 0
        if opened is not None:
            found = walk.opening_of(opened)
            if found is None:
                note = (
                    f"thread {current.target.label} encountered the region; its call was not found"
                )
                return LogicalStack(parts, note)
            begin = found
            parts[-1] = _named_by(parts[-1], walk.frames[begin : begin + 1])
            team = walk.team_around(opened, begin)
        number = None if team is None else walk.number_in(team)
        parts.append(Part(current, team, number, walk.frames[begin:]))
        seen.add(current.target.number)
        region = walk.worker_region
        if region is None:
            outside = _encountered_league(walk)
            if outside is not None and outside.thread.target.number not in seen:
                parts.append(outside)
            return LogicalStack(parts, None)
        primary = region.primary
        if primary is None:
            return LogicalStack(parts, "the thread that encountered the region is not known")
        if primary.target.number in seen:
            return LogicalStack(parts, f"thread {primary.target.label} was already met")
        if primary.target.running:
            return LogicalStack(parts, f"thread {primary.target.label} is running")
        current, opened = primary, region
    return LogicalStack(parts, None)


def _is_jumped_to(frame: Frame) -> bool:
    """A function of the source that the runtime seems to call: the construct's code ended with a
    jump to it, and left no frame."""
    return frame.file is not None and frame.symbol is not None and not frame.is_inlined


def _named_by(part: Part, encountering: List[LogicalFrame]) -> Part:
    """The code of a region that has no symbol is called by the function that encountered it."""
    users = [index for index, one in enumerate(part.frames) if one.kind == frames.USER]
    told = part.frames[users[-1]] if users else None
    if told is None or told.construct != PARALLEL or told.function or not encountering:
        return part
    named = list(part.frames)
    named[users[-1]] = told._replace(function=encountering[0].function)
    return part._replace(frames=named)


def _encountered_league(walk: "_Walk") -> Optional[Part]:
    """What lies under the teams region that an initial thread of a league executes: the frames of
    the thread that encountered the construct."""
    league = None if walk.teams_call is not None else walk.league
    outside = None if league is None else league.parent
    thread = None if outside is None else outside.primary
    if thread is None or thread.target.running:
        return None
    below = _walk(thread)
    if below.teams_call is None:
        return None
    return Part(thread, outside, 0, below.frames[below.teams_call.caller :])


def logical_frames(thread: "Thread") -> List[LogicalFrame]:
    """All frames on a thread's own stack, innermost first."""
    return _walk(thread).frames


def _walk(thread: "Thread") -> "_Walk":
    """Many stacks go on in the same threads: each is walked over once."""
    if thread.walk is None:
        thread.walk = _Walk(thread)
    return thread.walk


class TaskFrame(NamedTuple):
    """The frame of a task's code."""

    entry: Optional[int]  # entry point of the code
    call: Optional[int]  # enum ompd_ext_wait_kind of the call in which the task was executed


def task_frames(thread: "Thread") -> List[TaskFrame]:
    """The tasks that lie on a thread's stack on top of its region, innermost first."""
    return _walk(thread).task_frames()


class _Walk:
    """The whole stack of one thread, with the constructs on it."""

    def __init__(self, thread: "Thread") -> None:
        self._runtime: "Runtime" = thread.runtime
        process = thread.runtime.process
        threads = [thread] if process is None else process.views(thread)
        self._stack = list(self._runtime.services.stack(thread.target))
        self._kinds = [self._runtime.classifier.kind(frame) for frame in self._stack]
        self._hide_start()
        self._threads = {thread.runtime: thread for thread in threads}
        self._calls = self._find_calls()
        self._views = [self._view(thread) for thread in threads]

    @cached_property
    def frames(self) -> List[LogicalFrame]:
        """All of them, innermost first."""
        told = [self._logical(index) for index in range(len(self._stack))]
        self._hide_wrappers(told)
        self._name_regions(told)
        self._name_league(told)
        return told

    def frame_of_call(self, region: "Team") -> Optional[Frame]:
        """The frame that called the runtime to open a region of this thread, if it is there."""
        index = self.opening_of(region)
        return None if index is None or index >= len(self._stack) else self._stack[index]

    # ---- Frames -----------------------------------------------------------------------------

    def _hide_start(self) -> None:
        """What calls main is nobody's: the start code that is linked into a program, and the
        function that gfortran makes to call the main program. Nor is a stub for a call."""
        if self._stack and frames.is_runtime_stub(self._stack[0].symbol):
            self._kinds[0] = frames.RUNTIME
        last = len(self._stack) - 1
        if last > 0 and self._stack[last].symbol in (None, "_start"):
            if self._kinds[last - 1] == frames.SYSTEM:
                self._kinds[last] = frames.SYSTEM
        for index, frame in enumerate(self._stack):
            if index and frame.symbol == "main" and frames.is_fortran(frame.file):
                self._kinds[index] = frames.SYSTEM

    def _hide_wrappers(self, found: List[LogicalFrame]) -> None:
        """Clang makes two functions of a construct: the one that the runtime calls only passes on
        to the other, which has the code."""
        for begin in self._calls:
            outer, inner = begin - 1, begin - 2
            if inner < 0 or self._kinds[inner] != frames.USER:
                continue
            if frames.parse_outlined(self._stack[outer].symbol) is None:
                continue
            if frames.parse_outlined(self._stack[inner].symbol) is None:
                continue
            told = found[outer]
            found[inner] = told._replace(frame=self._stack[inner], kind=frames.USER)
            found[outer] = told._replace(kind=frames.SYSTEM)

    def _logical(self, index: int) -> LogicalFrame:
        frame, kind = self._stack[index], self._kinds[index]
        name = frames.shown_name(frame.function)
        plain = LogicalFrame(frame, kind, None, name, None, None)
        if kind != frames.USER or frame.is_signal:
            return plain
        symbol, call = frame.symbol, self._calls.get(index + 1)
        if call is None and (symbol is None or not frames.is_outlined(symbol)):
            return plain
        enclosing = self._runtime.namer.enclosing(symbol, frame.file)
        if call is None and frames.is_flangs(symbol):
            return self._called_at_once(plain, enclosing)
        if frame.is_inlined:
            return plain if enclosing is None else self._inlined(index, plain, enclosing)
        if enclosing is None and (call is None or _is_jumped_to(frame)):
            return plain
        if call is None and self._only_passes_on(index):
            return plain._replace(kind=frames.SYSTEM)
        construct = OUTLINED if call is None else self._construct(frame, call)
        if call is not None and self._is_region(index + 1):
            construct = TEAMS if call.kind == _TEAMS_CALL else PARALLEL
        function = self._runtime.services.function_at(frame.start or frame.pc)
        return LogicalFrame(
            frame,
            kind,
            construct,
            enclosing or frame.function,
            function.line if function is not None else None,
            function.file if function is not None else None,
        )

    def _name_regions(self, found: List[LogicalFrame]) -> None:
        """Names regions of a program without debug information as the runtime was told; flang's
        debug information does not tell where a construct begins."""
        code_of = {call: begin - 1 for begin, call in self._calls.items() if begin}
        for view in self._views:
            regions = dict(zip(reversed(view.calls), reversed(view.formed)))
            outermost = max(code_of.items(), key=lambda item: item[1], default=None)
            if view.worker_region is not None and outermost is not None:
                regions[outermost[0]] = view.worker_region
            for call, region in regions.items():
                index = code_of.get(call)
                told = found[index] if index is not None else None
                if index is None or told is None or told.construct != PARALLEL:
                    continue
                known = told.construct_file is not None
                if known and not frames.is_flangs(told.frame.symbol):
                    continue
                source = region.source
                if source is None and told.function is None:
                    told = told._replace(function=_encountered_by(found, call))
                    found[index] = told
                if source is not None:
                    found[index] = told._replace(
                        function=told.function if known else source.function,
                        construct_file=source.file or told.construct_file,
                        construct_line=source.line,
                    )

    @property
    def teams_call(self) -> Optional[_Call]:
        """The call that made a league."""
        return next((call for call in self._calls.values() if call.kind == _TEAMS_CALL), None)

    @property
    def league(self) -> Optional["Team"]:
        """The region of the initial thread of a league that this is."""
        found = (_league_around(view.thread) for view in self._views)
        return next((region for region in found if region is not None), None)

    def _name_league(self, found: List[LogicalFrame]) -> None:
        """The code of an initial thread of a league, whose thread the runtime made."""
        outermost = max(self._calls.items(), default=None)
        if outermost is None or not outermost[0] or outermost[1].caller < len(self._stack):
            return
        if self.worker_region is not None:
            return
        for index in range(max(outermost[0] - 2, 0), outermost[0]):  # the second is a wrapper
            told = found[index]
            if told.construct == PARALLEL and told.kind == frames.USER:
                if self.league is not None:
                    found[index] = told._replace(construct=TEAMS)

    def _inlined(self, index: int, plain: LogicalFrame, enclosing: str) -> LogicalFrame:
        """Clang calls the code of an undeferred task where the task is made, through a function
        of its own."""
        older = self._stack[index + 1 : index + 3]
        if frames.is_task_entry(plain.function):
            if index or not older:
                return plain._replace(kind=frames.SYSTEM)
            older.insert(0, plain.frame)  # it has not called it yet, or no more
        if len(older) < 2 or not frames.is_task_entry(older[0].function):
            return plain._replace(construct=OUTLINED, function=enclosing)
        # The one that makes the task calls the function at the construct.
        return plain._replace(
            construct=TASK,
            function=enclosing,
            construct_file=older[1].file,
            construct_line=older[1].line,
        )

    def _called_at_once(self, plain: LogicalFrame, enclosing: Optional[str]) -> LogicalFrame:
        """flang, too, calls the code of an undeferred task where it is made."""
        services = self._runtime.services
        entry = services.function_named(plain.frame.symbol or "")
        told = plain._replace(construct=OUTLINED, function=enclosing)
        if entry is None or entry.start not in self._runtime.explicit_functions:
            return told
        code = task_function(
            self._runtime, entry.start, self._runtime.explicit_functions[entry.start]
        )
        if code is None:
            return told
        return told._replace(construct=TASK, construct_file=code.file, construct_line=code.line)

    def _only_passes_on(self, index: int) -> bool:
        """The function through which the code of an undeferred task, inlined there, is called."""
        inner = self._stack[index - 1] if index else None
        entry = frames.is_task_entry(self._stack[index].function)
        return entry and inner is not None and inner.is_inlined

    def _is_region(self, begin: int) -> bool:
        """Whether it is the function by which LLVM's runtime calls the code of regions only."""
        called_by = self._stack[begin : begin + _MAX_WRAPPERS]
        return any(frame.symbol == _INVOKE_REGION for frame in called_by)

    def _construct(self, frame: Frame, call: _Call) -> str:
        """What construct a function is the code of that the runtime called."""
        outlined = frames.parse_outlined(frame.symbol)
        if outlined is not None and outlined.role == "cpyfn":
            return COPY
        if call.kind in _CONSTRUCTS and call.kind != _PARALLEL_CALL:
            return _CONSTRUCTS[call.kind]
        if call.kind not in (None, _PARALLEL_CALL):
            return OUTLINED if call.kind in _NO_TASK_RUNS else TASK
        if call.caller >= len(self._stack) and call.depth == 1:
            return PARALLEL  # called by the function with which the runtime starts its threads
        if frame.start is not None and frame.start in call.runtime.explicit_functions:
            return TASK
        if call.kind is not None or any(call in view.calls for view in self._views):
            return PARALLEL
        return TASK if call.caller >= len(self._stack) else OUTLINED

    # ---- Calls of the runtime ---------------------------------------------------------------

    def _find_calls(self) -> Dict[int, _Call]:
        """Calls of the runtime, by the index of their innermost frame of the runtime."""
        calls: Dict[int, _Call] = {}
        count = len(self._stack)
        index = 0
        while index < count:
            if self._kinds[index] != frames.RUNTIME:
                index += 1
                continue
            begin = outermost = index
            depth = 0
            while index < count and self._kinds[index] != frames.USER:
                if self._kinds[index] == frames.RUNTIME:
                    outermost = index
                    depth += 1
                index += 1
            thread = self._in_runtime_of(self._stack[outermost])
            kind = self._kind_of_call(thread, index, outermost)
            calls[begin] = _Call(index, depth, thread.runtime, kind)
        return calls

    def _in_runtime_of(self, frame: Frame) -> "Thread":
        """The thread in the runtime that a frame is of."""
        name = frames.runtime_of_object(frame.object_file)
        own = self._threads[self._runtime]
        return next((one for rt, one in self._threads.items() if rt.name == name), own)

    def _kind_of_call(self, thread: "Thread", caller: int, outermost: int) -> Optional[int]:
        if caller >= len(self._stack):
            return None
        site = _classify(thread.runtime, self._stack[caller])
        if site is None:
            site = classify_frame(thread, self._stack[outermost])
        if site is None and not thread.runtime.space.library.extended:
            symbol = self._stack[outermost].symbol or ""
            return _PARALLEL_CALL if symbol.startswith(_OPENS_REGION) else None
        return None if site is None else site.kind

    # ---- Regions ----------------------------------------------------------------------------

    def _view(self, thread: "Thread") -> _View:
        formed, worker_region = _regions(thread)
        return _View(thread, formed, worker_region, self._parallel_calls(thread.runtime, formed))

    @property
    def worker_region(self) -> Optional["Team"]:
        """The region for which its runtime made the thread."""
        found = (view.worker_region for view in self._views)
        return next((region for region in found if region is not None), None)

    def number_in(self, team: "Team") -> Optional[int]:
        """The thread's number in a team."""
        thread = self._threads.get(team.runtime)
        return None if thread is None else thread.number_in(team)

    def opening_of(self, region: "Team") -> Optional[int]:
        """Index of the frame that called the runtime to open a region of this thread; the
        stack's length if that frame is gone, with all older ones."""
        view = next((view for view in self._views if region in view.formed), None)
        if view is None:
            return None
        # A region more or less may be about to begin or to end: the oldest ones are certain.
        outside = len(view.formed) - 1 - view.formed.index(region)
        calls = view.calls
        return calls[len(calls) - 1 - outside].caller if outside < len(calls) else None

    def team_around(self, opened: "Team", begin: int) -> Optional["Team"]:
        """The team in which the thread works where it opened a region, at frame `begin`. It may
        be one of another runtime."""
        if len(self._views) == 1:
            return opened.parent
        around = [
            (index, region)
            for view in self._views
            for region in view.formed
            for index in (self.opening_of(region),)
            if index is not None and index > begin
        ]
        if around:
            return min(around, key=lambda one: one[0])[1]
        return self.worker_region or opened.parent

    def _parallel_calls(self, runtime: "Runtime", formed: List["Team"]) -> List[_Call]:
        """The calls that opened these regions, innermost first."""
        known: List[_Call] = []
        possible: List[_Call] = []
        for call in self._calls.values():
            if call.kind == _TARGET_CALL:
                break  # within target code run by the host, levels count anew
            if call.runtime is not runtime:
                continue
            if call.kind == _PARALLEL_CALL:
                known.append(call)
            if call.kind == _PARALLEL_CALL or self._may_be_parallel(call):
                possible.append(call)
        return possible if len(known) < len(formed) == len(possible) else known

    def task_frames(self) -> List[TaskFrame]:
        """The frames of tasks on top of the innermost region."""
        found: List[TaskFrame] = []
        for begin, call in self._calls.items():
            if not begin or self._kinds[begin - 1] != frames.USER:
                continue
            if self.frames[begin - 1].construct not in (TASK, TASKLOOP):
                break
            found.append(TaskFrame(self._stack[begin - 1].start, call.kind))
        return found

    def _may_be_parallel(self, call: _Call) -> bool:
        """Code that jumps to the runtime's function leaves no frame, and with it goes the trace
        of the call. The oldest frame of a worker alone is not one."""
        return call.kind is None and (call.caller < len(self._stack) or call.depth > 1)


def _encountered_by(found: List[LogicalFrame], call: _Call) -> Optional[str]:
    """The function with the construct, by whose name code without a symbol can be called."""
    return found[call.caller].function if call.caller < len(found) else None


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
    for _ in range(_MAX_PARTS):
        if team is None or team.level == 0:
            break
        team = team.parent
    return team if team is not None and team.is_league else None


def _classify(runtime: "Runtime", user: Frame) -> Optional[_ompd.WaitSite]:
    if not user.is_call:
        return None
    known = runtime.constants.call_sites
    site = known.get(user.pc)
    if site is None:
        try:
            site = runtime.space.classify_call(user.pc)
        except _ompd.Error:
            return None
        if site is not None and runtime.constants.is_permanent(user):
            known[user.pc] = site
    return site


def opening(team: "Team") -> Optional[Frame]:
    """The frame whose code encountered the parallel construct; None where that left none."""
    primary = team.primary
    if primary is None or primary.target.running:
        return None
    return _walk(primary).frame_of_call(team)
