# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: steps through one marked construct of a program after the other.

The task: "source" (its file name), "constructs" (name, and lines before and after each, in the order
of the program), "most" (steps). The answer: for each construct where the program was after each
step; what breakpoints are left; the status with which it ended.
"""

import os
import sys
from typing import Any, Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
from steps import breakpoints, to_the_end, where  # noqa: E402


def through(construct: Dict[str, Any], source: str, most: int) -> List[Any]:
    """Where a thread 0 was, from the line before a construct until one that is not in it."""
    place = "{}:{}".format(source, construct["before"])
    gdb.execute("tbreak {} if $_omp_thread_num() == 0".format(place), to_string=True)
    gdb.execute("continue", to_string=True)
    gdb.execute("delete")
    seen = [where()]
    if seen[0]["line"] != construct["before"]:
        return seen  # the compiler has left nothing of that line
    for _ in range(most):
        said = gdb.execute("omp step", to_string=True)
        seen.append({**where(), "said": said})
        line = seen[-1]["line"]
        if line == construct["after"]:
            break
        if construct["later"] and line > construct["after"] and len(seen) > 3:
            break
    return seen


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("set args " + " ".join(task["arguments"]))
    gdb.execute("break main", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete")
    for function in ("add", "work::add"):
        gdb.execute("skip function " + function, to_string=True)
    before = breakpoints()
    seen = {}
    for one in task["constructs"]:
        seen[one["name"]] = through(one, task["source"], task["most"])
    common.answer({"seen": seen, "left": breakpoints() - before, "code": to_the_end()})


main()
