# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: stops a program that never rests at random places, and asks two OMPD libraries
everything there.

Task: "libraries", paths by name; "folder" for the answers, NUMBER-NAME; "seed", "stops"; "begin", a
function that runs when OpenMP does; "end", one that ends teams, "" if the program seldom does.
"""

import os
import random
import sys
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import ask_all  # noqa: E402
import common  # noqa: E402
import gdb  # noqa: E402
import random_stops  # noqa: E402

LONGEST_STEP = 60


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("break " + task["begin"], to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    draw = random.Random(task["seed"])
    for number in range(task["stops"]):
        # Every fourth stop is at the end of a team.
        if number % 4 == 3 and task["end"]:
            random_stops.step_from(task["end"], draw, LONGEST_STEP)
        else:
            random_stops.interrupt(draw)
        random_stops.ignore_signal()
        if not gdb.selected_inferior().pid:
            raise gdb.GdbError("the program has ended")
        for name, path in task["libraries"].items():
            file_name = Path(task["folder"]) / "{}-{}".format(number, name)
            with file_name.open("w", encoding="utf-8") as file:
                ask_all.interview(path, file)
    common.answer(task["stops"])
    gdb.execute("kill", to_string=True)


if __name__ == "__main__":
    main()
