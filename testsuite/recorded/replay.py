# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger without a program: the services of `ompdbg.services`, over a recorded target."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Type

import _ompd
import recording
from ompdbg.services import Frame, Function, SymbolAt, TargetThread, Variable


# Variables of the programs that are arrays of locks, and the size of a lock by compiler.
_ARRAYS = ("block_lock",)
_LOCK_SIZES = {"gcc": 4, "clang": 8}


class RecordedFrame(NamedTuple):
    """One frame, as `ompdbg.services.Frame` has it."""

    level: int
    pc: int
    is_call: bool
    is_signal: bool
    is_inlined: bool
    object_file: Optional[str]
    function: Optional[str]
    symbol: Optional[str]
    start: Optional[int]
    file: Optional[str]
    line: Optional[int]
    kept: Tuple[Tuple[str, int], ...] = ()  # registers in the frame


def _frame(fields: Dict[str, Any]) -> RecordedFrame:
    kept = tuple(sorted(fields.get("kept", {}).items()))
    return RecordedFrame(**dict(fields, kept=kept))


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
        self.program = "/recorded/" + target.program
        self.messages: List[str] = []
        self.outside: List[str] = []
        self.pages: Dict[int, bytes] = dict(target.pages)
        self.symbols = {(name, file): address for name, file, address in target.symbols}
        self._newest_gcc: Optional[int] = None
        self._mapped = target.mapped
        self._target = target
        self._threads = {thread.number: thread for thread in target.threads}
        self._symbols_at = dict(target.symbols_at)
        self._functions_at = dict(target.functions_at)
        self._functions_named = dict(target.functions_named)
        self._demangled = dict(target.demangled)

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

    # ---- For the OMPD library -----------------------------------------------------------------

    def read_memory(self, address: int, size: int) -> bytes:
        """Pages one by one: what is read ahead was not recorded."""
        if size > recording.PAGE:
            raise Unreadable("one page at a time")
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

    def direct_pid(self) -> int:
        """There is no process."""
        return 0

    def message(self, text: str, category: int) -> None:
        """Kept."""
        self.messages.append(text)

    # ---- For the model ------------------------------------------------------------------------

    def threads(self) -> List[TargetThread]:
        """All threads."""
        return [
            TargetThread(
                number=thread.number,
                label=str(thread.number),
                lwp=thread.lwp,
                running=False,
                selected=thread.selected,
            )
            for thread in self._target.threads
        ]

    def thread_name(self, thread: TargetThread) -> str:
        """As recorded."""
        name: str = self._threads[thread.number].name
        return name

    def thread_ids(self, thread: TargetThread) -> List[Tuple[int, int]]:
        """Both."""
        recorded = self._threads[thread.number]
        return [
            (_ompd.THREAD_ID_PTHREAD, recorded.pthread),
            (_ompd.THREAD_ID_LWP, recorded.lwp),
        ]

    def stack(self, thread: TargetThread) -> Iterator[Frame]:
        """The frames as they were."""
        frames: Any = map(_frame, self._threads[thread.number].frames)
        return frames

    def stack_key(self, thread: TargetThread) -> None:
        """Nothing was recorded of stacks."""

    def registers(self, thread: TargetThread, *names: str) -> Optional[List[int]]:
        """Those that were recorded."""
        recorded = self._threads[thread.number].registers
        return [recorded[name] for name in names] if set(names) <= set(recorded) else None

    def frame_registers(
        self, thread: TargetThread, frame: Any, *names: str
    ) -> Optional[List[int]]:
        """Those that were recorded."""
        kept: Dict[str, int] = dict(frame.kept)
        return [kept[name] for name in names] if set(names) <= set(kept) else None

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        """Nothing where nothing was recorded."""
        found = self._symbols_at.get(address)
        return None if found is None else SymbolAt(**found)

    def is_in_program(self, address: int) -> bool:
        """By the program's mappings."""
        return any(begin <= address < end for begin, end in self._target.program_ranges)

    def object_of(self, address: int) -> Optional[str]:
        """Not recorded."""
        return None

    def function_at(self, address: int) -> Optional[Function]:
        """Nothing where nothing was recorded."""
        found = self._functions_at.get(address)
        return None if found is None else Function(**found)

    def function_named(self, symbol: str) -> Optional[Function]:
        """Nothing where nothing was recorded."""
        found = self._functions_named.get(symbol)
        return None if found is None else Function(**found)

    def demangle(self, symbol: str) -> Optional[str]:
        """Nothing where nothing was recorded."""
        return self._demangled.get(symbol)

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """Types were not recorded: arrays are known by their symbols."""
        symbol = self.symbol_at(address)
        if symbol is None or symbol.name not in _ARRAYS:
            return None
        size = _LOCK_SIZES["clang" if self._target.variant == "clang" else "gcc"]
        return f"{symbol.name}[{symbol.offset // size}]"

    def arguments(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Not recorded."""
        return []

    def locals(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Not recorded."""
        return []
