# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: LLVM's plug-in over our OMPD library.

Task: "plugin" (its folder), "lend" (by `omp llvm-plugin`; else it finds the library by itself),
"commands" (of the plug-in), "oracle" (what the program answers in the first thread), "last" (a
command after all others).
"""

import os
import sys
from typing import Any, Dict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import oracle  # noqa: E402


def load(folder: str) -> None:
    """What `source FOLDER/__init__.py` does in a session."""
    script = os.path.join(folder, "__init__.py")
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    exec(code, {"__name__": "__main__", "__file__": script})


def say(command: str, lend: bool) -> Any:
    """Runs a command of the plug-in. What it prints is returned, or found between marks in GDB's
    output: by itself, the plug-in prints in the middle of its callbacks, and GDB does not survive
    that where it is to return what is printed."""
    if lend:
        return common.say(command)
    gdb.write("\n<<< {}\n".format(command))
    gdb.flush()
    try:
        gdb.execute(command)
    except gdb.error as error:
        gdb.write("{}\n".format(error))
    gdb.write("\n>>>\n")
    gdb.flush()
    return None


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    load(task["plugin"])
    found: Dict[str, Any] = {"lent": common.say("omp llvm-plugin") if task["lend"] else None}
    common.run_until_ready()
    found["threads"] = common.say_json("omp threads -json")
    for command in ["ompd init", *task["commands"]]:
        found[command] = say(command, task["lend"])
    found["bt"] = say("bt", task["lend"])
    found["selected"] = gdb.selected_thread().num
    if task["oracle"]:
        found["oracle"] = oracle.ask_everywhere(1)
    if task.get("last"):
        found[task["last"]] = say(task["last"], task["lend"])
        found["line"] = gdb.selected_frame().find_sal().line
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
