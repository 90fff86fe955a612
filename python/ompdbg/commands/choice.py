# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options by which commands choose threads: by team, level, state or number."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Mapping, Set

from ompdbg.commands.options import Option
from ompdbg.number import number_in

if TYPE_CHECKING:
    from _ompdbg import Process, Thread

_RUNNING = "running"
_MAX_NUMBER = 1 << 20


class NoSuch(Exception):
    """Nothing has that name; the message says so."""


def _states() -> List[str]:
    from ompdbg.gdb_services import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else sorted(process.states())


def _teams() -> List[str]:
    from ompdbg.gdb_services import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else [team.label for team in process.teams()]


STATE = Option("-state", "STATE", _states)
TEAM = Option("-team", "TEAM", _teams)
LEVEL = Option("-level", "LEVEL")
NUMBERS = Option("-num", "NUMBERS")


def chosen(process: "Process", options: Mapping[str, str]) -> "List[Thread]":
    """The threads to which all of these options apply, in the debugger's order."""
    threads = process.threads()
    state = options.get(STATE.name)
    if state is not None:
        if not any(name.startswith(state) for name in [*process.states(), _RUNNING]):
            raise NoSuch(f'no state "{state}".')
        threads = [thread for thread in threads if _is_in_state(thread, state)]
    label = options.get(TEAM.name)
    if label is not None:
        team = next((one for one in process.teams() if one.label == label), None)
        if team is None:
            raise NoSuch(f'no team "{label}".')
        threads = [thread for thread in threads if thread.team == team]
    if LEVEL.name in options:
        level = _number(options[LEVEL.name], "level")
        threads = [thread for thread in threads if thread.level == level]
    if NUMBERS.name in options:
        numbers = _numbers(options[NUMBERS.name])
        threads = [thread for thread in threads if thread.thread_num in numbers]
    return threads


def _is_in_state(thread: "Thread", state: str) -> bool:
    if thread.is_running:
        return _RUNNING.startswith(state)
    return (thread.state or "").startswith(state)


def _number(word: str, noun: str) -> int:
    number = number_in(word)
    if number is None or number > _MAX_NUMBER:
        raise NoSuch(f'invalid {noun} "{word}".')
    return number


def _numbers(text: str) -> Set[int]:
    """`0,2-5`"""
    found: Set[int] = set()
    for word in text.split(","):
        low, dash, high = word.partition("-")
        first = _number(low, "thread number")
        last = _number(high, "thread number") if dash else first
        found.update(range(first, last + 1))
    return found
