# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what the commands say of a program that is ready, which is left in the core
file of the task, or of a core file."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if "core" in task:
        common.run_until_ready()
        gdb.execute("gcore " + task["core"], to_string=True)
    found = {
        "threads": common.say_json("omp threads -json"),
        "tasks": common.say_json("omp tasks -json"),
        "tables": [],
    }
    for language in ("c", "c++", "fortran", "ada", "pascal"):
        gdb.execute("set language " + language, to_string=True)
        found["tables"].append(common.say("omp threads")["text"])
    common.answer(found)


main()
