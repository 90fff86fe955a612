# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger without a program: what libompdbg asks of it (python/_ompdbg.pyi), over a recorded
target."""

from typing import Any, Dict, Iterator, List, Optional, Tuple, Type, Union

import recording

# Variables of the programs that are arrays of locks, and the size of a lock by compiler.
_ARRAYS = ("block_lock",)
_LOCK_SIZES = {"gcc": 4, "clang": 8}

_Place = Tuple[str, Optional[str], int, Optional[str], int]


class RecordedBridge:
    """One recorded target, as ompdbg.gdb_services.bridge.Bridge is one program."""

    errors: Tuple[Type[Exception], ...] = ()

    def __init__(self, target: recording.Target) -> None:
        self._target = target
        self._threads = {thread.number: thread for thread in target.threads}
        self._symbols = {(name, file): address for name, file, address in target.symbols}
        self._symbols_at = dict(target.symbols_at)
        self._functions_at = dict(target.functions_at)
        self._functions_named = dict(target.functions_named)

    def log(self, line: bytes) -> None:
        """Nobody wants to know."""

    def program(self) -> str:
        """Where it was."""
        return "/recorded/" + self._target.program

    def read_memory(self, address: int, size: int) -> Union[bytes, int]:
        """The bytes, or the first address that was not recorded."""
        found = b""
        while len(found) < size:
            offset = (address + len(found)) % recording.PAGE
            page = self._target.pages.get(address + len(found) - offset)
            if page is None:
                return address + len(found)
            found += page[offset : offset + size - len(found)]
        return found

    def direct_pid(self) -> int:
        """There is no process."""
        return 0

    # ---- Threads --------------------------------------------------------------------------------

    def threads(self) -> List[Tuple[int, str, int, bool]]:
        """All threads."""
        return [(one.number, str(one.number), one.lwp, False) for one in self._threads.values()]

    def thread_name(self, number: int) -> str:
        """As recorded."""
        name: str = self._threads[number].name
        return name

    def selected(self) -> int:
        """The thread that had stopped."""
        return next((one.number for one in self._threads.values() if one.selected), 0)

    def pthread(self, number: int) -> int:
        """As recorded."""
        ident: int = self._threads[number].pthread
        return ident

    def register(self, number: int, name: str) -> Optional[int]:
        """One that was recorded."""
        return self._threads[number].registers.get(name)

    # ---- Stacks ---------------------------------------------------------------------------------

    def stack(self, number: int) -> Iterator[Any]:
        """The frames as they were."""
        for frame in self._threads[number].frames:
            kind = frame["is_call"], frame["is_signal"], frame["is_inlined"]
            yield (frame, frame["pc"], *kind, False, frame["object_file"])

    def frame_register(self, number: int, frame: Dict[str, Any], name: str) -> Optional[int]:
        """One that was recorded."""
        found: Optional[int] = frame.get("kept", {}).get(name)
        return found

    def place(self, frame: Dict[str, Any]) -> Optional[Any]:
        """As it was."""
        if frame["function"] is None and frame["start"] is None and frame["file"] is None:
            return None
        file, line = frame["file"], frame["line"] or 0
        return frame["function"], frame["symbol"], frame["start"] or 0, file, line

    def arguments(self, number: int, frame: Any) -> List[Tuple[str, str]]:
        """Not recorded."""
        return []

    def locals(self, number: int, frame: Any) -> List[Tuple[str, str]]:
        """Not recorded."""
        return []

    def frame_name(self, number: int, frame: Any, address: int) -> None:
        """Not recorded."""

    # ---- Names ----------------------------------------------------------------------------------

    def object_at(self, address: int) -> Optional[Tuple[str, Optional[str], bool]]:
        """By the program's mappings, or its symbols."""
        if any(begin <= address < end for begin, end in self._target.program_ranges):
            return self.program(), None, True
        found = self._symbols_at.get(address)
        return (
            None
            if found is None or not found["object_file"]
            else (found["object_file"], None, False)
        )

    def symbol_address(self, name: bytes, file: Optional[bytes], number: int) -> Optional[int]:
        """What was asked when the target was recorded."""
        return self._symbols.get((name.decode(), None if file is None else file.decode()))

    def symbol_at(self, address: int) -> Optional[Tuple[str, int, Optional[str]]]:
        """Nothing where nothing was recorded."""
        found = self._symbols_at.get(address)
        return None if found is None else (found["name"], found["offset"], found["object_file"])

    def function_at(self, address: int) -> Optional[_Place]:
        """Nothing where nothing was recorded."""
        return _place(self._functions_at.get(address))

    def function_named(self, symbol: bytes) -> Optional[_Place]:
        """Nothing where nothing was recorded."""
        return _place(self._functions_named.get(symbol.decode()))

    def variable_at(self, address: int, is_lock: bool, near: int) -> Optional[str]:
        """Types were not recorded: arrays are known by their symbols."""
        found = self._symbols_at.get(address)
        if found is None or found["name"] not in _ARRAYS:
            return None
        size = _LOCK_SIZES["clang" if self._target.variant == "clang" else "gcc"]
        return "{}[{}]".format(found["name"], found["offset"] // size)

    def layout(self, structure: bytes, field: Optional[bytes], file: Optional[bytes]) -> None:
        """Not recorded."""


def _place(found: Optional[Dict[str, Any]]) -> Optional[_Place]:
    if found is None:
        return None
    return found["name"], found["symbol"], found["start"], found["file"], found["line"] or 0
