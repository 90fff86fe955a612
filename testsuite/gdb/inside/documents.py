# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what commands print as JSON.

Task: "commands" by name; "kill": end the process afterwards.
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
    common.answer({name: common.say_json(text) for name, text in task["commands"].items()})
    if task.get("kill"):
        gdb.execute("kill", to_string=True)


main()
