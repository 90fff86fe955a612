# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: our commands over our OMPD library, then over another, and over ours again.

Task: "library" (the other one).
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

COMMANDS = ("status", "threads", "tasks", "tasks -queued", "tasks -by-function", "bt", "bt -all")


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready()
    found = {}
    for name, library in (("ours", "auto"), ("theirs", task["library"]), ("again", "auto")):
        gdb.execute("set omp library " + library, to_string=True)
        found[name] = {
            **{command: common.say("omp " + command) for command in COMMANDS},
            "threads -json": common.say_json("omp threads -json"),
            "icvs -json": common.say_json("omp icvs -json"),
            "bt -all -json": common.say_json("omp bt -all -json"),
        }
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
