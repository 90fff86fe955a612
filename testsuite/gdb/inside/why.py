# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: why a program does not go on.

Task: "mode" is live (run to fixture_ready), core, or stops: "stops" times at some moment of a
program that runs with "arguments", which is started anew if it fails. "gcore" names a core file to
write, "changes" are commands before the questions.
"""

import os
import random
import sys
from typing import Any, Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def said() -> Dict[str, Any]:
    """What the commands say."""
    return {
        "threads": common.say_json("omp threads -json"),
        "why": common.say_json("omp why -json"),
        "why_text": common.say("omp why"),
        "locks": common.say_json("omp locks -json"),
        "locks_text": common.say("omp locks"),
    }


def stops(count: int) -> Dict[str, List[Any]]:
    """What is said at so many moments, and by which signals the program failed in between."""
    chosen = random.Random(4)
    found: List[Any] = []
    failures: List[str] = []
    gdb.execute("break fixture_ready", to_string=True)
    gdb.execute("handle SIGINT stop print nopass", to_string=True)
    gdb.execute("start", to_string=True)
    while len(found) < count and len(failures) < count:
        signal = common.run_for(chosen.uniform(0.02, 0.3))
        if signal == "SIGINT":
            found.append({**common.say_json("omp why -json"), "text": common.say("omp why")})
        else:
            failures.append(signal)
            gdb.execute("start", to_string=True)
    return {"stops": found, "failures": failures}


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    if task["mode"] == "stops":
        gdb.execute("set args " + " ".join(task["arguments"]))
        common.answer(stops(task["stops"]))
        gdb.execute("kill", to_string=True)
        return
    if task["mode"] == "live":
        common.run_until_ready()
    for change in task.get("changes", ()):
        gdb.execute(change, to_string=True)
    found = said()
    if task.get("gcore"):
        gdb.execute("generate-core-file " + task["gcore"], to_string=True)
    common.answer(found)
    if task["mode"] == "live":
        gdb.execute("kill", to_string=True)


if __name__ == "__main__":
    main()
