# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger without a program for the OMPD library, over a recorded target."""

from typing import Dict, List, Optional, Tuple, Type

import _ompd
import recording


NEWEST_GCC = "ompd_newest_gcc"
_OUTSIDE = 0xF0D0_0000_0000_0000  # no address of a program

# Functions that are asked for since the targets were recorded; only loops need them.
_LATER = ("GOMP_loop_", "GOMP_sections_end_nowait")


def _is_of_llvm(name: str, file_name: Optional[str]) -> bool:
    """A question whether LLVM's runtime is there, or which of two the program calls."""
    whose = (name, file_name)
    return name == "__kmpc_fork_call" or whose == ("omp_get_thread_num", "libgomp.so.1")


class Unreadable(Exception):
    """There is no such memory."""


class Replay:
    """One recorded target.

    outside: questions of the OMPD library that were not asked when the target was recorded, or
    not answered then.
    """

    errors: Tuple[Type[Exception], ...] = (Unreadable,)

    def __init__(self, target: recording.Target) -> None:
        self.messages: List[str] = []
        self.outside: List[str] = []
        self.pages: Dict[int, bytes] = dict(target.pages)
        self.symbols = {(name, file): address for name, file, address in target.symbols}
        self._newest_gcc: Optional[int] = None
        self._mapped = target.mapped
        self._target = target

    def write(self, address: int, data: bytes) -> None:
        """Changes recorded memory, within one page."""
        start = address - address % recording.PAGE
        page = bytearray(self.pages[start])
        page[address - start : address - start + len(data)] = data
        self.pages[start] = bytes(page)

    def tell_newest_gcc(self, release: Optional[int]) -> None:
        """What a debugger reads in the program's file, which was not recorded."""
        self._newest_gcc = None if release is None else _OUTSIDE
        self.pages[_OUTSIDE] = (release or 0).to_bytes(8, "little").ljust(recording.PAGE, b"\0")

    def read_memory(self, address: int, size: int) -> bytes:
        """What lies in recorded pages."""
        first, last = address // recording.PAGE, (address + size - 1) // recording.PAGE
        pages = [self.pages.get(recording.PAGE * n) for n in range(first, last + 1)]
        if None not in pages:
            memory = b"".join(page for page in pages if page is not None)
            return memory[address % recording.PAGE :][:size]
        # The library reads structures whole, and field by field where it can't. A page may hold
        # none of the fields that were asked for.
        if not any(pages):
            self._note_outside(recording.PAGE * first)
        raise Unreadable("nothing at {:#x}".format(address))

    def _note_outside(self, address: int) -> None:
        if any(begin <= address < end for begin, end in self._mapped):
            self.outside.append("memory at {:#x}".format(address))

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """What was asked when the target was recorded: of the only runtime that it has."""
        if name == NEWEST_GCC:
            return self._newest_gcc
        is_known = (name, file_name) in self.symbols
        if not is_known and not _is_of_llvm(name, file_name) and not name.startswith(_LATER):
            self.outside.append("symbol {} of {}".format(name, file_name))
        return self.symbols.get((name, file_name))

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """By pthread_t or LWP."""
        for thread in self._target.threads:
            if ident == (thread.lwp if kind == _ompd.THREAD_ID_LWP else thread.pthread):
                return thread.number
        return None

    def message(self, text: str, category: int) -> None:
        """Kept."""
        self.messages.append(text)
