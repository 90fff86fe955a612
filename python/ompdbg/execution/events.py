# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events of OpenMP at which users have the program stopped, and what has begun in each program."""

from __future__ import annotations

import os.path
import re
from typing import Dict, List, NamedTuple, Optional, Set, TYPE_CHECKING, Tuple, Type

import gdb

from ompdbg.console import encoding

if TYPE_CHECKING:
    from _ompdbg import Function, Handover

    from ompdbg.execution.breakpoints import Point


_ANONYMOUS = "(anonymous namespace)::"
_ARGUMENTS = re.compile(r"\(.*$", re.S)
_TEMPLATE = re.compile(r"<[^<>]*>")


def means(wanted: str, name: str) -> bool:
    """Whether what the user typed is a name of that function."""
    whole = name.replace(_ANONYMOUS, "")
    plain = _ARGUMENTS.sub("", whole)
    bare = plain
    while _TEMPLATE.search(bare):
        bare = _TEMPLATE.sub("", bare)
    wanted = wanted.replace(_ANONYMOUS, "")
    return any(one == wanted or one.endswith("::" + wanted) for one in (whole, plain, bare))


def same_file(wanted: str, file: str) -> bool:
    """Whether what the user typed is a name of that file. Either may have more of the folders:
    debug information has the name that the compiler was given."""
    typed, known = os.path.normpath("/" + wanted), os.path.normpath("/" + file)
    return bool(wanted and file) and (known.endswith(typed) or typed.endswith(known))


PARALLEL_BEGIN, PARALLEL_END = "parallel-begin", "parallel-end"
TASK_BEGIN, TASK_END = "task-begin", "task-end"
THREAD_BEGIN, THREAD_END = "thread-begin", "thread-end"
ALL = (PARALLEL_BEGIN, PARALLEL_END, TASK_BEGIN, TASK_END, THREAD_BEGIN, THREAD_END)


class Definition(NamedTuple):
    """What the user asked for."""

    number: int
    event: str
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    condition: Optional[str]

    def __str__(self) -> str:
        text = self.event
        if self.function is not None:
            text += f" in {self.function}"
        elif self.file is not None:
            text += f" in {self.file}:{self.line}"
        return text if self.condition is None else f"{text} if {self.condition}"

    def is_in(self, code: "Optional[Function]") -> bool:
        """Check that a construct is where the definition says."""
        if self.function is None and self.file is None:
            return True
        if code is None:
            return False
        if self.function is not None:
            return self.function == code.symbol or means(self.function, code.signature)
        return code.line == self.line and same_file(self.file or "", code.file or "")


class Region(NamedTuple):
    """A region that a thread encountered."""

    thread: int
    back: int  # where that thread goes on
    code: int
    size: int = 0  # of its team, once that is known


class Entering(NamedTuple):
    """A construct that has begun on a thread, which is about to come to its body."""

    code: int
    task: int  # the thread's
    event: str
    noun: str
    more: str


class Program:
    """What has begun in one program. Threads are called by GDB's global numbers, tasks by their
    identities."""

    def __init__(self) -> None:
        self.points: "Dict[Tuple[Type[Point], int], Point]" = {}  # by kind and address
        self.are_points_lost = False  # to be made again
        self.forget()

    def forget(self) -> None:
        """Forget what has begun: the program is gone."""
        self.workers: Set[int] = set()
        self.regions: List[Region] = []
        self.tasks: Dict[int, int] = {}  # entry points of their code
        self.beginning: Dict[int, Handover] = {}  # tasks that threads begin to execute themselves
        # Those that they execute: entry point and task, by the runtime's address of the task.
        self.own_tasks: Dict[int, Tuple[int, int]] = {}
        self.passed: Dict[int, int] = {}  # functions to which threads go on by a jump
        # Where lines of the bodies of constructs begin, by entry point.
        self.bodies: Dict[int, List[int]] = {}
        self.entering: Dict[int, Entering] = {}  # constructs whose bodies threads have not come to
        self.has_met_threads = False  # that were there when GDB attached


definitions: Dict[int, Definition] = {}
_told: List[Tuple[Definition, str]] = []  # why the program stops
_programs: Dict[int, Program] = {}


def program(inferior: Optional[gdb.Inferior] = None) -> Program:
    """Return what is known of a program, by default of the selected one."""
    number = (inferior or gdb.selected_inferior()).num
    return _programs.setdefault(number, Program())


def thread_number() -> int:
    """Return the number of the selected thread."""
    thread = gdb.selected_thread()
    return 0 if thread is None else thread.global_num


def wanted(code: "Optional[Function]") -> Set[str]:
    """Return the events that the user wants of a construct."""
    return {one.event for one in definitions.values() if one.is_in(code)}


def wanted_anywhere() -> Set[str]:
    """Return the events that the user wants of any construct."""
    return {one.event for one in definitions.values()}


def has_conditions(event: str, code: "Optional[Function]") -> bool:
    """Check whether a definition has a condition for a construct."""
    found = (one for one in definitions.values() if one.event == event and one.is_in(code))
    return any(one.condition is not None for one in found)


def tell(event: str, code: "Optional[Function]", noun: str, more: str = "") -> bool:
    """Check whether a definition wants the program to stop, and note which."""
    stops = False
    for definition in list(definitions.values()):
        if definition.event != event or not (code is None or definition.is_in(code)):
            continue
        if definition.condition is None or _holds(definition):
            place = f": {noun} {_place(code)}{more}" if code is not None and noun else ""
            _told.append((definition, place))
            stops = True
    return stops


def take_told() -> List[Tuple[Definition, str]]:
    """Return why the program stops, once."""
    told = list(_told)
    _told.clear()
    return told


def _place(code: "Function") -> str:
    """Return the place of a construct: "fib at fib.c:9"."""
    if code.file is None:
        return code.name
    return f"{code.name} at {os.path.basename(code.file)}:{code.line}"


def _holds(definition: Definition) -> bool:
    try:
        return bool(gdb.parse_and_eval(definition.condition or "1"))
    except gdb.error as error:
        encoding.write(
            f"Error in testing condition of OpenMP breakpoint {definition.number}: {error}\n"
        )
        return True
