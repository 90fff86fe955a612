# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frames of a stack as the source has them: which constructs their code is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional

from ompdbg import frames
from ompdbg.model.calls import PARALLEL_CALL, TEAMS_CALL, Call
from ompdbg.model.task import task_function
from ompdbg.services import Frame

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.team import Team
    from ompdbg.model.walk import Walk

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
# Of LLVM's runtime; a wrapper is in between where it runs code that GCC compiled.
_INVOKE_REGION, _MAX_WRAPPERS = "__kmp_invoke_microtask", 2
_NO_TASK_RUNS = (0, 4, 5, 6, 7)


class LogicalFrame(NamedTuple):
    """One frame of a user's code."""

    frame: Frame
    kind: str  # frames.USER, RUNTIME or SYSTEM
    construct: Optional[str]  # PARALLEL, ... for the code of an OpenMP construct
    function: Optional[str]  # of the source: for a construct, the one that contains it
    construct_line: Optional[int]  # where the construct begins
    construct_file: Optional[str]


class _Named(Dict[int, LogicalFrame]):
    """Frames by index, named when they are asked for."""

    def __init__(self, name: Callable[[int], LogicalFrame]) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, index: int) -> LogicalFrame:
        told = self[index] = self._name(index)
        return told


class Constructs:
    """Names the frames of one thread's stack."""

    def __init__(self, walk: "Walk") -> None:
        self._walk = walk
        self._runtime = walk.runtime
        self._stack = walk.stack
        self._kinds = walk.kinds
        self._calls = walk.calls
        # What the names rest on besides the stack's frames and how many regions are around it:
        self.tasks_asked: Dict[int, bool] = {}  # whether a function is the code of tasks
        self.is_told_by_runtime = False  # texts, and other memory of the runtime's

        self._told = _Named(self._logical)
        self._hide_wrappers(self._told)
        self._name_regions(self._told)
        self._name_league(self._told)

    def frame(self, index: int) -> LogicalFrame:
        """One of them."""
        return self._told[index]

    def frames(self) -> List[LogicalFrame]:
        """All of them, innermost first."""
        return [self._told[index] for index in range(len(self._stack))]

    def _hide_wrappers(self, found: _Named) -> None:
        """Clang makes two functions of a construct: the one that the runtime calls only passes on
        to the other, which has the code."""
        called = {begin - 1 for begin in self._calls}
        for outer in range(1, len(self._stack)):
            inner = outer - 1
            if self._kinds[inner] != frames.USER or self._kinds[outer] != frames.USER:
                continue
            if outer in self._calls:
                continue
            around, code = self._stack[outer], self._stack[inner]
            if outer not in called and not frames.only_passes_on(around, code):
                continue
            if frames.parse_outlined(around.symbol) is None:
                continue
            if frames.parse_outlined(code.symbol) is None:
                continue
            told = found[outer]
            found[inner] = told._replace(frame=code, kind=frames.USER)
            found[outer] = told._replace(kind=frames.SYSTEM)

    def _logical(self, index: int) -> LogicalFrame:
        frame, kind = self._stack[index], self._kinds[index]
        name = frame.function and frames.plain_name(frame.function)
        plain = LogicalFrame(frame, kind, None, name, None, None)
        if kind != frames.USER or frame.is_signal:
            return plain
        symbol, call = frame.symbol, self._calls.get(index + 1)
        if call is None and (symbol is None or not frames.is_outlined(symbol)):
            return plain
        enclosing = self._runtime.namer.enclosing(symbol, frame.file)
        if enclosing is not None:
            enclosing = frames.plain_name(enclosing)
        if call is None and frames.is_flangs(symbol):
            return self._called_at_once(plain, enclosing)
        if frame.is_inlined:
            return plain if enclosing is None else self._inlined(index, plain, enclosing)
        if enclosing is None and (call is None or _is_jumped_to(frame)):
            return plain
        if call is None and self._only_passes_on(index):
            return plain._replace(kind=frames.SYSTEM)
        construct = self._called_by_user(index) if call is None else self._construct(frame, call)
        if call is not None and self._is_region(index + 1):
            construct = TEAMS if call.kind == TEAMS_CALL else PARALLEL
        function = self._runtime.services.function_at(frame.start or frame.pc)
        return LogicalFrame(
            frame,
            kind,
            construct,
            enclosing or (None if frames.is_nameless(symbol) else name),
            function.line if function is not None else None,
            function.file if function is not None else None,
        )

    def _name_regions(self, found: _Named) -> None:
        """Names regions of a program without debug information as the runtime was told; flang's
        debug information does not tell where a construct begins."""
        code_of = {call: begin - 1 for begin, call in self._calls.items() if begin}
        for view in self._walk.views:
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
                self.is_told_by_runtime = True
                if source is None and told.function is None:
                    told = told._replace(function=self._encountered_by(found, call, region))
                    found[index] = told
                if source is not None:
                    found[index] = told._replace(
                        function=told.function if known else source.function,
                        construct_file=source.file or told.construct_file,
                        construct_line=source.line,
                    )

    def _encountered_by(self, found: _Named, call: Call, region: "Team") -> Optional[str]:
        """The function with the construct, by whose name code that has none can be called."""
        if call.caller < len(self._stack):
            return found[call.caller].function
        return None if region.opened is None else region.opened.function

    def _name_league(self, found: _Named) -> None:
        """The code of an initial thread of a league, whose thread the runtime made."""
        outermost = max(self._calls.items(), default=None)
        if outermost is None or not outermost[0] or outermost[1].caller < len(self._stack):
            return
        if self._walk.worker_region is not None:
            return
        for index in range(max(outermost[0] - 2, 0), outermost[0]):  # the second is a wrapper
            told = found[index]
            if told.construct == PARALLEL and told.kind == frames.USER:
                self.is_told_by_runtime = True
                if self._walk.league is not None:
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
            construct = self._called_by_user(index)
            told = plain._replace(construct=construct, function=enclosing)
            if construct == OUTLINED or index + 1 == len(self._stack):
                return told
            caller = self._stack[index + 1]
            return told._replace(construct_file=caller.file, construct_line=caller.line)
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
        if entry is None or not self._is_of_tasks(self._runtime, entry.start):
            return told
        self.is_told_by_runtime = True
        code = task_function(
            self._runtime, entry.start, self._runtime.explicit_functions[entry.start]
        )
        if code is None:
            return told
        return told._replace(construct=TASK, construct_file=code.file, construct_line=code.line)

    def _is_of_tasks(self, runtime: "Runtime", start: int) -> bool:
        """A function is the code of explicit tasks that there are now."""
        found = self.tasks_asked[start] = start in runtime.explicit_functions
        return found

    def _only_passes_on(self, index: int) -> bool:
        """The function through which the code of an undeferred task, inlined there, is called."""
        inner = self._stack[index - 1] if index else None
        entry = frames.is_task_entry(self._stack[index].function)
        return entry and inner is not None and inner.is_inlined

    def _called_by_user(self, index: int) -> str:
        """What construct code is of that no runtime called: of an undeferred task that is about to
        begin, of a target region for the host, or of a parallel region that one thread executes.
        """
        symbol = self._stack[index].symbol
        if frames.is_task_entry(self._stack[index].function):
            return TASK
        if frames.is_target(symbol):
            return TARGET
        caller = self._stack[index + 1] if index + 1 < len(self._stack) else None
        if caller is None or frames.is_task_entry(caller.function):
            return OUTLINED
        return PARALLEL if frames.is_clangs(symbol) else OUTLINED

    def _is_region(self, begin: int) -> bool:
        """Whether it is the function by which LLVM's runtime calls the code of regions only."""
        called_by = self._stack[begin : begin + _MAX_WRAPPERS]
        return any(frame.symbol == _INVOKE_REGION for frame in called_by)

    def _construct(self, frame: Frame, call: Call) -> str:
        """What construct a function is the code of that the runtime called."""
        outlined = frames.parse_outlined(frame.symbol)
        if outlined is not None and outlined.role == "cpyfn":
            return COPY
        if call.kind in _CONSTRUCTS and call.kind != PARALLEL_CALL:
            return _CONSTRUCTS[call.kind]
        if call.kind not in (None, PARALLEL_CALL):
            return OUTLINED if call.kind in _NO_TASK_RUNS else TASK
        if call.caller >= len(self._stack) and call.depth == 1:
            return PARALLEL  # called by the function with which the runtime starts its threads
        if frame.start is not None and self._is_of_tasks(call.runtime, frame.start):
            return TASK
        if call.kind is not None or any(call in view.calls for view in self._walk.views):
            return PARALLEL
        return TASK if call.caller >= len(self._stack) else OUTLINED


def _is_jumped_to(frame: Frame) -> bool:
    """A function of the source that the runtime seems to call: the construct's code ended with a
    jump to it, and left no frame."""
    return frame.file is not None and frame.symbol is not None and not frame.is_inlined
