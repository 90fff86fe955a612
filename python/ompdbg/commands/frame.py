# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp frame"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Optional

import gdb

from ompdbg.commands import location
from ompdbg.commands.base import OmpCommand, write
from ompdbg.commands.options import Wrong

if TYPE_CHECKING:
    from _ompdbg import Thread

    from ompdbg.commands.options import Arguments

_PLACE = re.compile(r"(?:(?P<thread>(?:\d+\.)?\d+):)?(?P<level>\d+)")


class Frame(OmpCommand):
    """Select a frame that "omp bt" shows, with its thread.
    Usage: omp frame [[THREAD:]FRAME]

    A stack of "omp bt" goes on in other threads: "omp frame 1:7" selects frame 7
    of thread 1, "omp frame 2.1:7" that of thread 1 of inferior 2. Without THREAD,
    it is a frame of the selected thread. Without an argument, shows the selected
    frame."""

    name = "omp frame"
    positional = 1
    keeps_selection = False

    def check(self, arguments: "Arguments") -> None:
        """The argument names a frame."""
        for word in arguments.positional:
            if _PLACE.fullmatch(word) is None:
                raise Wrong(
                    f'{self.name}: invalid frame "{word}" (expected 7, or 1:7 for thread 1).'
                )

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        from ompdbg.gdb_services import selection

        if arguments.positional:
            match = _PLACE.fullmatch(arguments.positional[0])
            assert match is not None
            with selection.kept_on_failure():
                self._select(self._named(match.group("thread")), int(match.group("level")))
        selected = self.program().selected()
        if selected is None:
            self.fail("no thread is selected.")
        self._show(selected)

    def _named(self, label: Optional[str]) -> "Thread":
        """The thread of that name, whose inferior is selected then."""
        number = label
        if label is not None and "." in label:
            inferior, _, number = label.partition(".")
            self._select_inferior(int(inferior), int(number))
        for thread in self.program().threads():
            if thread.is_selected if label is None else str(thread.number) == number:
                return thread
        self.fail("no thread is selected." if label is None else f"no thread {label}.")

    def _select_inferior(self, number: int, thread_number: int) -> None:
        from ompdbg.gdb_services import selection

        for inferior in gdb.inferiors():
            for thread in inferior.threads() if inferior.num == number else ():
                if thread.num == thread_number:
                    selection.switch(thread)
                    return
        self.fail(f"no thread {number}.{thread_number}.")

    def _select(self, thread: "Thread", level: int) -> None:
        from ompdbg.gdb_services import session

        if thread.is_running:
            self.fail(f"thread {thread.label} is running.")
        handle = session.services().frame_of(thread.number, level)
        if handle is None:
            self.fail(f"thread {thread.label} has no frame {level}.")
        handle.select()

    def _show(self, thread: "Thread") -> None:
        try:
            level = location.selected_level()
        except gdb.error:
            self.fail(f"thread {thread.label} is running.")
        write(location.lines(thread, level))
