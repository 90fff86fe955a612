# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: where threads go on, as stepping knows it.

Task: "lines" at which the program is stopped, one after another, and one thread is asked. At the
end, where it is ready, all are.
"""

import os
import sys
from typing import Any, Dict, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def shown(way: Any) -> Optional[Dict[str, Any]]:
    """Return the thread and GDB's frame to which a way leads."""
    if way is None:
        return None
    thread = next(one for one in common.threads() if one.num == way.thread.number)
    thread.switch()
    frame = gdb.newest_frame()
    for _ in range(way.level):
        frame = frame.older()
    return {
        "number": thread.num,
        "function": frame.name(),
        "line": frame.find_sal().line,
        "is_at_frame": frame.pc() == way.pc,
    }


def ways_of(number: int) -> Dict[str, Any]:
    """Return all that is known of a thread's ways."""
    from ompdbg.inferior import session

    program = session.program("ways")
    thread = next(one for one in program.threads() if one.number == number)
    ways, construct = thread.ways, thread.ways.construct
    return {
        "in_users_code": ways.is_in_users_code,
        "back": shown(ways.back),
        "after_region": shown(ways.after_region),
        "after_innermost": shown(ways.after_innermost),
        "out_to": ways.out_to,
        "out": shown(ways.out),
        "title": construct and construct.title,
        "is_task": construct and construct.is_task,
        "is_own": construct and construct.is_own,
        "after": construct and shown(construct.after),
        "to_parent": thread.task and shown(thread.task.way_to_parent),
    }


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    found: Dict[str, Any] = {"passed": []}
    gdb.execute("break main", to_string=True)
    common.run()
    gdb.execute("delete", to_string=True)
    for line in task["lines"]:
        gdb.execute("tbreak ways.c:{}".format(line), to_string=True)
        gdb.execute("continue", to_string=True)
        found["passed"].append(ways_of(gdb.selected_thread().num))
    gdb.execute("tbreak fixture_ready", to_string=True)
    gdb.execute("continue", to_string=True)
    rows = common.say_json("omp threads -json")["threads"]
    found["ready"] = gdb.selected_thread().num
    found["rows"] = rows
    found["ways"] = {row["gdb"]: ways_of(row["gdb"]) for row in rows}
    common.answer(found)
    gdb.execute("kill", to_string=True)


main()
