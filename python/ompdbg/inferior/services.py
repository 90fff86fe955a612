# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB as the debugger of one inferior: what libompdbg asks of it (gdb-plugin/bridge/), one method
for each question that only Python can ask, and what the commands ask. Names from libompdbg come as
bytes; None is the answer for what does not exist."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Type, Union

import _ompdbg
import gdb

from ompdbg.console import encoding, output
from ompdbg.frames import code_places
from ompdbg.inferior import object_files, selection
from ompdbg.inferior.stacks import Stacks
from ompdbg.text import decoded
from ompdbg.variables import evaluation

_WORD = (1 << 64) - 1
_MAX_STRING = 4096
# GDB's words for the first byte that it could not read.
_UNREADABLE = re.compile(r"Cannot access memory at address (0x[0-9a-f]+)")
_SYMBOL_AT = re.compile(r"^(?P<name>(?s:.+?))(?: \+ (?P<offset>\d+))? in section ", re.M)
# "(<thread local variable, no debug info> *) 0x7ffff7d8673c". A warning may follow at once.
_POINTER = re.compile(r"^(?:\(.*?\) )?(0x[0-9a-f]+)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.A)


class GdbServices:
    """The debugger of one inferior. It must be the selected one while it is asked."""

    errors: Tuple[Type[Exception], ...] = (gdb.error,)  # GDB's answers, for the bridge

    def __init__(self, inferior: gdb.Inferior, say: Callable[[str], None]) -> None:
        self._inferior = inferior
        self._say = say
        self._sections = object_files.FileSections()
        self._files: Optional[_ompdbg.Files] = None
        self._symbols: Dict[int, Optional[Tuple[str, int]]] = {}  # that are in no file
        self._lines: Dict[int, Tuple[Optional[str], int]] = {}
        self._mappings: Optional[Sequence[Any]] = None  # of files, at this stop
        self._stacks = Stacks()
        self._threads: Optional[Dict[int, gdb.InferiorThread]] = None
        self._pthreads: Dict[int, Optional[int]] = {}  # by number of thread
        self._direct_pid: Optional[int] = None
        self._selected: Optional[int] = None  # global number of the user's thread
        self._stopped: Optional[int] = None  # global number of the thread at a breakpoint
        self._stopped_thread: Optional[gdb.InferiorThread] = None  # that thread
        self._is_alone = False  # only of that thread anything is asked
        self.is_still = False  # no thread runs, and whatever happens to one, GDB tells
        self.shown: Any = None  # what frame_filter.py remembers
        self.places: Dict[Any, Any] = {}  # what locations.py remembers
        self.living: Dict[Any, Any] = {}  # what outer_frames.py remembers of this stop

    def begin(self) -> None:
        """Note that the user asks something, who may have changed settings of GDB before."""
        self._stacks.ask_settings()

    @property
    def stack_settings(self) -> Tuple[object, ...]:
        """Return GDB's settings that tell where stacks end."""
        return self._stacks.settings

    def select(self, thread: Optional[gdb.InferiorThread]) -> None:
        """Note the thread that the user has selected. To answer, others get selected in GDB."""
        self._selected = None if thread is None else thread.global_num

    # ---- What moved -------------------------------------------------------------------------

    def moved(self) -> None:
        """Forget what has changed: the program ran, or its memory or registers were changed."""
        self._stopped = self._stopped_thread = None
        self._is_alone = self.is_still = False
        self._threads = None
        self._direct_pid = None
        self._pthreads.clear()
        self.living.clear()
        self._mappings = None
        self._stacks.forget()
        code_places.forget()

    def stopped_at_breakpoint(self, thread: gdb.InferiorThread, is_alone: bool = False) -> None:
        """Note that GDB asks whether the thread shall stop where it is. The others run on, and GDB
        says the same of this one; memory that is not the thread's own may change. is_alone:
        nothing is asked of other threads, and the list has this one only."""
        self._stopped = thread.global_num
        self._selected = thread.global_num
        self._is_alone = is_alone
        self.is_still = False
        self._stopped_thread = thread
        self._direct_pid = 0
        self._threads = None
        self.living.clear()
        self._mappings = None
        self._stacks.forget()
        code_places.forget()

    def _is_running(self, thread: gdb.InferiorThread) -> bool:
        return thread.is_running() and thread.global_num != self._stopped

    def objects_changed(self) -> None:
        """Forget all of the files: object files came or went."""
        self.moved()
        self._sections = object_files.FileSections()
        self._files = self.shown = None
        self._symbols.clear()
        self._lines.clear()
        self.places.clear()

    # ---- Memory and the user ----------------------------------------------------------------

    def log(self, line: bytes) -> None:
        """Print a line that the OMPD library wants to say."""
        self._say(decoded(line))

    def program(self) -> str:
        """Return the path of the program."""
        return encoding.of(self._inferior.progspace, "filename") or ""

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

    def string(self, address: int) -> str:
        """Read a string in UTF-8. Raises gdb.MemoryError, or ValueError for what is none."""
        text = bytearray()
        while len(text) < _MAX_STRING:
            byte = self.memory(address + len(text), 1)
            if byte == b"\0":
                return text.decode("utf-8")
            text += byte
        raise ValueError("no string")

    def direct_pid(self) -> int:
        """Return the process if its memory can be read directly: it is local, all of it is
        stopped, and its past is not replayed. Else 0."""
        if self._direct_pid is None:
            self._direct_pid = self._find_direct_pid()
        return self._direct_pid

    def _find_direct_pid(self) -> int:
        if not self.is_still:
            if gdb.parameter("non-stop"):
                return 0
            if any(thread.is_running() for thread in self.all_threads()):
                return 0
        return self._inferior.pid if self._is_native() else 0

    def stop_time(self) -> Optional[int]:
        """Return when the process was stopped, in ns of CLOCK_MONOTONIC."""
        from ompdbg.inferior import stop_times

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
            found = [(t.num, t) for t in self._inferior.threads() if not t.is_exited()]
            self._threads = dict(sorted(found))  # no two have the same number
        return self._threads

    def _stopped_of(self, number: int) -> Optional[gdb.InferiorThread]:
        thread = self.thread_of(number)
        return None if thread is None or self._is_running(thread) else thread

    def _asked(self) -> List[gdb.InferiorThread]:
        if self._is_alone and self._stopped_thread is not None:
            return [self._stopped_thread]
        return self.all_threads()

    def threads(self) -> Tuple[str, int, bool, List[gdb.InferiorThread]]:
        """Return what begins a thread's label, the selected thread's global number or 0, whether
        some may run, and all threads."""
        prefix = f"{self._inferior.num}." if len(gdb.inferiors()) > 1 else ""
        may_run = self._stopped is None and not self.is_still
        return prefix, self._selected or 0, may_run, self._asked()

    def thread_name(self, number: int) -> str:
        """Return the name that the user or the system has for a thread."""
        from ompdbg.inferior import thread_names

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
            frame = self._stacks.of(thread).frame(0) or gdb.newest_frame()
            return int(frame.read_register(name)) & _WORD
        except (gdb.error, ValueError):
            return None

    # ---- Stacks -----------------------------------------------------------------------------

    def stack(self, number: int) -> Iterator[Optional[Tuple[int, bool, bool, bool]]]:
        """Yield of each frame of a thread the address, and whether it is a signal's, inlined, or a
        tail call; then None if GDB failed to unwind further."""
        thread = self._stopped_of(number)
        if thread is None:
            return
        stack = self._stacks.of(thread)
        for frame in stack.walk():
            kind = frame.type()
            yield (
                frame.pc(),
                kind == gdb.SIGTRAMP_FRAME,
                kind == gdb.INLINE_FRAME,
                kind == gdb.TAILCALL_FRAME,
            )
        if stack.is_cut_off:
            yield None

    def frame_of(self, number: int, level: int) -> Optional[gdb.Frame]:
        """Find GDB's frame of that level of a thread, which it selects."""
        thread = self._stopped_of(number)
        return None if thread is None else self._stacks.of(thread).frame(level)

    def frame_register(self, number: int, level: int, name: str) -> Optional[int]:
        """Return a register of a frame."""
        try:
            frame = self.frame_of(number, level)
            return None if frame is None else int(frame.read_register(name)) & _WORD
        except (gdb.error, ValueError):
            return None

    def frame_function(self, number: int, level: int) -> Optional[str]:
        """Return GDB's name for the function of a frame."""
        frame = self.frame_of(number, level)
        name: Optional[str] = None if frame is None else encoding.of(frame, "name")
        return name

    def frame_line(self, number: int, level: int) -> Optional[Tuple[Optional[str], int]]:
        """Return GDB's file and line of a frame."""
        frame = self.frame_of(number, level)
        if frame is None:
            return None
        return _line(frame.find_sal())

    def line_at(self, address: int) -> Tuple[Optional[str], int]:
        """Return GDB's file and line of an instruction."""
        if address not in self._lines:
            self._lines[address] = _line(gdb.find_pc_line(address))
        return self._lines[address]

    def arguments(self, number: int, level: int) -> List[Tuple[str, str]]:
        """Return names and values."""
        frame = self.frame_of(number, level)
        return evaluation.arguments(frame) if frame is not None else []

    def locals(self, number: int, level: int) -> List[Tuple[str, str]]:
        """Return names and values."""
        frame = self.frame_of(number, level)
        return evaluation.local_variables(frame) if frame is not None else []

    def evaluate(
        self, number: int, level: int, expression: bytes, letter: str
    ) -> Tuple[str, Optional[str], bool]:
        """Return the value of an expression in a frame, as evaluation.evaluate() has it."""
        from ompdbg.variables import evaluation

        frame = self.frame_of(number, level)
        if frame is None:
            raise gdb.error("no such frame")
        return evaluation.evaluate(frame, decoded(expression), letter)

    # ---- Names ------------------------------------------------------------------------------

    @property
    def files(self) -> _ompdbg.Files:
        """Return what tells names."""
        if self._files is not None:
            return self._files
        files = object_files.names(self._inferior, self)
        if self._inferior.pid:  # a program that is started may be put elsewhere
            self._files = files
        return files

    def mapped_file(self, address: int) -> Optional[str]:
        """Return the file that is mapped at an address, whether GDB has read it or not."""
        from ompdbg.inferior import file_problems

        if self._mappings is None:
            self._mappings = file_problems.mapped_files()
        if not self._mappings:
            raise gdb.error("unknown what is mapped")
        return next((one.path for one in self._mappings if one.start <= address < one.end), None)

    def symbol_at(self, address: int) -> Optional[Tuple[str, int]]:
        """Return name and distance of a symbol that is in no file."""
        if address not in self._symbols:
            found = _SYMBOL_AT.match(output.said(f"info symbol {address:#x}"))
            self._symbols[address] = (
                None if found is None else (found["name"], int(found["offset"] or 0))
            )
        return self._symbols[address]

    def thread_local_address(self, name: bytes, number: int) -> Optional[int]:
        """Return where a thread has a thread-local variable. Only an expression tells that; in C,
        a name alone does nothing to the program."""
        thread, symbol = self.thread_of(number), decoded(name)
        if thread is None or not _IDENTIFIER.fullmatch(symbol):
            return None
        selection.switch(thread)
        match = _POINTER.match(output.said(f"with language c -- output &{symbol}"))
        return int(match.group(1), 16) if match is not None else None


def _line(place: gdb.Symtab_and_line) -> Tuple[Optional[str], int]:
    return encoding.file(place.symtab), place.line or 0


def lwp(thread: gdb.InferiorThread) -> int:
    """Return the id of a thread in the system."""
    return int(thread.ptid[1] or thread.ptid[0])
