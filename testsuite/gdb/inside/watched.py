# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: stops watched.c at so many moments, and asks why it does not go on, and what its
threads have marked. The answer: for each stop the marks by GDB's number of the thread, and what
`omp why` says.
"""

import os
import random
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

_FIELDS = ("lwp", "what", "which", "barriers")


def marks() -> Dict[int, Dict[str, Any]]:
    """By GDB's number of the thread."""
    numbers = {thread.ptid[1]: thread.num for thread in common.threads()}
    array = gdb.parse_and_eval("marks")
    found = {}
    for index in range(array.type.range()[1] + 1):
        mark = {field: int(array[index][field]) for field in _FIELDS}
        if mark["lwp"] in numbers:
            found[numbers[mark["lwp"]]] = {**mark, "number": index}
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    chosen = random.Random(5)
    gdb.execute("handle SIGINT stop print nopass", to_string=True)
    gdb.execute("break take_lock", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    found = []
    for _ in range(task["stops"]):
        common.run_for(chosen.uniform(0.005, 0.05))
        said = {**common.say_json("omp why -json"), "text": common.say("omp why")["text"]}
        found.append({"marks": marks(), **said})
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
