# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what an OMPD library asks of a debugger, for the module _ompd of the tests."""

import os
import sys
from typing import Any, Optional


sys.path.insert(0, os.environ["OMPDBG_TEST_OMPD"])

PTHREAD, LWP = 0, 1  # kinds of thread ids


class Services:
    """The selected program."""

    def __init__(self) -> None:
        from ompdbg.inferior import session

        self._services = session.services()

    def read_memory(self, address: int, size: int) -> Any:
        """Exactly so many bytes."""
        return self._services.memory(address, size)

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """In a thread, if one is given. Nothing is known of structures."""
        if name.startswith("ompd_newest_gcc"):
            return None
        found: Optional[int] = self._services.files.address(name, file_name)
        if found is None and thread:
            found = self._services.thread_local_address(name.encode(), thread)
        return found

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """The number of the thread with that id."""
        for thread in self._services.all_threads():
            known = thread.ptid[1] if kind == LWP else self._services.pthread(thread.num)
            if known == ident:
                found: int = thread.num
                return found
        return None

    def message(self, text: str, category: int) -> None:
        """Nobody wants to know."""


def handle(space: Any, thread: Any) -> Any:
    """Return the handle of a thread of GDB; None if it is not of OpenMP."""
    import _ompd

    try:
        return space.thread(_ompd.THREAD_ID_LWP, thread.ptid[1])
    except _ompd.Unavailable:
        return None


def own_library() -> Any:
    """Return our OMPD library, opened for the selected program."""
    import _ompd
    from ompdbg import gdb_plugin

    return _ompd.Library(gdb_plugin.library_path()).open(Services())
