# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB as the debugger of one inferior: what libompdbg asks of it (gdb-plugin/bridge/), one method
for each question that only Python can ask, and what the commands ask. Names from libompdbg come as
bytes; None is the answer for what does not exist."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, Union

import gdb

from ompdbg.gdb_services import frame_names, frame_variables, selection, texts
from ompdbg.gdb_services.file_sections import FileSections
from ompdbg.gdb_services.stacks import Place, StackFrame, Stacks
from ompdbg.gdb_services.structures import Structures
from ompdbg.gdb_services.symbols import Symbols, thread_local_address
from ompdbg.gdb_services.values import Function
from ompdbg.members import Type as AnyType
from ompdbg.members import member
from ompdbg.text import decoded

_WORD = (1 << 64) - 1
# GDB's words for the first byte that it could not read.
_UNREADABLE = re.compile(r"Cannot access memory at address (0x[0-9a-f]+)")
_BYTE = 8  # bits
_UNIT = 8  # bytes of the unit that holds a bit field

_Frame = Tuple[StackFrame, int, bool, bool, bool, bool, Optional[str]]


class GdbServices:
    """The debugger of one inferior. It must be the selected one while it is asked."""

    errors: Tuple[Type[Exception], ...] = (gdb.error,)  # GDB's answers

    def __init__(self, inferior: gdb.Inferior, say: Callable[[str], None]) -> None:
        self._inferior = inferior
        self._say = say
        self._symbols = Symbols(inferior.progspace)
        self._sections = FileSections()
        self._structures = Structures(self._symbols.objfiles)
        self._stacks = Stacks(self._symbols)
        self._threads: Optional[Dict[int, gdb.InferiorThread]] = None
        self._pthreads: Dict[int, Optional[int]] = {}  # by number of thread
        self._direct_pid: Optional[int] = None
        self._selected: Optional[int] = None  # global number of the user's thread
        self._stopped: Optional[int] = None  # global number of the thread at a breakpoint
        self._stopped_thread: Optional[gdb.InferiorThread] = None  # that thread
        self._is_alone = False  # only of that thread anything is asked
        self.shown: Any = None  # what decorators.py remembers
        self.moves = 0  # how often the program has moved

    def begin(self) -> None:
        """The user asks something: he may have changed settings of GDB's before."""
        self._stacks.ask_settings()

    @property
    def stack_settings(self) -> Tuple[object, ...]:
        """GDB's settings that tell where stacks end."""
        return self._stacks.settings

    def select(self, thread: Optional[gdb.InferiorThread]) -> None:
        """The thread that the user has selected. To answer, others get selected in GDB."""
        self._selected = None if thread is None else thread.global_num

    # ---- What moved -------------------------------------------------------------------------

    def moved(self) -> None:
        """The program ran, or its memory or registers were changed."""
        self._stopped = self._stopped_thread = None
        self._is_alone = False
        self.moves += 1
        self._threads = None
        self._direct_pid = None
        self._pthreads.clear()
        self._stacks.forget()

    def stopped_at_breakpoint(self, thread: gdb.InferiorThread, is_alone: bool = False) -> None:
        """GDB asks whether the thread shall stop where it is. The others run on, and GDB says the
        same of this one; what it says of other memory than the thread's own may change. is_alone:
        nothing is asked of other threads, and the list has this one only."""
        self._stopped = thread.global_num
        self._selected = thread.global_num
        self._is_alone = is_alone
        self._stopped_thread = thread
        self._direct_pid = 0
        self._threads = None
        self._stacks.forget()

    def _is_running(self, thread: gdb.InferiorThread) -> bool:
        return thread.is_running() and thread.global_num != self._stopped

    def objects_changed(self) -> None:
        """Object files came or went."""
        self.moved()
        self._symbols.forget()
        self._sections = FileSections()
        self.shown = None

    # ---- Memory and the user ----------------------------------------------------------------

    def log(self, line: bytes) -> None:
        """Print a line that the OMPD library wants to say."""
        self._say(decoded(line))

    def program(self) -> str:
        """Return the path of the program."""
        return texts.of(self._inferior.progspace, "filename") or ""

    def memory(self, address: int, size: int) -> bytes:
        """Read exactly so many bytes. Raises gdb.MemoryError."""
        if not size:
            return b""  # of which GDB 18 complains
        read = self._inferior.read_memory
        if self._sections.is_whole:
            return bytes(read(address, size))
        return b"".join(bytes(read(*piece)) for piece in self._sections.pieces(address, size))

    def read_memory(self, address: int, size: int) -> Union[bytes, int]:
        """Return the bytes, or the address of the first that cannot be read."""
        try:
            return self.memory(address, size)
        except gdb.MemoryError as error:
            found = _UNREADABLE.search(str(error))
            first = address if found is None else int(found.group(1), 16)
            return first if address <= first < address + size else address

    def direct_pid(self) -> int:
        """The process, if it is a local one, all of it is stopped, its past is not replayed, and
        no breakpoint of GDB is in its code."""
        if self._direct_pid is None:
            self._direct_pid = self._find_direct_pid()
        return self._direct_pid

    def _find_direct_pid(self) -> int:
        if gdb.parameter("non-stop") or gdb.parameter("breakpoint always-inserted"):
            return 0
        if any(thread.is_running() for thread in self.all_threads()):
            return 0
        return self._inferior.pid if self._is_native() else 0

    def stop_time(self) -> Optional[int]:
        """Return when the process was stopped, in ns of CLOCK_MONOTONIC."""
        from ompdbg.gdb_services import stop_times

        return stop_times.of(self._inferior) if self._is_native() else None

    def _is_native(self) -> bool:
        connection = self._inferior.connection
        if connection is None or connection.type != "native":
            return False
        return gdb.current_recording() is None

    # ---- Threads ----------------------------------------------------------------------------

    def all_threads(self) -> List[gdb.InferiorThread]:
        """List GDB's threads, by number."""
        return list(self._by_number().values())

    def thread_of(self, number: int) -> Optional[gdb.InferiorThread]:
        """Find GDB's thread with a number."""
        alone = self._stopped_thread  # all of them are many
        if alone is not None and alone.num == number:
            return alone
        return self._by_number().get(number)

    def _by_number(self) -> Dict[int, gdb.InferiorThread]:
        if self._threads is None:
            found = [t for t in self._inferior.threads() if t.is_valid() and not t.is_exited()]
            self._threads = {t.num: t for t in sorted(found, key=lambda thread: thread.num)}
        return self._threads

    def _stopped_of(self, number: int) -> Optional[gdb.InferiorThread]:
        thread = self.thread_of(number)
        return None if thread is None or self._is_running(thread) else thread

    def _asked(self) -> List[gdb.InferiorThread]:
        if self._is_alone and self._stopped_thread is not None:
            return [self._stopped_thread]
        return self.all_threads()

    def threads(self) -> List[Tuple[int, str, int, bool]]:
        """Return number, label, LWP and whether it runs, of all threads."""
        several, known = len(gdb.inferiors()) > 1, self._stopped is not None
        return [
            (
                one.num,
                f"{self._inferior.num}.{one.num}" if several else str(one.num),
                lwp(one),
                not known and one.is_running(),
            )
            for one in self._asked()
        ]

    def thread_name(self, number: int) -> str:
        """Return the name that the user or the system has for a thread."""
        from ompdbg.gdb_services import thread_names

        thread = self.thread_of(number)
        return thread_names.system_name(thread) if thread is not None else ""

    def selected(self) -> int:
        """Return the number of the thread that the user has selected, or 0."""
        return next((one.num for one in self._asked() if one.global_num == self._selected), 0)

    def pthread(self, number: int) -> Optional[int]:
        """Return the pthread_t of a thread: what GDB's thread library says, else the thread
        pointer, which on x86-64 with glibc is the pthread_t."""
        if number not in self._pthreads:
            thread = self.thread_of(number)
            self._pthreads[number] = None if thread is None else self._find_pthread(thread)
        return self._pthreads[number]

    def _find_pthread(self, thread: gdb.InferiorThread) -> Optional[int]:
        try:
            return int.from_bytes(thread.handle(), "little") or None
        except (gdb.error, RuntimeError):
            return self.register(thread.num, "fs_base") or None  # no library for this program

    def register(self, number: int, name: str) -> Optional[int]:
        """Return a register of a thread's innermost frame."""
        thread = self._stopped_of(number)
        try:
            if thread is None:
                return None
            frame = self._stacks.of(thread).handle(0) or gdb.newest_frame()
            return int(frame.read_register(name)) & _WORD
        except (gdb.error, ValueError):
            return None

    # ---- Stacks -----------------------------------------------------------------------------

    def stack(self, number: int) -> Iterator[_Frame]:
        """Yield the frames of a thread, and what tells one from another."""
        thread = self._stopped_of(number)
        for one in self._stacks.of(thread).walk() if thread is not None else ():
            is_tail_call = one.type == gdb.TAILCALL_FRAME
            kind = one.is_call, one.is_signal, one.is_inlined, is_tail_call
            yield (one, one.pc, *kind, one.object_file)

    def frame_of(self, number: int, level: int) -> Optional[gdb.Frame]:
        """Find GDB's frame of that level of a thread, which it selects."""
        thread = self._stopped_of(number)
        return None if thread is None else self._stacks.of(thread).handle(level)

    def is_plain(self, pc: int) -> bool:
        """Check that no inlined function begins at an address."""
        return not self._symbols.begins_inlined(pc)

    def frame_register(self, number: int, frame: StackFrame, name: str) -> Optional[int]:
        """Return a register of a frame."""
        try:
            handle = self.frame_of(number, frame.level)
            return None if handle is None else int(handle.read_register(name)) & _WORD
        except (gdb.error, ValueError):
            return None

    def place(self, frame: StackFrame) -> Optional[Place]:
        """Return what is at the place of a frame."""
        return frame.place

    def arguments(self, number: int, frame: StackFrame) -> List[Tuple[str, str]]:
        """Return names and values."""
        handle = self.frame_of(number, frame.level)
        return frame_variables.arguments(handle) if handle is not None else []

    def locals(self, number: int, frame: StackFrame) -> List[Tuple[str, str]]:
        """Return names and values."""
        handle = self.frame_of(number, frame.level)
        return frame_variables.local_variables(handle) if handle is not None else []

    def frame_name(self, number: int, frame: StackFrame, address: int) -> Optional[str]:
        """Return what a frame knows an address by."""
        handle = self.frame_of(number, frame.level)
        return None if handle is None else frame_names.find(handle, address)

    # ---- Names ------------------------------------------------------------------------------

    @property
    def places(self) -> Dict[Any, Any]:
        """What placed.py remembers."""
        return self._symbols.places

    def object_at(self, address: int) -> Optional[Tuple[str, Optional[str], bool]]:
        """Return path, path on this machine, and whether it is the program."""
        path, is_program = self._symbols.object_of(address), False
        if path is None and self._symbols.is_in_program(address):
            path, is_program = self.program(), True
        return None if path is None else (path, self._symbols.opened(path), is_program)

    def symbol_address(
        self, name: Union[bytes, str], file_name: Optional[bytes] = None, number: int = 0
    ) -> Optional[int]:
        """Return the address of a symbol; of a thread-local one in the thread with a number."""
        symbol = name if isinstance(name, str) else decoded(name)
        found = self._symbols.address(symbol, None if file_name is None else decoded(file_name))
        thread = self.thread_of(number) if found is None and number else None
        if thread is not None:
            selection.switch(thread)
            found = thread_local_address(symbol)
        return found

    def runtime_functions(self, name: str) -> List[int]:
        """List addresses of a function in each OpenMP runtime of the program."""
        return self._symbols.in_runtimes(name)

    def symbol_at(self, address: int) -> Optional[Tuple[str, int, Optional[str]]]:
        """Return name, distance, and path of the shared object."""
        return self._symbols.at(address)

    def function_at(self, address: int) -> Optional[Place]:
        """Return the function that covers an address."""
        return _place(self._symbols.function_at(address))

    def code_place(self, address: int) -> Optional[Place]:
        """Return the innermost function at an address, and the source line there."""
        return _place(self._symbols.code_place(address))

    def function_named(self, symbol: bytes) -> Optional[Place]:
        """Return the function with a linkage name."""
        return _place(self._symbols.function_named(decoded(symbol)))

    def variable_at(self, address: int, is_lock: bool, near: int) -> Optional[str]:
        """Return the name of what begins at an address."""
        return self._symbols.variable_at(address, is_lock, near or None)

    def layout(
        self, structure: bytes, field: Optional[bytes], file_name: Optional[bytes]
    ) -> Optional[Tuple[int, int, int, int]]:
        """Return offset, size, and the bits of a bit field."""
        file = None if file_name is None else decoded(file_name)
        found = self._structures.find(decoded(structure), file)
        if found is None or field is None:
            return None if found is None else (0, found.size, 0, 0)
        kind: AnyType = found
        bit, bits = 0, 0
        for name in decoded(field).split("."):
            inner = None if bits else member(kind.plain(), name)
            if inner is None:
                return None
            kind, bit, bits = inner.kind, bit + inner.bit, inner.bits
        return (0, _UNIT, bit, bits) if bits else (bit // _BYTE, kind.size, 0, 0)


def lwp(thread: gdb.InferiorThread) -> int:
    """Return the id of a thread in the system."""
    return int(thread.ptid[1] or thread.ptid[0])


def _place(found: Optional[Function]) -> Optional[Place]:
    if found is None:
        return None
    return found.name, found.symbol, found.start, found.file, found.line or 0
