# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: a program that names an OMPD library itself. Task: "safe" (a folder, or none),
"core" (if it is one), "library" (named by the user, or none), "until" (parts of answers: ask until
each was given so many times)."""

import os
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


MOST = 5000


def asked_until(parts: Dict[str, int]) -> Dict[str, Any]:
    """How often each answer was given, and one with none of the parts."""
    counts = dict.fromkeys(parts, 0)
    for _ in range(MOST):
        error = common.say("omp status").get("error", "")
        found = [part for part in parts if part in error]
        if not found:
            return {"counts": counts, "other": error}
        for part in found:
            counts[part] += 1
        if all(counts[part] >= wanted for part, wanted in parts.items()):
            break
    return {"counts": counts}


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if task.get("safe"):
        gdb.execute("set auto-load safe-path " + task["safe"])
    if not task.get("core"):
        common.run_until_ready("stop_here")
    if task.get("library"):
        gdb.execute("set omp library " + task["library"])
    said = asked_until(task["until"]) if "until" in task else common.say("omp status")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        said["loaded"] = [line.split()[-1] for line in maps if task["named"] in line]
    common.answer(said)


main()
