# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp break and omp delete"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

import gdb

from ompdbg.commands.command import completed, dedent
from ompdbg.console import encoding
from ompdbg.text import number_in, visible

if TYPE_CHECKING:
    from ompdbg.execution.events import Definition

_LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)")
_MAX_NEAREST = 4
_IF = re.compile(r"(?:^|\s)if(?=[\s(]|$)(?P<condition>.*)$", re.S)


class Break(gdb.Command):
    """Stop where regions, tasks or threads of OpenMP begin or end.
    Usage: omp break [EVENT [in FUNCTION | in FILE:LINE] [if CONDITION]]

    EVENT is one of
      parallel-begin  Thread 0 of a parallel region begins to execute its code.
      parallel-end    A parallel region ended; its encountering thread continues.
      task-begin      A thread begins to execute an explicit task.
      task-end        A thread finished executing an explicit task.
      thread-begin    A new OpenMP thread begins its first region.
      thread-end      An OpenMP thread ends.

    "in" selects the constructs of a function, or the construct whose directive is
    at a line. CONDITION is an expression as for "break". It is evaluated where the
    event happens, so it may use names that are unknown now. When a region or a
    task begins, that is the first line of its body.

    Without arguments, list the breakpoints. "omp delete" removes them."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        from ompdbg.execution import conditions, events, listeners
        from ompdbg.inferior import session

        if not argument.strip():
            found = events.definitions.values()
            rows = [f"{one.number}  {one}\n" for one in found] or ["No OpenMP breakpoints.\n"]
            encoding.write("".join(rows))
            return
        event, place, condition = self._parse(argument.strip())
        match = _LINE.fullmatch(place) if place is not None else None
        where = (place, None, None) if match is None else (None, match["file"], int(match["line"]))
        with session.guarded("omp break"):
            doubt = conditions.doubt(condition, place) if condition is not None else None
            if doubt is not None and doubt.is_sure:
                raise encoding.failure(f"omp break: {doubt.text}")
            made = listeners.define(event, where, condition)
            encoding.write(f"OpenMP breakpoint {made.number}: {made}\n")
            if place is not None and not _is_known(place):
                encoding.write(f'GDB does not know "{place}" yet.\n')
            elif match is not None:
                encoding.write(_unmatched(made))
            if doubt is not None:
                encoding.write(doubt.text + "\n")

    def _parse(self, text: str) -> Tuple[str, Optional[str], Optional[str]]:
        from ompdbg.execution import events

        match = _IF.search(text)
        condition = match.group("condition").strip() if match is not None else None
        words = (text[: match.start()] if match is not None else text).split(None, 2)
        if condition == "":
            raise encoding.failure('omp break: missing condition after "if".')
        if not words or words[0] not in events.ALL:
            word = words[0] if words else "if"
            raise encoding.failure(f'omp break: no event "{word}"; see "help omp break".')
        if len(words) > 1 and (words[1] != "in" or len(words) < 3):
            raise encoding.failure(
                f'omp break: "in FUNCTION" or "in FILE:LINE", not "{words[1]}".'
            )
        return words[0], words[2].strip() if len(words) > 2 else None, condition

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        if word is None:
            return []
        condition = _IF.search(text)
        if condition is not None:
            return completed("print" + condition.group("condition"), word)
        from ompdbg.execution import events

        words = text.split(" ")
        known = {1: events.ALL, 2: ("in", "if"), 4: ("if",)}.get(len(words))
        if len(words) == 3 and words[1] == "in":
            return completed("break " + words[2], word)
        kept = len(words[-1]) - len(word)
        return [name[kept:] for name in known or () if name.startswith(words[-1])]


def _is_known(place: str) -> bool:
    """Check for a place in what GDB has read of the program until now."""
    try:
        gdb.decode_line(place)
    except gdb.error:
        return False
    return True


def _unmatched(made: Definition) -> str:
    """Return a line if no construct that is there now is at the line of a breakpoint."""
    from ompdbg.execution import events
    from ompdbg.inferior import session

    wanted, name = made.line or 0, made.file or ""
    found = session.services().files.constructs()
    lines = {line for file, line in found if events.same_file(name, file or "")}
    if not lines or wanted in lines:
        return ""
    nearest = sorted(sorted(lines, key=lambda line: abs(line - wanted))[:_MAX_NEAREST])
    known = f"line{'s' if len(nearest) > 1 else ''} {', '.join(map(str, nearest))}"
    return f"No construct matches {name}:{wanted} (nearest: {known}).\n"


class Delete(gdb.Command):
    """Remove breakpoints of "omp break".
    Usage: omp delete [NUMBER]...

    Without a number, remove all of them."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp delete", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        from ompdbg.execution import events, listeners

        words = argument.split() or list(map(str, events.definitions))
        for word in words:
            number = number_in(word)
            if number is None or not listeners.remove(number):
                raise encoding.failure(f"omp delete: no OpenMP breakpoint {word}.")


def show_stop(told: Sequence[Tuple[Definition, str]]) -> None:
    """Print why the program stopped: each event once, with all breakpoints that asked for it."""
    from ompdbg.commands import location
    from ompdbg.front_ends import dap_events
    from ompdbg.inferior import session

    numbers: Dict[str, List[int]] = {}
    for definition, place in told:
        numbers.setdefault(definition.event + place, []).append(definition.number)
    text = "\n"
    for event, asked in numbers.items():
        *most, last = map(str, asked)
        who = f"breakpoints {', '.join(most)} and {last}" if most else f"breakpoint {last}"
        text += visible(f"OpenMP {who}, {event}") + "\n"
    thread = session.selected_thread()
    if thread is not None:
        text += location.text(thread, thread.users_level or 0)
    dap_events.put(text)
