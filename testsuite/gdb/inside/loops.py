# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what `omp regions` tells of a loop at each of its first thread's iterations, and
how many each thread has done in the end."""

import os
import sys
from typing import Any, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("break inspect", to_string=True)
    gdb.execute("break finished", to_string=True)
    gdb.execute("set args " + task["kind"], to_string=True)
    gdb.execute("run", to_string=True)
    stops: List[Any] = []
    text = common.say("omp regions")["text"]
    while gdb.newest_frame().name() == "inspect":
        (region,) = common.say_json("omp regions -json")["regions"]
        stops.append(region["loops"])
        gdb.execute("continue", to_string=True)
    after = common.say_json("omp regions -json")["regions"][0]["loops"]
    gdb.execute("delete", to_string=True)
    gdb.execute("break exit", to_string=True)
    gdb.execute("continue", to_string=True)
    done = [int(gdb.parse_and_eval(f"done[{number}]")) for number in range(4)]
    common.answer({"stops": stops, "text": text, "after": after, "done": done})
    gdb.execute("kill", to_string=True)


main()
