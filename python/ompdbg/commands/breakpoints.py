# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp break and omp delete"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

import gdb

from ompdbg.commands.command import completed, dedent, write
from ompdbg.console import encoding
from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.execution.events import Definition

_LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)")
_IF = re.compile(r"(?:^|\s)if(?=[\s(]|$)(?P<condition>.*)$", re.S)


class Break(gdb.Command):
    """Stop where regions, tasks or threads of OpenMP begin or end.
    Usage: omp break [EVENT [in FUNCTION | in FILE:LINE] [if CONDITION]]

    EVENT is one of
      parallel-begin  A parallel region begins: its thread 0 is at its code.
      parallel-end    It has ended: the thread that encountered it goes on.
      task-begin      A thread begins to execute an explicit task.
      task-end        It has executed it.
      thread-begin    A new OpenMP thread comes to its first region.
      thread-end      An OpenMP thread ends.

    "in" restricts it to constructs of a function, or to the one that is at a
    line: that of its directive.
    CONDITION is an expression as for "break". It is evaluated where the event
    happens: what is unknown here may be known there. Of a region or a task that
    begins, that is the first line of its body.
    Without arguments, shows what there is. "omp delete" removes it."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB."""
        from ompdbg.execution import conditions, events, listeners
        from ompdbg.inferior import session

        if not argument.strip():
            found = events.definitions.values()
            write([f"{one.number}  {one}" for one in found] or ["No OpenMP breakpoints."])
            return
        event, place, condition = self._parse(argument.strip())
        match = _LINE.fullmatch(place) if place is not None else None
        where = (place, None, None) if match is None else (None, match["file"], int(match["line"]))
        with session.guarded("omp break"):
            doubt = conditions.doubt(condition, place) if condition is not None else None
            if doubt is not None and doubt.is_sure:
                raise encoding.failure(f"omp break: {doubt.text}")
            made = listeners.define(event, where, condition)
            write([f"OpenMP breakpoint {made.number}: {made}"])
            if place is not None and not _is_known(place):
                write([f'GDB does not know "{place}" yet.'])
            if doubt is not None:
                write([doubt.text])

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
        """Called by GDB."""
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


class Delete(gdb.Command):
    """Remove breakpoints of "omp break".
    Usage: omp delete [NUMBER]...

    Without a number, all of them."""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp delete", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB."""
        from ompdbg.execution import events, listeners

        words = argument.split() or list(map(str, events.definitions))
        for word in words:
            number = number_in(word)
            if number is None or not listeners.remove(number):
                raise encoding.failure(f"omp delete: no OpenMP breakpoint {word}.")


def show_stop(told: "Sequence[Tuple[Definition, str]]") -> None:
    """Print why the program stopped: each event once, with all breakpoints that asked for it."""
    from ompdbg.commands import location
    from ompdbg.front_ends import dap_events
    from ompdbg.inferior import session

    numbers: Dict[str, List[int]] = {}
    for definition, place in told:
        numbers.setdefault(definition.event + place, []).append(definition.number)
    lines = [""]
    for event, asked in numbers.items():
        *most, last = map(str, asked)
        who = f"breakpoints {', '.join(most)} and {last}" if most else f"breakpoint {last}"
        lines.append(f"OpenMP {who}, {event}")
    thread = session.selected_thread()
    if thread is not None:
        lines += location.lines(thread, thread.users_level or 0)
    dap_events.write("\n".join(lines) + "\n")
