# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: everything that the commands say of one stop.

Task: "mode" is live (run to fixture_ready), attached or core; "gcore" names a core file to write;
"oracle" asks OMPD and the program's own routines in every thread, after all else.
"""

import os
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import oracle  # noqa: E402
import unwound  # noqa: E402

JSON_COMMANDS = {
    "threads": "omp threads -json",
    "tasks": "omp tasks -json",
    "queued": "omp tasks -queued -json",
    "counts": "omp tasks -by-function -json",
    "stacks": "omp bt -all -json",
    "regions": "omp regions -json",
    "status": "omp status -json",
}
TEXT_COMMANDS = {
    "threads_text": "omp threads",
    "regions_text": "omp regions",
    "tasks_text": "omp tasks",
    "bt_text": "omp bt -all -no-tree",
    "status_text": "omp status",
}


def snapshot() -> Dict[str, Any]:
    """What all commands say."""
    found = {name: common.say_json(command) for name, command in JSON_COMMANDS.items()}
    found.update({name: common.say(command) for name, command in TEXT_COMMANDS.items()})
    found["unwound"] = unwound.compare()
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if task["mode"] == "live":
        common.run_until_ready()
    found = snapshot()
    if task.get("gcore"):
        gdb.execute("generate-core-file " + task["gcore"], to_string=True)
    if task.get("oracle"):
        found["oracle"] = oracle.ask_everywhere()
    common.answer(found)
    if task["mode"] == "live":
        gdb.execute("kill", to_string=True)
    elif task["mode"] == "attached":
        gdb.execute("detach", to_string=True)


main()
