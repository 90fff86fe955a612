# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: stops a program that never rests, again and again, at places drawn from a seed,
and asks there what the oracle asks.

Task: "seed", "stops", "breakpoints" (functions from which a random number of instructions is
stepped; "" is no function, but a signal after a random time), "longest_step".
"""

import os
import random
import subprocess
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import oracle  # noqa: E402
import unwound  # noqa: E402

_LONGEST_RUN_SECONDS = 0.05
_COMMANDS = ("omp threads -json", "omp tasks -json", "omp bt -all -json", "omp status")


def interrupt(draw: random.Random) -> None:
    """Lets the program run for a random time. Only the task's deadline limits how late it is."""
    gdb.execute("handle SIGUSR1 stop print nopass", to_string=True)
    pid = gdb.selected_inferior().pid
    seconds = draw.random() * _LONGEST_RUN_SECONDS
    script = "sleep {:.4f}; kill -USR1 {}".format(seconds, pid)
    with subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.DEVNULL):
        gdb.execute("continue", to_string=True)


def ignore_signal() -> None:
    """If the program stopped for another reason, the signal is still to come."""
    gdb.execute("handle SIGUSR1 nostop noprint nopass", to_string=True)


def step_from(function: str, draw: random.Random, longest: int) -> None:
    """Lets the program run to a function, and then some instructions further."""
    ignore_signal()
    gdb.execute("tbreak " + function, to_string=True)
    gdb.execute("continue", to_string=True)
    if gdb.selected_inferior().pid:
        gdb.execute("stepi {}".format(draw.randint(1, longest)), to_string=True)


def stop_once(task: Dict[str, Any], draw: random.Random) -> Dict[str, Any]:
    """One stop."""
    place = draw.choice(task["breakpoints"])
    if place:
        step_from(place, draw, task["longest_step"])
    else:
        interrupt(draw)
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("the program has ended")
    ignore_signal()
    said = {command: common.say(command) for command in _COMMANDS}
    errors = {command: result["error"] for command, result in said.items() if "error" in result}
    stacks = unwound.compare()
    return {
        "kind": place or "signal",
        "errors": errors,
        "stacks": stacks,
        "threads": oracle.ask_everywhere(),
    }


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("break main", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    draw = random.Random(task["seed"])
    common.answer([stop_once(task, draw) for _ in range(task["stops"])])
    gdb.execute("kill", to_string=True)


if __name__ == "__main__":
    main()
