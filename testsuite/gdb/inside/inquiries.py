# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what a tool could ask of threads.

Task: "gcore" names a core file to write.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if task.get("gcore"):
        common.run_until_ready()
    found = {
        "threads": common.say_json("omp threads -json"),
        "thread_info": common.say_json("omp thread-info -all -json"),
        "task_info": common.say_json("omp task-info -all -json"),
        "outer": common.say_json("omp parallel-info 1 -all -json"),
        "text": common.say("omp task-info 0"),
        "wrong": common.say("omp task-info one"),
    }
    if task.get("gcore"):
        gdb.execute("generate-core-file " + task["gcore"], to_string=True)
    common.answer(found)
    if task.get("gcore"):
        gdb.execute("kill", to_string=True)


main()
