# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the breakpoints at OpenMP's events, and of what has begun at them."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    MutableMapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

import gdb

from ompdbg.gdb_services import entries, front_ends, session, texts
from ompdbg.gdb_services.event_definitions import Definition

if TYPE_CHECKING:
    from ompdbg.model.task import TaskFunction
    from ompdbg.model.thread import Thread

# Numbers of an inferior and of a thread of GDB's.
Who = Optional[Tuple[int, int]]


class Region(NamedTuple):
    """A region that a thread encountered."""

    by: Who
    back: int  # where the thread goes on
    code: int
    size: int = 0  # of its team, once that is known


class Undeferred(NamedTuple):
    """A task whose code the compiler has put where it is made."""

    code: int
    task: int  # the runtime's name for it
    number: int = 0  # its identity, once it is executed


class _State:
    """The breakpoints in the programs."""

    def __init__(self) -> None:
        self.definitions: Dict[int, Definition] = {}
        self.points: Dict[Tuple[int, str, int], "Point"] = {}  # by inferior, kind and address
        self.workers: Set[Tuple[int, int]] = set()  # threads that have begun, by inferior
        self.told: List[Tuple[Definition, str]] = []  # why the program stops
        self.entered: List[Region] = []
        self.tasks: Dict[Tuple[int, int], int] = {}  # code of those begun, by inferior and task
        self.beginning: Dict[Tuple[int, int], Undeferred] = {}  # by inferior and thread
        self.undeferred: Dict[Tuple[int, int], Undeferred] = {}  # begun, by inferior and task
        self.passed: Dict[Tuple[int, int], int] = {}  # where a thread's code goes on
        self.lost: Set[int] = set()  # inferiors whose breakpoints are to be made again
        self.attached: Set[int] = set()  # inferiors whose threads were there when GDB came
        self.listens = False

    def forget(self, inferior: int) -> None:
        """That program is gone."""
        self.workers = {one for one in self.workers if one[0] != inferior}
        self.entered = [one for one in self.entered if one.by and one.by[0] != inferior]
        known: "List[MutableMapping[Tuple[int, int], Any]]"
        known = [self.tasks, self.beginning, self.undeferred, self.passed]
        for things in known:
            for key in [one for one in things if one[0] == inferior]:
                del things[key]
        self.attached.discard(inferior)
        self.told.clear()


state = _State()


class Point(gdb.Breakpoint):
    """One place; what happens there is up to the kind."""

    def __init__(self, address: int) -> None:
        front_ends.hide_internal_breakpoints()
        super().__init__(f"*{address:#x}", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True
        self.address = address
        self.library = texts.told(gdb.solib_name, address)  # None: the program itself

    def stop(self) -> bool:
        """Called by GDB."""
        with session.current_thread() as thread:
            stops = thread is not None and self.look(thread)
        if stops:
            front_ends.expect("breakpoint")
        return stops

    def look(self, thread: "Thread") -> bool:
        """A thread is there. Answers whether it shall stop."""
        raise NotImplementedError


class Code(Point):
    """The code of a construct."""

    kind = ""  # that of these breakpoints

    def __init__(self, address: int) -> None:
        super().__init__(address)
        services = session.services_of(gdb.selected_inferior())
        self._goes_to = entries.jump_at(services, address)

    def look(self, thread: "Thread") -> bool:
        who = selected()
        if who is None or state.passed.pop(who, 0) == self.address:
            return False  # the code of another construct is the same, and only goes here
        if self._goes_to:
            state.passed[who] = self._goes_to
            self.at(self._goes_to)
        return self.begins(thread)

    def begins(self, thread: "Thread") -> bool:
        """A thread is about to execute it. Answers whether it shall stop."""
        raise NotImplementedError

    @classmethod
    def at(cls, address: int) -> None:
        """Makes one, if there is none."""
        add(cls.kind, address, lambda: cls(address))


def add(kind: str, address: int, make: Callable[[], Any]) -> None:
    """A breakpoint in the selected program, if there is none of that kind."""
    key = gdb.selected_inferior().num, kind, address
    if key not in state.points:
        state.points[key] = make()


def definitions() -> Iterator[Definition]:
    """What the user asked for."""
    return iter(list(state.definitions.values()))


def selected() -> Who:
    """The selected thread."""
    thread = gdb.selected_thread()
    return None if thread is None else (thread.inferior.num, thread.global_num)


def of_inferior(number: int) -> Tuple[int, int]:
    """A key for something in the selected program."""
    return gdb.selected_inferior().num, number


def code_at(thread: "Thread", address: int) -> "Optional[TaskFunction]":
    """The code of a construct."""
    from ompdbg.model.task import task_function

    return task_function(thread.runtime, address)


def tell(event: str, code: "Optional[TaskFunction]", noun: str, more: str = "") -> bool:
    """Whether a definition wants the program to stop."""
    stops = False
    for definition in definitions():
        if definition.event != event or not (code is None or definition.is_in(code)):
            continue
        if definition.condition is None or _holds(definition):
            place = f": {noun} {code.place}{more}" if code is not None and noun else ""
            state.told.append((definition, place))
            stops = True
    return stops


def _holds(definition: Definition) -> bool:
    try:
        return bool(gdb.parse_and_eval(definition.condition or "1"))
    except gdb.error as error:
        texts.write(
            f"Error in testing condition of OpenMP breakpoint {definition.number}: {error}\n"
        )
        return True
