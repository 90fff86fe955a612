# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the state of the first thread before instructions of what a function calls, for
its first two calls, as [function of the frame, state, reason where there is none]: of each call in it
before each of the first EACH, then before one in SOME, since a runtime that initialises itself there
runs thousands.

Task: "function".
"""

import os
import sys
from typing import Any, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

EACH = 600
SOME = 31


def stop_at_returns() -> None:
    """Let longer steps end where a call returns to the selected function."""
    block = gdb.selected_frame().block()
    for one in gdb.selected_frame().architecture().disassemble(block.start, block.end - 1):
        if one["asm"].startswith("call"):
            place = "break *{}".format(one["addr"] + one["length"])
            gdb.execute(place, to_string=True)


def states(function: str) -> List[List[Any]]:
    """Until the function returns."""
    end = gdb.selected_frame().older().pc()
    found: List[List[Any]] = []
    begun = 0
    while gdb.selected_frame().pc() != end:
        if gdb.selected_frame().name() == function:
            begun = len(found)
        else:
            row = common.say_json("omp threads -json")["threads"][0]
            found.append([gdb.selected_frame().name(), row["state"], row.get("state_reason")])
        step = 1 if len(found) < begun + EACH else SOME
        gdb.execute("stepi {}".format(step), to_string=True)
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready(task["function"])
    stop_at_returns()
    found = [states(task["function"])]
    gdb.execute("continue", to_string=True)
    common.answer([*found, states(task["function"])])
    gdb.execute("kill", to_string=True)


main()
