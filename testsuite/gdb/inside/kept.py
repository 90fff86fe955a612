# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks the same again and again while the process is changed in every way, past
GDB too, and compares with what is found out anew."""

import os
import re
import sys
from typing import Any, Callable, Dict, List, Optional

import gdb  # type: ignore[import-not-found]

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

COMMANDS = ("omp threads", "omp regions")
PLACES = 12  # of the memory that an answer rests on, these are changed one by one


def shown(command: str) -> str:
    said = common.say(command)
    return str(said.get("text", said.get("error")))


class Asked:
    """What was asked, and what differed."""

    def __init__(self) -> None:
        self.wrong: List[str] = []
        self.different: Dict[str, int] = {}  # by what was done: answers other than before

    def compare(self, what: str) -> List[str]:
        """What both commands say: the same as after everything was forgotten."""
        from ompdbg.gdb_services import session

        found = [shown(command) for command in COMMANDS]
        again = [shown(command) for command in COMMANDS]
        session.forget()
        anew = [shown(command) for command in COMMANDS]
        for command, one, other, fresh in zip(COMMANDS, found, again, anew):
            if not one == other == fresh:
                self.wrong.append(f"{command}, {what}:\n{one}\n{other}\n{fresh}")
        return found

    def after(self, what: str, change: Callable[[], Any], before: List[str]) -> None:
        """The same after a change."""
        change()
        found = self.compare(what)
        self.different[what] = sum(one != other for one, other in zip(found, before))


def given_again() -> int:
    """How many answers were kept and given again, of four."""
    from ompdbg.gdb_services import session

    before = session.answers().given_again
    for _ in range(2):
        for command in COMMANDS:
            shown(command)
    return session.answers().given_again - before


def memory(asked: Asked, before: List[str]) -> int:
    """Changes what the answers rest on, past GDB. How many changes made a difference."""
    from ompdbg.gdb_services import session

    given_again()
    places = sorted({one for trail in session.answers().trails for one in trail.memory()})
    different = 0
    with open(f"/proc/{gdb.selected_inferior().pid}/mem", "r+b", buffering=0) as file:
        for address, size in places[:: max(len(places) // PLACES, 1)]:
            file.seek(address)
            kept = file.read(size)
            given_again()
            file.seek(address)
            file.write(bytes([kept[0] ^ 1]) + kept[1:])
            different += asked.compare(f"{size} bytes at {address:#x}") != before
            file.seek(address)
            file.write(kept)
            if asked.compare("as before") != before:
                asked.wrong.append(f"{address:#x} was set back")
    return different


def terminal(width: Optional[int]) -> None:
    """To what is not a terminal, GDB does not tell its width."""
    from ompdbg.commands import base

    setattr(base, "terminal_width", lambda: width)


def execute(*commands: str) -> Callable[[], None]:
    def change() -> None:
        for command in commands:
            gdb.execute(command, to_string=True)

    return change


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("set args " + task["arguments"])
    common.run_until_ready()
    asked = Asked()
    before = asked.compare("at the stop")
    answer: Dict[str, Any] = {"kept": given_again()}
    gdb.execute("set scheduler-locking on")
    answer["memory"] = memory(asked, before)
    for what, commands in (
        ("same place", ("stepi", "set var $rsp = $sp_before", "set var $rip = $pc_before")),
        ("register", ("set var $rax = 77",)),
        ("frame", ("up",)),
        ("thread", ("thread 2",)),
        ("thread again", ("thread 1",)),
        ("settings", ("set backtrace past-main on",)),
        ("inferiors", ("add-inferior",)),
        ("recorded", ("record", "stepi")),
    ):
        execute("set var $pc_before = (long) $pc", "set var $sp_before = (long) $sp")()
        asked.after(what, execute(*commands), before)
        if what == "frame":
            asked.after("narrow", lambda: terminal(40), before)
            asked.after("wide", lambda: terminal(None), before)
    answer["recorded"] = given_again()
    execute("record stop", "set scheduler-locking off")()
    asked.after("returned", execute("set confirm off", "return"), before)
    answer["marked"] = re.findall(r"^ *\* (\S+)", shown("omp threads"), re.M)
    answer.update(wrong=asked.wrong, different=asked.different)
    common.answer(answer)
    gdb.execute("kill")


main()
