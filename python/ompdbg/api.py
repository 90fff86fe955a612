# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts inside GDB may ask: the documents of the commands, as objects.

The members of a record are those of docs/json.md, of which docs/ompdbg.schema.json is the form;
records.pyi, which tools/api-types makes from that, tells type checkers of them.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, List, Optional

if TYPE_CHECKING:
    from ompdbg.records import Event, Finding, Lock, Region, Stack, Task, Team, Thread


class Error(Exception):
    """Why there is no answer, in one line: no program runs, or its runtime is not understood."""


class Record(SimpleNamespace):
    """What is known of one thing. It stays as it is when the program goes on; what is not known is
    None. vars() makes a dict of it."""

    recorded = None  # without the recorder there is no such member


def threads() -> List[Thread]:
    """Every thread of the selected program.

    Members: gdb (its number), lwp, name, selected, running, openmp, helper, runtime, thread_num,
    team_size, level, active_level, team, task, task_number, task_kind, state, state_reason, does,
    activity, wait (kind, function, address, symbol, variable), location (function, symbol, file,
    line, address, object, title), recorded.
    """
    found: List[Thread] = document("threads").threads
    return found


def teams() -> List[Team]:
    """The teams of all parallel regions.

    Members: id, label ("1.2" in tables), level, active_level, size, parent, primary, runtime.
    """
    found: List[Team] = document("threads").teams
    return found


def regions() -> List[Region]:
    """The parallel regions, each before those within it.

    Members: those of a team; opened (a location), groups (of threads that do the same:
    thread_nums, threads, state, does, activity, wait, location, region), loops, progress (total,
    arrived, arrived_end, unsure, source, tasks_left, several, cancelled), recorded.
    """
    found: List[Region] = document("regions").regions
    return found


def tasks() -> List[Task]:
    """All tasks in the runtime's lists: document("tasks") has `damaged` and `unreached`, too.

    Members: id, number, runtime, kind, status, team, thread, thread_num, parent, function (name,
    symbol, file, line), flags, priority, taskgroup, predecessors, waits_for (numbers),
    depends_complete, depends (each with address, kind, symbol),
    values (each with name, value, shared), recorded.
    """
    found: List[Task] = document("tasks").tasks
    return found


def locks() -> List[Lock]:
    """The locks, critical and ordered regions for which threads wait.

    Members: kind, address, symbol, variable, runtime, held, owner, owner_ended, known_by, reason,
    candidates (each with thread, known_by, variable, frame, location), waiters, recorded.
    """
    found: List[Lock] = document("locks").locks
    return found


def findings(thread: Optional[int] = None) -> List[Finding]:
    """Why the program hangs or crashed, the worst finding first; or what one thread waits for.

    Members: rule, certain, severity, text, notes, waiters, waits_for, region, lock, task,
    task_number, chain (each with thread, waits_for, kind, certain, lock, task, task_number).
    """
    found: List[Finding] = document("why", *_words(thread)).findings
    return found


def history(thread: Optional[int] = None, last: Optional[int] = None) -> List[Event]:
    """The latest events of a recorded program, or of one thread, oldest first; all without
    `last`. document("history") has the `recording`, too.

    Members: time, age, thread, lwp, kind, what, address, symbol, region, task, first, number,
    detail, text, location.
    """
    some = ["-all"] if last is None else ["-last", str(last)]
    found: List[Event] = document("history", *some, *_words(thread)).events
    return found


def stack(thread: Optional[int] = None) -> Stack:
    """The stack of a thread, or of the selected one: the program's own frames, innermost first. It
    continues in the threads that encountered the regions, up to main.

    Members: note, parts (each with thread, thread_num, team_size, level, team, task_number,
    frames: level, kind, function, symbol, construct, construct_at, file, line, address, title,
    inlined, tail_call).
    """
    import gdb

    from ompdbg.inferior import selection

    with selection.kept():
        if thread is not None:
            for one in gdb.selected_inferior().threads():
                if one.num == thread:
                    one.switch()
                    break
            else:
                raise Error(f"there is no thread {thread}")
        found: Stack = document("bt").stacks[0]
    return found


def document(command: str, *words: str) -> Any:
    """What a command prints with -json: document("icvs", "-all").icvs."""
    import gdb

    from ompdbg.commands.command import OmpCommand

    name = f"omp {command}"
    if name not in OmpCommand.made:
        raise Error(f"there is no command {name}")
    try:
        said = OmpCommand.made[name].document(words)
    except (gdb.GdbError, gdb.error) as error:
        raise Error(str(error).rstrip(".")) from None
    return json.loads(said, object_hook=lambda members: Record(**members))


def _words(thread: Optional[int]) -> List[str]:
    return [] if thread is None else [str(thread)]
