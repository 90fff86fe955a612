# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdbg: OpenMP threads, tasks, regions and locks in a debugger.

Scripts in GDB's Python ask as users ask the commands:

    import ompdbg

    for thread in ompdbg.threads():
        if thread.wait is not None and thread.wait.kind == "lock":
            print(thread.gdb, thread.wait.symbol, thread.location.line)
    print(ompdbg.findings()[0].text)

    threads()   every thread, what it does and what it waits for     omp threads
    teams()     the teams of parallel regions
    regions()   parallel regions, and how far their threads are      omp regions
    tasks()     tasks: running, queued, blocked, with dependences    omp tasks
    locks()     locks, their owners, and who waits for them          omp locks
    findings()  why the program does not go on                       omp why
    history()   what the recorder has kept                           omp history
    stack()     how a thread got where it is                         omp bt
    document()  all that a command prints with -json

The members of what they return have the names of the JSON that the commands print (docs/json.md),
identities and addresses are strings as there, and `gdb` is GDB's number of a thread. What is not
known is None. A question without an answer raises ompdbg.Error.
"""

from typing import TYPE_CHECKING

from ompdbg.api import Error as Error, Record as Record  # noqa: F401
from ompdbg.api import (
    document,
    findings,
    history,
    locks,
    regions,
    stack,
    tasks,
    teams,
    threads,
)

if TYPE_CHECKING:  # what records are to type checkers
    from ompdbg.records import *  # noqa: F401,F403

SCHEMA = "ompdbg/1"

__all__ = [  # what help() shows
    "SCHEMA",
    "document",
    "findings",
    "history",
    "locks",
    "regions",
    "stack",
    "tasks",
    "teams",
    "threads",
]
