# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts inside GDB may ask: `import ompdbg; ompdbg.threads()`.

Everything is a plain object that stays as it is when the program goes on. Fields may be added;
none changes its meaning or goes away. What is not known is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Optional

if TYPE_CHECKING:
    from _ompdbg import Process


class Error(Exception):
    """There is no program with an OpenMP runtime that is understood; the message says why."""


class Location(NamedTuple):
    """A place in the source."""

    function: Optional[str]
    file: Optional[str]
    line: Optional[int]


class Wait(NamedTuple):
    """What a thread waits for; the fields are those of docs/json.md."""

    kind: str
    function: Optional[str]
    address: Optional[int]
    symbol: Optional[str]


class Thread(NamedTuple):
    """A thread of the selected program."""

    number: int  # GDB's, in its inferior
    lwp: int
    running: bool  # nothing else is known then
    openmp: Optional[bool]
    runtime: Optional[str]
    thread_num: Optional[int]
    team: Optional[str]  # as in `omp threads`: "1.2"
    team_size: Optional[int]
    level: Optional[int]
    active_level: Optional[int]
    state: Optional[str]
    wait: Optional[Wait]
    task_kind: Optional[str]
    location: Optional[Location]


class Team(NamedTuple):
    """The team of a parallel region."""

    label: str
    level: Optional[int]
    size: Optional[int]
    parent: Optional[str]  # label of the team around it
    threads: List[int]  # GDB's numbers of the threads that work in it now


class Frame(NamedTuple):
    """A frame of a user's code."""

    thread: int  # GDB's number of the thread on whose stack it lies
    level: int  # GDB's number of the frame
    construct: Optional[str]  # "parallel region", "task", ... for the code of one
    function: Optional[str]  # that contains the construct, or is called
    file: Optional[str]
    line: Optional[int]
    address: int


def threads() -> List[Thread]:
    """Every thread of the selected program, by GDB's number. Raises Error."""
    from ompdbg.gdb_services import selection

    with selection.kept():
        found = []
        for one in _program().threads():
            location, wait, team, task = one.location, one.wait, one.team, one.task
            found.append(
                Thread(
                    one.number,
                    one.lwp,
                    one.is_running,
                    one.is_openmp,
                    one.runtime if one.is_openmp else None,
                    one.thread_num,
                    None if team is None or not team.level else team.label,
                    one.team_size,
                    one.level,
                    one.active_level,
                    one.state,
                    wait and Wait(wait.kind, wait.function, wait.address, wait.symbol),
                    None if task is None else task.kind,
                    location and Location(location.function, location.file, location.line),
                )
            )
        return found


def teams() -> List[Team]:
    """The teams of all parallel regions. Raises Error."""
    from ompdbg.gdb_services import selection

    with selection.kept():
        program = _program()
        members = [(one.number, one.team) for one in program.threads()]
        return [
            Team(
                team.label,
                team.level,
                team.size,
                None if team.parent is None or not team.parent.level else team.parent.label,
                [number for number, own in members if own == team],
            )
            for team in program.teams()
        ]


def stack(number: Optional[int] = None) -> List[Frame]:
    """The user's frames of a thread, of the selected one without a number, innermost first, and on
    through the threads that encountered the regions. Raises Error."""
    from ompdbg.gdb_services import selection

    with selection.kept():
        program = _program()
        thread = program.selected() if number is None else program.thread(number)
        if thread is None:
            raise Error(f"there is no thread {number}")
        found = thread.stack
        return [
            Frame(
                part.thread.number,
                frame.level,
                frame.construct,
                frame.function,
                frame.file,
                frame.line,
                frame.pc,
            )
            for part in (found.parts if found is not None else ())
            for frame in part.frames
            if frame.owner == "user"
        ]


def _program() -> "Process":
    import _ompdbg
    import gdb

    from ompdbg.gdb_services import session
    from ompdbg.gdb_services.libraries import NotOpened

    try:
        program = session.current_program()
    except (_ompdbg.Error, NotOpened, gdb.error) as error:
        raise Error(str(error)) from error
    if program is None:
        raise Error("the program is not running")
    return program
