# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB as the debugger of one inferior."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, Iterator, List, Optional, Tuple, Type

import gdb

from ompdbg.gdb_services import frame_variables, selection, texts
from ompdbg.gdb_services import stacks as gdb_stacks
from ompdbg.gdb_services.file_sections import FileSections
from ompdbg.gdb_services.stack_frame import StackFrame
from ompdbg.gdb_services.structures import Structures
from ompdbg.gdb_services.symbols import Symbols, thread_local_address
from ompdbg.gdb_services.types import GdbType
from ompdbg.gdb_services.values import Function, SymbolAt, TargetThread, Variable

_WORD = (1 << 64) - 1


class GdbServices:
    """The debugger of one inferior. It must be the selected one while it is asked."""

    errors: Tuple[Type[Exception], ...] = (gdb.error,)

    def __init__(self, inferior: gdb.Inferior, say: Callable[[str], None]) -> None:
        self._inferior = inferior
        self._say = say
        self._symbols = Symbols(inferior.progspace)
        self._sections = FileSections()
        self._structures = Structures(self._symbols.objfiles)
        self._stacks = gdb_stacks.Stacks(self._symbols)
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

    @property
    def program(self) -> str:
        """Path of the program."""
        return texts.of(self._inferior.progspace, "filename") or ""

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
        self._stacks.forget_code()
        self.shown = None

    # ---- For the OMPD library ---------------------------------------------------------------

    def read_memory(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes."""
        if not size:
            return b""  # of which GDB 18 complains
        read = self._inferior.read_memory
        if self._sections.is_whole:
            return bytes(read(address, size))
        return b"".join(bytes(read(*piece)) for piece in self._sections.pieces(address, size))

    def symbol_address(
        self, name: str, file_name: Optional[str] = None, number: Optional[int] = None
    ) -> Optional[int]:
        """Address of a symbol; of a thread-local one in the thread with a number."""
        found = self._symbols.address(name, file_name)
        handle = None if found is not None or number is None else self.thread_of(number)
        if handle is not None:
            selection.switch(handle)
            found = thread_local_address(name)
        return found

    def structure(self, name: str, file_name: Optional[str]) -> Optional[GdbType]:
        """A structure; of the program and its OpenMP runtimes, if no file is named."""
        return self._structures.find(name, file_name)

    def direct_pid(self) -> int:
        """The process, if it is a local one, all of it is stopped, its past is not replayed, and
        no breakpoint of GDB is in its code."""
        if self._direct_pid is None:
            self._direct_pid = self._find_direct_pid()
        return self._direct_pid

    def _find_direct_pid(self) -> int:
        if gdb.parameter("non-stop") or gdb.parameter("breakpoint always-inserted"):
            return 0
        if any(thread.is_running() for thread in self._all_threads().values()):
            return 0
        return self._inferior.pid if self._is_native() else 0

    def _is_native(self) -> bool:
        connection = self._inferior.connection
        if connection is None or connection.type != "native":
            return False
        return gdb.current_recording() is None

    def message(self, text: str) -> None:
        """A line that the OMPD library wants to say."""
        self._say(text)

    # ---- Threads ----------------------------------------------------------------------------

    def _all_threads(self) -> Dict[int, gdb.InferiorThread]:
        if self._threads is None:
            found = [t for t in self._inferior.threads() if t.is_valid() and not t.is_exited()]
            self._threads = {t.num: t for t in sorted(found, key=lambda thread: thread.num)}
        return self._threads

    def threads(self) -> List[TargetThread]:
        """All threads of the inferior, by number."""
        several = len(gdb.inferiors()) > 1
        if self._is_alone and self._stopped_thread is not None:
            return [self._target(self._stopped_thread, several)]
        return [self._target(thread, several) for thread in self._all_threads().values()]

    def selected_number(self) -> int:
        """The number of the thread that the user has selected, or 0."""
        alone = self._stopped_thread if self._is_alone else None
        for thread in self._all_threads().values() if alone is None else [alone]:
            if thread.global_num == self._selected:
                return thread.num
        return 0

    def thread_of(self, number: int) -> Optional[gdb.InferiorThread]:
        """GDB's thread with a number."""
        return self._all_threads().get(number)

    def _target(self, thread: gdb.InferiorThread, several: bool) -> TargetThread:
        return TargetThread(
            number=thread.num,
            label=f"{self._inferior.num}.{thread.num}" if several else str(thread.num),
            lwp=thread.ptid[1] or thread.ptid[0],
            running=self._stopped is None and thread.is_running(),
            selected=thread.global_num == self._selected,
        )

    def thread_name(self, thread: TargetThread) -> str:
        """The user's name for it, else what the system calls it."""
        handle = self._all_threads().get(thread.number)
        from ompdbg.gdb_services import thread_names

        return thread_names.system_name(handle) if handle is not None else ""

    def pthread(self, number: int) -> Optional[int]:
        """The pthread_t of a thread."""
        handle = self._stopped_thread  # all of them are many
        if handle is None or handle.num != number:
            handle = self.thread_of(number)
        return None if handle is None else self._pthread(handle)

    def _pthread(self, thread: gdb.InferiorThread) -> Optional[int]:
        """What GDB's thread library says, else the thread pointer, which on x86-64 with glibc is
        the pthread_t."""
        if thread.num not in self._pthreads:
            self._pthreads[thread.num] = self._find_pthread(thread)
        return self._pthreads[thread.num]

    def _find_pthread(self, thread: gdb.InferiorThread) -> Optional[int]:
        try:
            return int.from_bytes(thread.handle(), "little") or None
        except (gdb.error, RuntimeError):
            pass  # no thread library for this program
        values = None if self._is_running(thread) else self._registers(thread, "fs_base")
        return (values[0] or None) if values is not None else None

    # ---- Stacks -----------------------------------------------------------------------------

    def stack(self, thread: TargetThread) -> Iterator[StackFrame]:
        """Frames of a stopped thread, innermost first."""
        handle = self._all_threads().get(thread.number)
        if handle is None or self._is_running(handle):
            return iter(())
        return self._stacks.walk(handle)

    def registers(self, thread: TargetThread, *names: str) -> Optional[List[int]]:
        """Registers in the innermost frame of a stopped thread."""
        handle = self._all_threads().get(thread.number)
        if handle is None or self._is_running(handle):
            return None
        return self._registers(handle, *names)

    def _registers(self, thread: gdb.InferiorThread, *names: str) -> Optional[List[int]]:
        try:
            frame = self._stacks.handle(thread, 0) or gdb.newest_frame()
            return [int(frame.read_register(name)) & _WORD for name in names]
        except (gdb.error, ValueError):
            return None

    def frame_registers(self, number: int, level: int, *names: str) -> Optional[List[int]]:
        """Registers in any frame of a stopped thread."""
        try:
            handle = self.frame_of(number, level)
            if handle is None:
                return None
            return [int(handle.read_register(name)) & _WORD for name in names]
        except (gdb.error, ValueError):
            return None

    def arguments(self, number: int, level: int) -> List[Variable]:
        """Arguments of a frame's function."""
        handle = self.frame_of(number, level)
        return frame_variables.arguments(handle) if handle is not None else []

    def locals(self, number: int, level: int) -> List[Variable]:
        """Local variables of a frame."""
        handle = self.frame_of(number, level)
        return frame_variables.local_variables(handle) if handle is not None else []

    def frame_of(self, number: int, level: int) -> Optional[gdb.Frame]:
        """GDB's frame of that level of a thread, which it selects."""
        owner = self._all_threads().get(number)
        if owner is None or self._is_running(owner):
            return None
        return self._stacks.handle(owner, level)

    # ---- Symbols ----------------------------------------------------------------------------

    @property
    def places(self) -> Dict[Hashable, Any]:
        """What placed.py remembers."""
        return self._symbols.places

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        """The symbol that covers an address."""
        return self._symbols.at(address)

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """The variable, or what is within it, that begins at an address."""
        return self._symbols.variable_at(address, lock, near)

    def is_in_program(self, address: int) -> bool:
        """The address is in a section of the program itself."""
        return self._symbols.is_in_program(address)

    def object_of(self, address: int) -> Optional[str]:
        """Path of the shared object that has an address."""
        return self._symbols.object_of(address)

    def is_inlined(self, address: int) -> bool:
        """The innermost function there is one that was inlined into another."""
        return self._symbols.is_inlined(address)

    def opened(self, path: str) -> Optional[str]:
        """The file that GDB reads for what the program has loaded from a path."""
        return self._symbols.opened(path)

    def function_at(self, address: int) -> Optional[Function]:
        """The function that covers an address."""
        return self._symbols.function_at(address)

    def function_named(self, symbol: str) -> Optional[Function]:
        """The function with that linkage name."""
        return self._symbols.function_named(symbol)

    def runtime_functions(self, name: str) -> List[int]:
        """Addresses of a function in each OpenMP runtime of the program."""
        return self._symbols.in_runtimes(name)
