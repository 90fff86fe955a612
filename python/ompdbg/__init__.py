# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdbg: OpenMP threads, teams, tasks and stacks in a debugger.

In GDB, scripts have threads(), teams() and stack(); see ompdbg.api.
"""

from ompdbg.api import Error, Frame, Location, Team, Thread, Wait, stack, teams, threads

SCHEMA = "ompdbg/1"

__all__ = [
    "Error",
    "Frame",
    "Location",
    "SCHEMA",
    "Team",
    "Thread",
    "Wait",
    "stack",
    "teams",
    "threads",
]
