# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks in one thread what the oracle asks, after every single instruction.

Task: "thread" (its number), "functions" (one after another, from the begin of each on), "steps" (how
many instructions of each) and "failures" (how often the program may fail, and is run again then).
"A|B" is A or, where the program has no A, B. Answer: "steps", in which what is said as after the
instruction before is null, and "failures", the signals at which the program failed.
"""

import os
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import ompd_services  # noqa: E402
import oracle  # noqa: E402


class Failed(Exception):
    """The program has stopped at a signal of its own, or has ended."""


def go(command: str) -> None:
    """Runs a command that lets the program go on."""
    signals: List[str] = []

    def note(event: gdb.StopEvent) -> None:
        signals.append(getattr(event, "stop_signal", ""))

    gdb.events.stop.connect(note)
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.events.stop.disconnect(note)
    if not signals or signals[-1]:
        raise Failed(signals[-1] if signals else "its end")


def named(names: str) -> str:
    """The first of them that the program has."""
    for name in names.split("|"):
        try:
            gdb.parse_and_eval("&'{}'".format(name))
            return name
        except gdb.error:
            continue  # another compiler's
    raise ValueError("the program has no " + names)


def steps_from(function: str, thread: int, steps: int, space: Any) -> List[Any]:
    """Return what is said after each; None where that is what was said before."""
    place = "tbreak -function {} if $_thread == {}".format(named(function), thread)
    gdb.execute(place, to_string=True)
    go("continue")
    found: List[Optional[Dict[str, Any]]] = []
    before: Optional[Dict[str, Any]] = None
    for _ in range(steps):
        go("stepi")
        (said,) = oracle.ask_everywhere(thread, space)
        found.append(
            None if before is not None and before == dict(said, at=before["at"]) else said
        )
        before = said if "at" in said else None
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    found: List[List[Any]] = []
    failures: List[str] = []
    while len(found) < len(task["functions"]) and len(failures) <= task["failures"]:
        gdb.execute("break main", to_string=True)
        common.run()
        gdb.execute("delete", to_string=True)
        space = ompd_services.own_library()
        try:
            for name in task["functions"][len(found) :]:
                found.append(steps_from(name, task["thread"], task["steps"], space))
        except Failed as failure:
            failures.append(str(failure))
            gdb.execute("delete", to_string=True)
    common.answer({"steps": found, "failures": failures})
    gdb.execute("kill", to_string=True)


main()
