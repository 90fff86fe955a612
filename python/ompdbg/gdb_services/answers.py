# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of commands, each with all that it rests on.

Whether an answer still holds, no event of GDB's has to tell: the memory and the registers that
were read for it are looked up again, and compared. That takes a few system calls; to find the
answer anew, a walk through the runtime's structures and the stacks of all threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Hashable, List, NamedTuple, Protocol

if TYPE_CHECKING:
    import _ompd

    from ompdbg.gdb_services.debugger import GdbServices

_MAX_KEPT = 16


class Asked(Protocol):
    """A process."""

    services: "GdbServices"

    def moved(self) -> None:
        """Forgets what was read of it."""


class _Answer(NamedTuple):
    circumstances: Hashable
    trail: "_ompd.Trail"
    lines: List[str]


class Answers:
    """Those of one process."""

    def __init__(self) -> None:
        self._kept: Dict[Hashable, _Answer] = {}
        self.given_again = 0  # how often that was, for tests

    @property
    def trails(self) -> "List[_ompd.Trail]":
        """What they rest on, for tests."""
        return [answer.trail for answer in self._kept.values()]

    def clear(self) -> None:
        """Object files came or went: addresses mean something else."""
        self._kept.clear()

    def give(self, asked: Hashable, process: Asked, find: Callable[[], List[str]]) -> List[str]:
        """The answer that find() gives."""
        import _ompd

        circumstances = process.services.circumstances()
        if circumstances is None:
            return find()
        kept = self._kept.get(asked)
        if kept is not None:
            is_same = kept.trail.holds()
            if is_same and kept.circumstances == circumstances:
                self.given_again += 1
                return kept.lines
            if not is_same:
                process.moved()  # GDB may not have told
        # What was found out at this stop before would not be on the trail.
        trail = _ompd.Trail(process.services.direct_pid())
        with process.services.unwound_anew(), trail:
            lines = find()
        if trail.is_whole:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            self._kept[asked] = _Answer(circumstances, trail, lines)
        return lines
