# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks in one thread what the oracle asks, after every single instruction.

Task: "thread" (its number), "functions" (one after another, from the begin of each on) and
"steps" (how many instructions of each).
"""

import os
import sys
from typing import Any, Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # type: ignore[import-not-found]  # noqa: E402
import oracle  # noqa: E402


def steps_from(function: str, thread: int, steps: int) -> List[Dict[str, Any]]:
    """What is said after each."""
    gdb.execute("tbreak -function {} if $_thread == {}".format(function, thread), to_string=True)
    gdb.execute("continue", to_string=True)
    found = []
    for _ in range(steps):
        gdb.execute("stepi", to_string=True)
        found += oracle.ask_everywhere(thread)
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("break main", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    found = [steps_from(name, task["thread"], task["steps"]) for name in task["functions"]]
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
