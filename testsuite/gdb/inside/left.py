# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: every command that ompdbg has, as GDB lists them, and what each leaves behind.

The task: "stop" (a function), "lines" (command lines by command). The answer: the commands, what each
line has changed that it should not have, what failed, and how the program ended.
"""

import os
import re
import sys
from typing import Any, Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
from steps import to_the_end  # noqa: E402

# What GDB itself counts and keeps of its last command.
_OF_GDB = ("$", "annotate", "history size", "convenience", "values", "user", "commands")


def all_commands() -> List[str]:
    """The sub-commands of `omp`, of `set omp` and of `show omp`."""
    found: List[str] = []
    for prefix in ("omp", "set omp", "show omp"):
        text = gdb.execute("help " + prefix, to_string=True)
        found += re.findall(r"^({} [\w-]+)(?:,.*)? --".format(prefix), text, re.M)
    return found


def state() -> Dict[str, Any]:
    """Settings, breakpoints (internal ones too) without their counts, and what is selected."""
    frame = gdb.selected_frame()
    level = 0
    while frame.newer() is not None:
        frame, level = frame.newer(), level + 1
    points = gdb.execute("maint info breakpoints", to_string=True)
    return {
        "settings": gdb.execute("show", to_string=True).splitlines(),
        "breakpoints": re.findall(r"^-?\d+ +breakpoint .*$", points, re.M),
        "thread": gdb.selected_thread().global_num,
        "inferior": gdb.selected_inferior().num,
        "level": level,
        "pc": gdb.selected_frame().pc(),
        "locking": gdb.parameter("scheduler-locking"),
    }


def changed(before: Dict[str, Any], after: Dict[str, Any]) -> Dict[str, Any]:
    """What differs, and how."""
    found = {}
    for name in before:
        if before[name] != after[name]:
            if name == "settings":
                lines = set(after[name]) ^ set(before[name])
                found[name] = sorted(one for one in lines if not one.startswith(_OF_GDB))
            else:
                found[name] = [before[name], after[name]]
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("set args " + " ".join(task["arguments"]))
    common.say("tbreak " + task["stop"])
    common.say("run")
    for command in task["first"]:
        gdb.execute(command, to_string=True)
    commands = all_commands()
    report = {}
    for command in commands:
        wrong = [command + " -nonsense"] if command.startswith("omp ") else []
        for line in [*wrong, *task["lines"].get(command, [command])]:
            before = state()
            said = common.say(line)
            report[line] = {"changed": changed(before, state()), "error": said.get("error")}
    for command in task["last"]:
        gdb.execute(command, to_string=True)
    common.answer({"commands": commands, "report": report, "code": to_the_end()})


main()
