# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libompdbg over GDB (gdb-plugin/bridge/)."""

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import os

from ompdbg.inferior.services import GdbServices
from ompdbg.inferior.signals import Signal

class Error(Exception):
    """A question that has no answer; the text is one line."""

# ---- Names; None has nothing ----------------------------------------------------------------

def is_outlined(symbol: Optional[str]) -> bool:
    """Check for a function that a compiler made of the code of a construct."""

def is_fortran(file: Optional[str]) -> bool:
    """Check for a source file in Fortran."""

def is_runtime_object(path: Optional[str]) -> bool:
    """Check for the shared object of an OpenMP runtime."""

def source_symbol(symbol: Optional[str]) -> Optional[str]:
    """Return the symbol of the function of the source to which a function's code belongs."""

def shown_name(name: Optional[str]) -> Optional[str]:
    """Return the name of a function for people."""

def core_end(
    path: Union[str, bytes],
) -> Optional[Tuple[int, int, int, bool, bool, int, int, int]]:
    """Return how the program of a core file has ended: signal, LWP, process, True, whether the
    rest is known, code, sender and address. None if it has not, or that is unknown."""

# ---- Files ----------------------------------------------------------------------------------

class Files:
    """The files that GDB has loaded for a program, and what they tell of names."""

    def __init__(
        self,
        debugger: object,  # which reads memory: a GdbServices
        files: List[Tuple[str, str, Optional[str], Optional[str], int, bool]],
        vdso: int,
    ) -> None:
        """files: path, where it can be read, separate debug information, a section or None for
        the entry point, the address of that, and whether it is the program."""
    def address(self, symbol: str, file: Optional[str] = None) -> Optional[int]:
        """Where a symbol is, in files of that name or in any."""
    def constructs(self) -> List[Tuple[Optional[str], int]]: ...
    def is_of_precondition(self, address: int, name: str) -> bool: ...
    def copies_whole(self, address: int, name: str) -> bool: ...
    def in_runtimes(self, symbol: str) -> List[int]:
        """Where each OpenMP runtime has a symbol."""
    def function(self, address: int) -> Optional[str]:
        """The linker's name of the function that has code at an address."""

# ---- Values ---------------------------------------------------------------------------------

class Location(NamedTuple):
    """A place in the user's code."""

    function: Optional[str]  # of the source; None in a stripped program
    symbol: Optional[str]  # of the function that was made from it
    file: Optional[str]
    line: Optional[int]
    address: int
    object: str  # path of the program or shared object

class Wait(NamedTuple):
    """The wait of a thread."""

    kind: str  # as in JSON: "barrier"
    title: str  # for people: "lock mylock"
    function: Optional[str]  # of the runtime
    address: Optional[int]  # of the lock, or of what else the thread sleeps on
    symbol: Optional[str]  # that names the address

class Function(NamedTuple):
    """The code of a construct."""

    name: str  # of the function that contains the construct
    symbol: str  # of the function that was made from it
    file: Optional[str]
    line: Optional[int]  # of the construct
    signature: str  # the name with the parameters of C++, where they are known

class Frame(NamedTuple):
    """A frame as the source has it."""

    level: int  # GDB's number
    pc: int
    owner: str  # of its code: "user", "runtime", "system" or "unknown"
    is_made: bool  # the compiler made it around the user's code; then it is the system's
    construct: Optional[str]  # whose code it is: "parallel region"
    function: Optional[str]  # of the source: of a construct, the one that contains it
    construct_file: Optional[str]
    construct_line: Optional[int]
    symbol: Optional[str]
    start: Optional[int]  # entry point of the function
    file: Optional[str]
    line: Optional[int]
    is_call: bool  # pc is a return address
    is_signal: bool
    is_inlined: bool

class Part(NamedTuple):
    """The frames that lie on one thread's stack."""

    thread: "Thread"
    team: Optional["Team"]  # in which the innermost of these frames works
    thread_num: Optional[int]  # in that team
    frames: List[Frame]

class Stack(NamedTuple):
    """How a thread got where it is, to main."""

    parts: List[Part]  # innermost first
    note: Optional[str]  # why it ends before main

class Handover(NamedTuple):
    """What compiled code hands to a runtime, or says that it executes itself."""

    kind: str  # "region", "task", "taskloop", "task begins" or "task ends"
    code: int  # entry point of the construct's code; 0: unknown
    jumps_to: int  # the function with that code, if `code` only jumps to it; 0
    back: Optional[int]  # where the caller goes on, after a region
    stack_pointer: int  # of the caller there
    task: int  # the runtime's address of a task that the caller executes itself; 0
    is_called: bool  # the caller calls the code of that task
    waits: bool  # the caller goes on after the tasks

class Way(NamedTuple):
    """A frame in which a thread goes on."""

    thread: "Thread"
    level: int  # GDB's number of the frame
    pc: int  # where it goes on

class Innermost(NamedTuple):
    """The innermost construct of a thread."""

    title: str  # "task of fib"
    is_task: bool
    is_own: bool  # user's code executes it itself, as its condition is false
    after: Optional[Way]  # where a region is over, or the runtime that called a task's code

class Ways(NamedTuple):
    """Where a thread goes on."""

    is_in_users_code: bool  # neither the runtime nor anything that it called
    back: Optional[Way]  # to the user's code that called the runtime
    after_region: Optional[Way]  # of a worker
    after_innermost: Optional[Way]  # region of the thread, whoever encountered it
    out_to: Optional[str]  # "runtime", "end of task" (of the runtime), "construct" or "user"
    out: Optional[Way]  # of the function; None where GDB shows its caller as the user knows it
    construct: Optional[Innermost]

HANDOVERS: Dict[str, str]
"""Kinds of the functions of runtimes that are called so, by their names."""

