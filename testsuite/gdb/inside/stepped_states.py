# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the state of the first thread before each instruction of what a function calls,
for its first two calls, as [function of the frame, state, reason where there is none].

Task: "function".
"""

import os
import sys
from typing import Any, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def states(function: str) -> List[List[Any]]:
    """Until the function returns."""
    end = gdb.selected_frame().older().pc()
    found = []
    while gdb.selected_frame().pc() != end:
        if gdb.selected_frame().name() != function:
            row = common.say_json("omp threads -json")["threads"][0]
            found.append([gdb.selected_frame().name(), row["state"], row.get("state_reason")])
        gdb.execute("stepi", to_string=True)
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready(task["function"])
    found = [states(task["function"])]
    gdb.execute("continue", to_string=True)
    common.answer([*found, states(task["function"])])
    gdb.execute("kill", to_string=True)


main()
