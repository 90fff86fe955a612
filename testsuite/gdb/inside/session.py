# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: the commands of the task, as a user types them, with what each printed.

The task's "stop" is a function at which the program is stopped first; without, the commands do
that. "@python EXPRESSION" in place of a command answers the value of an expression.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

_EXPRESSION = "@python "


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("set args " + " ".join(task.get("arguments", ())))
    if "stop" in task:
        common.run_until_ready(task["stop"])
    said = []
    for command in task["commands"]:
        if command.startswith(_EXPRESSION):
            names = {"gdb": gdb, "threads": common.threads}
            said.append({"value": eval(command[len(_EXPRESSION) :], names)})
        else:
            said.append(common.say(command))
    common.answer(said)
    if gdb.selected_inferior().pid and task.get("kill", True):
        gdb.execute("kill", to_string=True)


main()
