# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: everything that the commands say of one stop.

Task: "mode" is live (run to fixture_ready), attached or core; "gcore" names a core file to write;
"oracle" asks OMPD and the program's own routines in every thread, after all else. Mode states is
live for one of "states" after the other, each with "arguments" and "gcore", of which the core file is
looked at, too: the answers are {"live": ..., "gcore": ...} or {"failed": why}.
"""

import os
import sys
import traceback
from typing import Any, Dict, Sequence

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


def of_state(arguments: Sequence[str], core: str) -> Dict[str, Any]:
    """What is said of a state of the program, and of a core file of it if that has a name."""
    common.run_until_ready(arguments=arguments)
    found = {"live": snapshot()}
    if core:
        gdb.execute("generate-core-file " + core, to_string=True)
    found["live"]["oracle"] = oracle.ask_everywhere()
    leave()
    if core:
        gdb.execute("core-file " + core, to_string=True)
        found["gcore"] = snapshot()
        leave()
    return found


def leave() -> None:
    """Comes back to a GDB that has just the program's file."""
    gdb.execute("delete", to_string=True)
    target = gdb.selected_inferior().connection
    if target is not None:
        gdb.execute("core-file" if target.type == "core" else "kill", to_string=True)


def state(one: Dict[str, Any]) -> Dict[str, Any]:
    """The same, or what went wrong: the others are looked at nevertheless."""
    try:
        return of_state(one["arguments"], one["gcore"])
    except Exception:  # of GDB, or of ours
        leave()
        return {"failed": traceback.format_exc()}


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if task["mode"] == "states":
        common.answer([state(one) for one in task["states"]])
        return
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
