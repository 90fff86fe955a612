# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C extension between Python and an OMPD library (gdb-plugin/).

It knows the OMPD API and `ompd_ext.h`, and nothing of any debugger: a debugger is an object with
the methods of `Services`.

What a method of `Services` raises is passed on: an Exception as the cause of the Error, if the
OMPD function fails because of it; any other exception, such as KeyboardInterrupt, as itself.
While an OMPD function runs, a method of `Services` cannot call another one (Error), but it may
invalidate, and drop handles.
"""

import os
from typing import (
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Tuple,
    Union,
)

THREAD_ID_LWP: int
THREAD_ID_PTHREAD: int

SCOPE_GLOBAL: int
SCOPE_ADDRESS_SPACE: int
SCOPE_THREAD: int
SCOPE_PARALLEL: int
SCOPE_IMPLICIT_TASK: int
SCOPE_TASK: int

LOCK_OWNER_UNRECORDED: int
LOCK_OWNER_THREAD: int
LOCK_OWNER_TASK: int
LOCK_OWNER_MISSING: int
LOCK_OWNER_INVALID: int
RC_UNAVAILABLE: int
RC_STALE_HANDLE: int
RC_BAD_INPUT: int
RC_ERROR: int
RC_UNSUPPORTED: int
RC_NEEDS_STATE_TRACKING: int
RC_INCOMPATIBLE: int
RC_NOMEM: int
RC_INCOMPLETE: int
RC_CALLBACK_ERROR: int

class Error(Exception):
    """An OMPD function did not return ompd_rc_ok."""

    code: int  # the ompd_rc_t
    function: str  # "ompd_get_state"
    reason: str  # one line; the library's own words where it has some, else the code's meaning

class Unavailable(Error):
    """ompd_rc_unavailable, ompd_rc_unsupported or ompd_rc_needs_state_tracking: nobody knows."""

class Services(Protocol):
    """What a debugger offers: any object with these methods."""

    def read_memory(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes (or another object that bytes() can copy).

        Raises any Exception if one of them is unreadable. Whole pages are asked for and kept.
        """
    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """Address of a symbol, None if there is none. `thread`: context of thread_context()."""
    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """A number that stands for the thread with that id (kind THREAD_ID_*), None if unknown."""
    def message(self, text: str, category: int) -> None:
        """A line that the library wants to say."""

