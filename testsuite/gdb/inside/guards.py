# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: stops guards.cpp at so many moments, and asks for its locks. The answer: for each
stop what `omp locks` says, the marks by GDB's number of the thread, and where the locks are.
"""

import os
import random
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
from why import interrupt_later  # noqa: E402

_THREADS = _LOCKS = 4


def _number(text: str) -> int:
    return int(gdb.parse_and_eval(text))


def marks() -> Dict[int, Any]:
    """By GDB's number of the thread."""
    numbers = {thread.ptid[1]: thread.num for thread in common.threads()}
    return {
        numbers[_number("lwps[{}]".format(thread))]: [
            _number("marks[{}][{}]".format(thread, lock)) for lock in range(_LOCKS)
        ]
        for thread in range(_THREADS)
    }


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    chosen = random.Random(6)
    gdb.execute("handle SIGINT stop print nopass", to_string=True)
    gdb.execute("break usleep", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    interrupt_later(0.5)
    gdb.execute("continue", to_string=True)
    found = []
    for _ in range(task["stops"]):
        interrupt_later(chosen.uniform(0.001, 0.02))
        gdb.execute("continue", to_string=True)
        addresses = [_number("(long) &locks[{}].word".format(lock)) for lock in range(_LOCKS)]
        said = common.say_json("omp locks -json")
        found.append({"marks": marks(), "addresses": addresses, "locks": said["locks"]})
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
