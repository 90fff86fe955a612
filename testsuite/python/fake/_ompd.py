# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension's interface over a process that exists only as data."""

from typing import Dict, List, NamedTuple, Optional, Tuple

THREAD_ID_PTHREAD, THREAD_ID_LWP = 0, 1
SCOPE_GLOBAL, SCOPE_ADDRESS_SPACE, SCOPE_THREAD, SCOPE_PARALLEL = 1, 2, 3, 4
LOCK_OWNER_UNRECORDED, LOCK_OWNER_THREAD, LOCK_OWNER_TASK = 0, 1, 2
LOCK_OWNER_MISSING, LOCK_OWNER_INVALID = 3, 4
RC_UNAVAILABLE, RC_STALE_HANDLE, RC_BAD_INPUT, RC_ERROR, RC_UNSUPPORTED = 1, 2, 3, 4, 5


class Error(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason, self.function = code, reason, "fake"


class Unavailable(Error):
    def __init__(self, reason: str = "nobody knows") -> None:
        super().__init__(RC_UNAVAILABLE, reason)


class Icv(NamedTuple):
    id: int
    name: str
    scope: int


class Layout(NamedTuple):
    runtime: str
    release: str
    source: int
    probes_agreed: int
    probes_silent: int
    doubted: int = 0


class WaitSite(NamedTuple):
    kind: int
    state: int
    entry: int = 0
    function: Optional[str] = None


class TaskInfo(NamedTuple):
    id: int
    parent_id: int = 0
    parallel_id: int = 0
    function: int = 0
    taskgroup: int = 0
    kind: int = 2
    status: int = 2
    flags: int = 0
    flags_known: int = 0xFF
    priority: int = 0
    thread_num: int = -1
    num_depends: int = 0
    num_predecessors: int = 0
    source: int = 0


class ParallelInfo(NamedTuple):
    kind: int = 0
    serialized: bool = False
    function: int = 0
    source: int = 0


STATES = {
    0x000: "ompt_state_work_serial",
    0x001: "ompt_state_work_parallel",
    0x010: "ompt_state_wait_barrier",
    0x011: "ompt_state_wait_barrier_implicit_parallel",
    0x014: "ompt_state_wait_barrier_explicit",
    0x020: "ompt_state_wait_taskwait",
    0x040: "ompt_state_wait_mutex",
    0x041: "ompt_state_wait_lock",
    0x042: "ompt_state_wait_critical",
    0x100: "ompt_state_idle",
    0x101: "ompt_state_overhead",
    0x102: "ompt_state_undefined",
}

ICVS = [
    Icv(1, "levels-var", SCOPE_PARALLEL),
    Icv(2, "active-levels-var", SCOPE_PARALLEL),
    Icv(3, "team-size-var", SCOPE_PARALLEL),
    Icv(4, "thread-num-var", SCOPE_THREAD),
    Icv(5, "max-task-priority-var", SCOPE_ADDRESS_SPACE),
]


class Parallel:
    """A region: its size, the region around it, and the thread objects of its team."""

    def __init__(self, ident: int, size: int, enclosing: "Optional[Parallel]" = None) -> None:
        self.id, self.size, self._enclosing = ident, size, enclosing
        self.members: List["Thread"] = []
        self.task_objects: Dict[int, "Task"] = {}

    @property
    def level(self) -> int:
        return 0 if self._enclosing is None else self._enclosing.level + 1

    def icv(self, icv: int) -> int:
        if icv == 1:
            return self.level
        if icv == 2:
            outside = 0 if self._enclosing is None else self._enclosing.icv(2)
            return outside + (self.size > 1)
        if icv == 3:
            return self.size
        raise Unavailable()

    def info(self) -> ParallelInfo:
        return ParallelInfo()

    def enclosing(self) -> "Parallel":
        if self._enclosing is None:
            raise Unavailable()
        return self._enclosing

    def thread(self, number: int) -> "Thread":
        if number >= len(self.members):
            raise Error(RC_BAD_INPUT, "no such thread")
        return self.members[number]

    def task_by_id(self, ident: int) -> "Task":
        return self.task_objects[ident]


class Task:
    def __init__(self, info: TaskInfo, scheduling: "Optional[Task]" = None) -> None:
        self._info, self.id, self._scheduling = info, info.id, scheduling
        self.depend_list: List[Tuple[int, int]] = []
        self.depends_complete = True
        self.parent: "Optional[Task]" = None

    def generating(self) -> "Task":
        if self.parent is None:
            raise Unavailable()
        return self.parent

    def info(self) -> TaskInfo:
        return self._info

    def scheduling(self) -> "Task":
        if self._scheduling is None:
            raise Unavailable()
        return self._scheduling

    def depends(self) -> Tuple[List[Tuple[int, int]], bool]:
        return self.depend_list, self.depends_complete


class ThreadInfo(NamedTuple):
    """struct ompd_ext_thread_info."""

    kind: int
    global_num: int


class Thread:
    """An OpenMP thread: the innermost region it is in, its current task, recorded state."""

    def __init__(
        self, ident: int, region: Optional[Parallel], task: Optional[Task] = None
    ) -> None:
        self.id, self.region, self.current = ident, region, task
        self.recorded: Optional[Tuple[int, int]] = None
        self.failure: Optional[Error] = None
        self.futexes: Dict[int, WaitSite] = {}
        self.kind = 1  # enum ompd_ext_thread_kind

    def info(self) -> ThreadInfo:
        return ThreadInfo(self.kind, self.id)

    def parallel(self) -> Parallel:
        if self.failure is not None:
            raise self.failure
        if self.region is None:
            raise Unavailable()
        return self.region

    def task(self) -> Task:
        if self.current is None:
            raise Unavailable()
        return self.current

    def state(self) -> Tuple[int, int]:
        if self.recorded is None:
            raise Unavailable()
        return self.recorded

    def thread_num(self, parallel: Parallel) -> Optional[int]:
        return parallel.members.index(self) if self in parallel.members else None

    def classify_futex(self, address: int) -> Optional[WaitSite]:
        return self.futexes.get(address)

    def confirm_lock(self, kind: int, variable: int, in_use: bytes) -> bool:
        return False


class TaskIterator:
    def __init__(self, infos: List[TaskInfo]) -> None:
        self._infos, self._next, self.damaged = infos, 0, False

    def __iter__(self) -> "TaskIterator":
        return self

    def __next__(self) -> TaskInfo:
        if self._next >= len(self._infos):
            raise StopIteration
        self._next += 1
        return self._infos[self._next - 1]

    def unreached(self) -> Optional[int]:
        return 0

    def by_function(self) -> Dict[Tuple[int, int, int, int], int]:
        counts: Dict[Tuple[int, int, int, int], int] = {}
        for info in self:
            key = (info.function, info.source, info.kind, info.status)
            counts[key] = counts.get(key, 0) + 1
        return counts


class Library:
    path = "/lib/ompdbg/libompd.so"
    api_version = 202111
    version_string = "ompdbg"
    extended = True


class AddressSpace:
    """The process: threads by LWP, calls by return address, tasks."""

    def __init__(self) -> None:
        self.library = Library()
        self.omp_version, self.omp_version_string = 201511, "OpenMP 4.5"
        self.by_lwp: Dict[int, Thread] = {}
        self.calls: Dict[int, WaitSite] = {}
        self.entries: Dict[int, WaitSite] = {}
        self.task_infos: List[TaskInfo] = []
        self.max_task_priority = 0

    def thread(self, kind: int, ident: int) -> Thread:
        if kind != THREAD_ID_LWP:
            raise Error(RC_UNSUPPORTED, "no such kind of id")
        if ident not in self.by_lwp:
            raise Unavailable("no OpenMP thread")
        return self.by_lwp[ident]

    def states(self) -> Dict[int, str]:
        return STATES

    def icvs(self) -> List[Icv]:
        return ICVS

    def icv(self, icv: int) -> int:
        return self.max_task_priority

    def icv_string(self, icv: int) -> str:
        return str(self.icv(icv))

    def layout(self) -> Optional[Layout]:
        return Layout("libgomp", "GCC 12", 3, 14, 2)

    def classify_call(self, address: int) -> Optional[WaitSite]:
        return self.calls.get(address)

    def call_target(self, address: int) -> Optional[int]:
        return None

    def classify_entry(self, entry: int) -> Optional[WaitSite]:
        return self.entries.get(entry)

    def lock_argument(self, address: int) -> None:
        return None

    def tasks(self) -> TaskIterator:
        return TaskIterator(self.task_infos)
