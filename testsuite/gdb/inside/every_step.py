# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks in one thread what the oracle asks, after every single instruction.

Task: "thread" (its number), "functions" (one after another, from the begin of each on) and
"steps" (how many instructions of each). "A|B" is A or, where the program has no A, B. What is said as
after the instruction before is null.
"""

import os
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import ompd_services  # noqa: E402
import oracle  # noqa: E402


def named(names: str) -> str:
    """The first of them that the program has."""
    for name in names.split("|"):
        try:
            gdb.parse_and_eval("&'{}'".format(name))
            return name
        except gdb.error:
            continue  # another compiler's
    raise ValueError("the program has no " + names)


def steps_from(function: str, thread: int, steps: int, space: Any) -> List[Any]:
    """Return what is said after each; None where that is what was said before."""
    place = "tbreak -function {} if $_thread == {}".format(named(function), thread)
    gdb.execute(place, to_string=True)
    gdb.execute("continue", to_string=True)
    found: List[Optional[Dict[str, Any]]] = []
    before: Optional[Dict[str, Any]] = None
    for _ in range(steps):
        gdb.execute("stepi", to_string=True)
        (said,) = oracle.ask_everywhere(thread, space)
        found.append(
            None if before is not None and before == dict(said, at=before["at"]) else said
        )
        before = said if "at" in said else None
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("break main", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    space = ompd_services.own_library()
    found = [steps_from(name, task["thread"], task["steps"], space) for name in task["functions"]]
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
