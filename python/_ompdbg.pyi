# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libompdbg over GDB (gdb-plugin/bridge/)."""

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import os

from ompdbg.gdb_services.bridge import Bridge
from ompdbg.gdb_services.ended import Signal

class Error(Exception):
    """A question that has no answer; the text is one line."""

class Thread(NamedTuple):
    """What commands need to choose threads."""

    number: int  # GDB's
    label: str  # as GDB prints it
    is_selected: bool
    is_running: bool
    is_openmp: bool
    error: Optional[str]  # why nothing is known

class Process:
    """A program with its OpenMP runtimes. What is found out of it is kept until it moves; what of
    its code, as long as the object."""

    def __init__(self, bridge: Bridge) -> None: ...
    def open(
        self, path: Union[str, bytes, "os.PathLike[str]"], descriptor: int = -1
    ) -> Tuple[int, List[str], str]:
        """Open the runtimes that a library recognises: how many there are, why others are not
        understood, and what is absent."""
    def note(self, problem: str) -> None:
        """Note why a runtime that is there is not understood."""
    def moved(self) -> None:
        """The program has run."""
    def libraries(self) -> List[Tuple[str, bool]]:
        """Path of the OMPD library of each runtime, and whether it has extensions."""
    def threads(self) -> List[Thread]:
        """All threads, by number."""
    def stats(self) -> Dict[str, int]: ...
    def reset_stats(self) -> None: ...
    def reused_stacks(self) -> int:
        """How many stacks of this stop GDB did not have to unwind, for tests."""
    def print(
        self,
        view: str,
        write: Callable[[str], object],
        *,
        json: bool = False,
        width: int = 0,
        palette: Optional[Sequence[str]] = None,
        addresses: bool = False,
        numbers: Optional[Sequence[int]] = None,
        queued: bool = False,
        by_function: bool = False,
        raw: bool = False,
        full: bool = False,
        limit: int = 0,
        scope: Optional[str] = None,
        all: bool = False,
        level: int = -1,
        thread: int = 0,
        state: Optional[str] = None,
        team: Optional[str] = None,
        signal: Optional[Signal] = None,
    ) -> None:
        """Write what a command shows. `palette`: the sequence that begins each style. `numbers`:
        GDB's, of the threads that are shown. `signal`: at which the program has stopped."""
