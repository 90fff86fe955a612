# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: a command again and again, from a line until one of others is reached.

The task: "start" (a place for `break`), "command", "until" (lines), "most" (times). The answer: where
the program was after each, what breakpoints there are afterwards, and how the program ended.
"""

import os
import re
import sys
from typing import Any, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def where() -> Any:
    """The line, the function, and the thread, of GDB's and of OpenMP's."""
    frame = gdb.newest_frame()
    place = frame.find_sal()
    return {
        "line": place.line,
        "function": frame.name(),
        "file": os.path.basename(place.symtab.filename) if place.symtab is not None else None,
        "thread": gdb.selected_thread().num,
        "number": int(gdb.parse_and_eval("$_omp_thread_num()")),
        "task": int(gdb.parse_and_eval('$_omp_in_task("task")')),
    }


def breakpoints() -> int:
    """How many there are, internal ones too."""
    text = gdb.execute("maint info breakpoints", to_string=True)
    return len(re.findall(r"^-?\d+ +breakpoint ", text, re.M))


def to_the_end() -> Optional[int]:
    """The status with which the program ends. GDB, with any plug-in or none, may meet threads that
    end at the same time, and fail: then nothing is known."""
    if gdb.selected_inferior().pid:
        try:
            gdb.execute("continue", to_string=True)
        except gdb.error as error:
            if "No such process" not in str(error):
                raise
            return None
    return int(gdb.parse_and_eval("$_exitcode"))


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("set args " + " ".join(task["arguments"]))
    gdb.execute("break " + task["start"], to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    before = breakpoints()
    seen, said = [where()], []
    for _ in range(task["most"]):
        said.append(common.say(task["command"]))
        if not gdb.selected_inferior().pid:
            break
        seen.append(where())
        if "error" in said[-1] or seen[-1]["line"] in task["until"]:
            break
    after = breakpoints()
    common.answer({"seen": seen, "said": said, "left": after - before, "code": to_the_end()})


if __name__ == "__main__":
    main()