class Library:
    """One loaded OMPD library. Loads it, and calls ompd_initialize.

    Several objects of one file share the library; the last one's end finalizes and unloads it.
    A file that cannot be loaded raises Error with the function "dlopen", one that is no OMPD
    library Error with "dlsym". A path without a slash is searched for as dlopen() does it.
    `descriptor`: the file that is loaded in place of the path, which is then only its name; it
    stays open, for the loader takes its number for a name.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], descriptor: int = ...) -> None: ...
    path: str
    api_version: int
    version_string: str
    extended: bool  # has the functions of ompd_ext.h
    def open(self, services: Services, runtime: Optional[str] = None) -> AddressSpace:
        """`runtime`: one of runtimes(); without, the one that the library finds."""
    def runtimes(self) -> List[str]:
        """Names of the runtimes that it can recognise; [] if it does not tell, and opens one."""

class Icv(NamedTuple):
    id: int
    name: str
    scope: int

class Layout(NamedTuple):
    runtime: str
    release: str
    source: int  # enum ompd_ext_layout_source
    probes_agreed: int
    probes_silent: int
    doubted: int  # fields whose place is not proven

class WaitSite(NamedTuple):
    kind: int  # enum ompd_ext_wait_kind
    state: int
    entry: int
    function: Optional[str]

class TaskInfo(NamedTuple):
    """struct ompd_ext_task_info, field by field."""

    id: int
    parent_id: int
    parallel_id: int
    function: int
    taskgroup: int
    kind: int
    status: int
    flags: int
    flags_known: int
    priority: int
    thread_num: int
    num_depends: int
    num_predecessors: int
    source: int  # address of ";file;function;line;column;;", 0: none

class ParallelInfo(NamedTuple):
    """struct ompd_ext_parallel_info, field by field."""

    kind: int  # enum ompd_ext_parallel_kind
    serialized: bool
    function: int
    source: int

class LoopInfo(NamedTuple):
    """struct ompd_ext_loop_info, field by field."""

    id: int
    total: int
    remaining: int
    chunk: int
    schedule: int  # omp_sched_t
    flags: int  # enum ompd_ext_loop_flag

class ThreadInfo(NamedTuple):
    """struct ompd_ext_thread_info, field by field."""

    kind: int  # enum ompd_ext_thread_kind
    global_num: int
    barrier_phase: int

class _Handle:
    """Handles compare and hash by what they stand for, and release themselves.

    After invalidate() or close() of the AddressSpace every method raises Error with
    RC_STALE_HANDLE; comparing, hashing and `id` still work.
    """

    id: int  # ompd_ext_get_handle_id; without extensions a number unique in this AddressSpace
    def icv(self, icv_id: int) -> int: ...
    def icv_string(self, icv_id: int) -> str: ...
    def tool_data(self) -> Tuple[int, int]: ...

class AddressSpace:
    library: Library
    omp_version: int
    omp_version_string: str
    def thread(self, kind: int, ident: int) -> Thread:
        """Raises Unavailable for a thread that is no OpenMP thread."""
    def states(self) -> Dict[int, str]: ...
    def icvs(self) -> List[Icv]: ...
    def icv(self, icv_id: int) -> int: ...
    def icv_string(self, icv_id: int) -> str: ...
    def display_control_vars(self) -> List[str]: ...
    def environment(self, name: str) -> Optional[str]:
        """What a variable was set to when the process started; None if it was not set."""
    def layout(self) -> Optional[Layout]: ...
    def classify_call(self, return_address: int) -> Optional[WaitSite]: ...
    def call_target(self, return_address: int) -> Optional[int]:
        """Where the function begins that the call before that address calls."""
    def classify_entry(self, entry: int) -> Optional[WaitSite]: ...
    def lock_argument(
        self, return_address: int
    ) -> Optional[Tuple[int, Optional[str], int, int, int, int]]:
        """(value, register, scale, in memory, offset, width) of the lock that the call passes:
        struct ompd_ext_argument."""
    def lock(self, kind: int, address: int) -> Tuple[bool, int, int, int, int]:
        """Return (held, depth of nesting, LOCK_OWNER_*, identity of the owning thread or 0, what
        the lock holds): struct ompd_ext_lock_info. kind: enum ompd_ext_lock_kind. Raises
        Unavailable where the lock does not tell."""
    def tasks(self) -> TaskIterator:
        """Tasks of every region of the process (ompd_ext_tasks_open_all)."""
    def invalidate(self) -> None:
        """The target moved. Handles and iterators become stale."""
    def invalidate_symbols(self) -> None:
        """Objects were loaded or unloaded: forget the addresses of symbols."""
    def close(self) -> None:
        """Releases all handles and the address space; may be called again."""

class Thread(_Handle):
    def info(self) -> ThreadInfo: ...
    def parallel(self) -> Parallel: ...
    def task(self) -> Task: ...
    def state(self) -> Tuple[int, int]:
        """(state, wait id). Raises Unavailable where memory does not hold it."""
    def thread_id(self, kind: int) -> int: ...
    def thread_num(self, parallel: Parallel) -> Optional[int]:
        """Its number in that region or its ancestor's; None if the region does not enclose it."""
    def loop(self) -> LoopInfo:
        """The loop in which the thread works. Raises Unavailable if it is in none whose
        iterations the runtime hands out."""
    def ordered_turn(self) -> int:
        """The number, in its team, of the thread whose turn it is in the ordered region for which
        this one waits. Raises Unavailable where that is not recorded."""
    def ompt_task(self, level: int) -> Tuple[int, int, int, int, int, int, int]:
        """(enum ompd_ext_ompt_member that are known, type, thread number, data of the task and of
        its region, exit and enter frame). Raises Unavailable beyond the outermost."""
    def ompt_parallel(self, level: int) -> Tuple[int, int, int]:
        """(enum ompd_ext_ompt_member that are known, team size, data). Raises Unavailable."""
    def proc_id(self) -> int:
        """The processor on which it last ran its own code. Raises Unavailable."""
    def task_memory(self) -> Tuple[int, int]:
        """Address and size of its task's memory. Raises Unavailable of an implicit task."""
    def place_num(self) -> int: ...
    def place_nums(self) -> Tuple[int, int]:
        """First and last of the places of its partition."""
    def classify_futex(self, address: int) -> Optional[WaitSite]: ...
    def confirm_lock(self, kind: int, variable: int, in_use: bytes) -> bool:
        """Whether it certainly waits for the lock of a variable (ompd_ext_confirm_lock). `in_use`:
        64-bit words of the target."""

class Parallel(_Handle):
    def info(self) -> ParallelInfo: ...
    def enclosing(self) -> Parallel:
        """Raises Unavailable for the outermost region."""
    def thread(self, thread_num: int) -> Thread: ...
    def implicit_task(self, thread_num: int) -> Task: ...
    def barrier(self) -> Tuple[int, int, int, int]:
        """struct ompd_ext_barrier_info, field by field. Raises Unavailable where the runtime does
        not count arrivals."""
    def tasks(self) -> TaskIterator: ...
    def task_by_id(self, ident: int) -> Task:
        """The task that tasks() has a record of. Raises LookupError where there is none."""

class TaskIterator(Iterator[TaskInfo]):
    damaged: bool  # a list of the runtime was found damaged; the rest was still read
    def __next__(self) -> TaskInfo: ...
    def unreached(self) -> Optional[int]: ...
    def by_function(self) -> Dict[Tuple[int, int, int, int], int]:
        """Consumes the iterator: number of tasks by (function, source, kind, status), which are
        those of TaskInfo. Counted in C."""

class Task(_Handle):
    def parallel(self) -> Parallel: ...
    def generating(self) -> Task: ...
    def scheduling(self) -> Task: ...
    def function(self) -> int: ...
    def frame(self) -> Tuple[Tuple[int, int], Tuple[int, int]]:
        """((exit address, flag), (enter address, flag))."""
    def info(self) -> TaskInfo: ...
    def counts(self) -> Tuple[int, int, bool]:
        """Children, and tasks of its taskgroup, that are not done, and whether there are detached
        tasks: struct ompd_ext_task_counts.
        Raises Unavailable where the runtime does not count."""
    def depends(self) -> Tuple[List[Tuple[int, int]], bool]:
        """(address, enum ompd_ext_depend_kind) each, and whether these are all."""
    def dependers(self) -> List[int]:
        """Identities of the tasks that wait for this one."""
