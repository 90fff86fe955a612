# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: a program that names an OMPD library itself. Task: "safe" (a folder, or none),
"core" (if it is one), "library" (named by the user, or none)."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # type: ignore[import-not-found]  # noqa: E402


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
    said = common.say("omp status")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        said["loaded"] = [line.split()[-1] for line in maps if task["named"] in line]
    common.answer(said)


main()
