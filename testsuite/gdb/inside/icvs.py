# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: control variables, as the commands and as the program's routines tell them."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

JSON_COMMANDS = {
    "threads": "omp threads -json",
    "icvs": "omp icvs -json",
    "thread": "omp icvs -thread -json",
    "task": "omp icvs -task -json",
    "all": "omp icvs -all -json",
    "env": "omp env -json",
}
TEXT_COMMANDS = {"icvs_text": "omp icvs", "all_text": "omp icvs -all", "env_text": "omp env"}
FIELDS = (
    "thread_num",
    "num_threads",
    "level",
    "max_threads",
    "thread_limit",
    "default_device",
)


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready()
    found = {name: common.say_json(command) for name, command in JSON_COMMANDS.items()}
    found.update({name: common.say(command) for name, command in TEXT_COMMANDS.items()})
    gdb.execute("call oracle_fill(&oracle_slot)", to_string=True)
    slot = gdb.parse_and_eval("oracle_slot")
    found["oracle"] = {field: int(slot[field]) for field in FIELDS}
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
