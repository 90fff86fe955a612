# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdbg: OpenMP threads, tasks, regions and locks in a debugger.

Scripts in GDB's Python get the data of the commands as objects:

    import ompdbg

    for thread in ompdbg.threads():
        if thread.wait is not None and thread.wait.kind == "lock":
            print(thread.gdb, thread.wait.symbol, thread.location.line)
    print(ompdbg.findings()[0].text)

    threads()   every thread, what it does and what it waits for     omp threads
    teams()     the teams of parallel regions
    regions()   parallel regions and the progress of their threads   omp regions
    tasks()     tasks: running, queued, blocked, with dependences    omp tasks
    locks()     locks, their owners and waiters                      omp locks
    findings()  why the program hangs or crashed                     omp why
    history()   the latest events of a recorded program              omp history
    stack()     the stack of a thread, up to main                    omp bt
    document()  all that a command prints with -json

Members have the names in the JSON of the commands (docs/json.md). Identities and addresses are
strings, as there, and `gdb` is GDB's number of a thread. An unknown value is None. A question that
cannot be answered raises ompdbg.Error.
"""

from typing import TYPE_CHECKING

from ompdbg.api import Error as Error, Record as Record  # noqa: F401
from ompdbg.api import document, findings, history, locks, regions, stack, tasks, teams, threads

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
