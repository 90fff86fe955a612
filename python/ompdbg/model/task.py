# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks: implicit, explicit, and the initial ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

import _ompd

from ompdbg.frames import base_name, plain_name
from ompdbg.lazy import cached_property
from ompdbg.model.source import construct_at
from ompdbg.waits import symbol_name

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.task_stacks import Placement
    from ompdbg.model.team import Team

INITIAL, IMPLICIT, EXPLICIT, TARGET = range(4)

KINDS = {INITIAL: "initial", IMPLICIT: "implicit", EXPLICIT: "explicit", TARGET: "target"}

RUNNING, SUSPENDED, QUEUED, BLOCKED, DETACHED, CREATING, COMPLETED, STARTED, UNKNOWN = range(9)

STATUSES = {
    RUNNING: "running",
    SUSPENDED: "suspended",
    QUEUED: "queued",
    BLOCKED: "blocked",
    DETACHED: "detached",
    CREATING: "creating",
    COMPLETED: "completed",
    STARTED: "started",
    UNKNOWN: "unknown",
}

# Tasks that have not begun have no children yet.
NOT_BEGUN = (QUEUED, BLOCKED)

FLAGS = {
    1 << 0: "final",
    1 << 1: "undeferred",
    1 << 2: "untied",
    1 << 3: "mergeable",
    1 << 4: "detachable",
    1 << 5: "in_taskwait",
    1 << 6: "in_depend_wait",
    1 << 7: "in_taskgroup_wait",
    1 << 10: "proxy",
}

_DEPENDS_LOST = 1 << 9

DEPENDS = {
    0: "out",
    1: "in",
    2: "inoutset",
    3: "all_memory",
    4: "in_or_set",
    5: "mutexinoutset",
}


class Depend(NamedTuple):
    """One element of a depend clause."""

    address: int
    kind: str
    symbol: Optional[str]


class TaskFunction(NamedTuple):
    """The code of a task, as the source has it."""

    name: str  # the function that contains the construct
    symbol: str  # the function that was made from it
    file: Optional[str]
    line: Optional[int]  # of the construct
    signature: str  # `name` with the parameters of C++, where they are known

    @property
    def place(self) -> str:
        """`fib at fib.c:9`."""
        if self.file is None:
            return self.name
        return f"{self.name} at {base_name(self.file)}:{self.line}"


class Task:
    """One task."""

    def __init__(
        self,
        runtime: "Runtime",
        info: _ompd.TaskInfo,
        handle: Optional[_ompd.Task] = None,
        placement: Optional["Placement"] = None,
    ) -> None:
        self._runtime = runtime
        self._handle = handle
        self._placement = placement
        self.info = info
        self.id = info.id

    @property
    def runtime_name(self) -> Optional[str]:
        """What its runtime is called."""
        return self._runtime.name

    @property
    def kind(self) -> str:
        """initial, implicit, explicit, or target."""
        return KINDS.get(self.info.kind, str(self.info.kind))

    @property
    def status(self) -> str:
        """What has become of it so far."""
        status = self.info.status
        if status == STARTED and self._placement is not None:
            status = SUSPENDED
        return STATUSES.get(status, str(status))

    @property
    def flags(self) -> List[str]:
        """What is known to be so of it."""
        known = self.info.flags & self.info.flags_known
        return [name for bit, name in FLAGS.items() if known & bit]

    @property
    def parent_id(self) -> Optional[int]:
        """The task that generated it; None if that is not recorded."""
        return self.info.parent_id or None

    @property
    def thread_num(self) -> Optional[int]:
        """The thread of its team that executes it."""
        if self.info.thread_num >= 0:
            return self.info.thread_num
        return None if self._placement is None else self._placement.thread_num

    @cached_property
    def team(self) -> Optional["Team"]:
        """The team of the region that it is bound to."""
        return self._runtime.team_by_id(self.info.parallel_id)

    @property
    def is_of_helpers(self) -> bool:
        """It is of the hidden helper threads, which are no team of the program."""
        return self.info.parallel_id in self._runtime.helper_teams

    @cached_property
    def function(self) -> Optional[TaskFunction]:
        """Its code; None where it is not known."""
        entry = self.info.function
        if not entry and self._placement is not None:
            entry = self._placement.entry
        return task_function(self._runtime, entry, self.info.source)

    @property
    def depends(self) -> List[Depend]:
        """The elements of its depend clauses, as far as they are known."""
        return self._depends[0]

    @property
    def depends_complete(self) -> bool:
        """Whether these are all."""
        return self._depends[1]

    @cached_property
    def _depends(self) -> Tuple[List[Depend], bool]:
        if not self.info.num_depends:
            return [], not self.info.flags & _DEPENDS_LOST
        handle = None
        try:
            handle = self._handle or self._find_handle()
            found, complete = handle.depends() if handle is not None else ([], False)
        except _ompd.Error:
            return [], False
        told = [
            Depend(address, DEPENDS.get(kind, str(kind)), self._symbol(address))
            for address, kind in found
        ]
        return told, complete

    @cached_property
    def dependers(self) -> List[int]:
        """Identities of the tasks that wait for it."""
        try:
            handle = self._handle or self._find_handle()
            return handle.dependers() if handle is not None else []
        except _ompd.Error:
            return []

    @property
    def counts(self) -> Tuple[int, int, bool]:
        """How many of its children, and tasks of its taskgroup, are not done, where the runtime
        counts them; else none. And whether some in the region may be detached."""
        try:
            handle = self._handle or self._find_handle()
            return handle.counts() if handle is not None else (0, 0, False)
        except _ompd.Error:
            return 0, 0, False

    def _find_handle(self) -> Optional[_ompd.Task]:
        return None if self.team is None else self.team.handle.task_by_id(self.id)

    def _symbol(self, address: int) -> Optional[str]:
        if not address:
            return None
        services = self._runtime.services
        variable = services.variable_at(address, False, self.info.function or None)
        return variable or symbol_name(services.symbol_at(address))


def task_function(runtime: "Runtime", address: int, source: int = 0) -> Optional[TaskFunction]:
    """The code at an entry point. `source`: where the runtime has a text about the construct,
    which tells its line exactly, and in programs without debug information too."""
    if not address:
        return None
    function = runtime.services.function_at(address)
    told = construct_at(runtime, source)
    symbol = f"{address:#x}" if function is None else function.symbol
    name, file, line = symbol, None, None
    if function is not None:
        name = runtime.namer.enclosing(function.symbol, function.file) or function.name
        file, line = function.file, function.line
    if told is not None:
        # The compiler's name of a function of C++ is bare: debug information has its class, too.
        name, file, line = name if file else told.function, told.file or file, told.line
    return TaskFunction(plain_name(name), symbol, file, line, name)


def explicit_functions(runtime: "Runtime") -> Dict[int, int]:
    """Entry points of all explicit tasks of the process, with the address of the text about the
    construct, or 0. Code of a task is code of no other construct. Empty where the tasks cannot be
    enumerated."""
    try:
        counts = runtime.space.tasks().by_function()
    except _ompd.Error:
        return {}
    return {function: source for function, source, kind, _ in counts if kind in (EXPLICIT, TARGET)}