# ---- Objects --------------------------------------------------------------------------------
#
# They are valid until the program moves: then each question raises Error. What is unknown is None.

class Thread:
    """A thread, and what OpenMP knows of it."""

    process: "Process"
    number: int  # GDB's
    label: str  # as GDB prints it
    lwp: int
    is_selected: bool
    is_running: bool
    is_openmp: Optional[bool]
    error: Optional[str]  # why nothing is known
    runtime: Optional[str]  # "libgomp"
    team: Optional["Team"]  # in which it works
    thread_num: Optional[int]  # in its team
    team_size: Optional[int]
    level: Optional[int]
    active_level: Optional[int]
    state: Optional[str]
    does: str  # in the words of tables
    wait: Optional[Wait]
    location: Optional[Location]
    users_level: Optional[int]  # GDB's number of the innermost frame in the user's code
    task: Optional["Task"]  # that it executes
    frames: List[Frame]  # its own stack, innermost first; [] if it runs
    constructs: List[Frame]  # those of `frames` that are code of constructs
    stack: Optional[Stack]  # None if it runs
    ways: Optional[Ways]  # None if it runs

    def frame(self, level: int) -> Optional[Frame]:
        """One frame of its own stack. Only as much of the stack is looked at as is needed:
        `function` may be missing."""
    def sharing(self, level: int, name: str) -> Optional[str]:
        """The data-sharing attribute of a local variable in the code of a construct: "shared",
        "firstprivate" or "private"; None if that is unknown."""
    def function_at(self, entry: int) -> Optional[Function]:
        """The code of a construct that begins at an address; None for 0."""
    def handover(self, name: str) -> Handover:
        """What it hands over at the first instruction of a function of HANDOVERS."""
    def bodies(self, code: int) -> List[Tuple[int, int, Optional[int], bool]]:
        """The functions with the code of a construct: where each begins and ends, its first call
        if that is through a pointer in a register, and whether it makes a frame first."""
    def last_jumps(self, pc: int) -> List[int]:
        """The jumps with which the function there leaves for a runtime: its last calls."""

class Team:
    """The team of a parallel region."""

    label: str  # as in tables: "1.2"
    level: Optional[int]
    size: Optional[int]
    parent: Optional["Team"]  # of the enclosing region

class Task:
    """A task."""

    id: int
    parent_id: int  # 0: not recorded
    kind: str  # "initial", "implicit", "explicit" or "target"
    flags: List[str]
    entry: int  # of its code; 0: unknown
    function: Optional[Function]
    parent: Optional["Task"]  # that generated it
    thread: Optional[Thread]  # on whose stack it lies
    way_to_parent: Optional[Way]  # where that goes on
    children: List[int]  # identities of the tasks that it generated and that are not done

class Process:
    """A program with its OpenMP runtimes. What is found out of it is kept until it moves; what of
    its code, as long as the object."""

    def __init__(self, bridge: GdbServices) -> None: ...
    def open(
        self, path: Union[str, bytes, "os.PathLike[str]"], descriptor: int = -1
    ) -> Tuple[int, List[str], str]:
        """Open the runtimes that a library recognises: how many there are, why others are not
        understood, and what is absent."""
    def note(self, problem: str) -> None:
        """Note why a runtime that is there is not understood."""
    def moved(self) -> None:
        """The program has run."""
    def libraries(self) -> List[Tuple[str, bool]]:
        """Path of the OMPD library of each runtime, and whether it has extensions."""
    def threads(self) -> List[Thread]:
        """All threads, by number."""
    def thread(self, number: int) -> Optional[Thread]:
        """The thread with GDB's number."""
    def chosen(
        self,
        *,
        state: Optional[str] = None,
        team: Optional[str] = None,
        level: Optional[str] = None,
        numbers: Optional[str] = None,
    ) -> List[Thread]:
        """OpenMP threads to which all of these apply, as options of commands have them."""
    def member(self, number: str, team: Optional[str]) -> Thread:
        """A thread of a team, by default of the current one: "3", "3/8"; "1.2.3" in team 1.2."""
    def selected(self) -> Optional[Thread]:
        """The thread that the user has selected."""
    def teams(self) -> List[Team]:
        """The teams of all parallel regions: a team before those that it encloses."""
    def states(self) -> Dict[str, int]:
        """All states that threads can be in: name, and number in OMPT."""
    def is_answering(self) -> bool:
        """A question is being answered, in which GDB was asked something. Others can be asked only
        in the middle of `arguments` and `locals` of the bridge."""
    def stats(self) -> Dict[str, int]: ...
    def reset_stats(self) -> None: ...
    def reused_stacks(self) -> Dict[int, List[Dict[str, int]]]:
        """The stacks of this stop that GDB did not have to unwind, for tests: by number of thread,
        the registers that are known of each frame."""
    def print(
        self,
        view: str,
        write: Callable[[str], object],
        *,
        json: bool = False,
        width: int = 0,
        palette: Optional[Sequence[str]] = None,
        addresses: bool = False,
        numbers: Optional[Sequence[int]] = None,
        queued: bool = False,
        by_function: bool = False,
        raw: bool = False,
        full: bool = False,
        limit: int = 0,
        scope: Optional[str] = None,
        all: bool = False,
        level: int = -1,
        thread: int = 0,
        state: Optional[str] = None,
        team: Optional[str] = None,
        signal: Optional[Signal] = None,
        last: int = 0,
        expression: Optional[str] = None,
        format: str = "\0",
        number: int = 0,
    ) -> None:
        """Write what a command shows. `palette`: the sequence that begins each style. `numbers`:
        GDB's, of the threads that are shown. `signal`: at which the program has stopped.
        `last`: events of the recording, 0 for all. `number`: of a task."""
