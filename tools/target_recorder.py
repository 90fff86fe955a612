# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a fixture program that is in its state: libompdbg prints all that it knows of it, over
the services of libtarget, and each page of memory and each name that it asks for is kept.

Structures are those of include/ompdbg/services.h, ompdbg.h and error.h.
"""

import ctypes
import os
import re
import subprocess
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_int, c_int64, c_size_t
from ctypes import c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import recording

PAGE = recording.PAGE
PAUSE = 34  # the system call in which the thread stays that has brought the state about
REGISTERS = (
    "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip orig_rax fs_base".split()
)
KEPT = "rbx rbp rsp r12 r13 r14 r15".split()
MAX_FRAMES = 200
VIEWS = 11  # OMPDBG_VIEW_THREADS to OMPDBG_VIEW_ENVIRONMENT
ENVIRONMENT_BYTES = 2 * PAGE
ENTRY_POINT = re.compile(r"\b(?:omp_|GOMP_|__kmpc_)\w+")


def structure(**members: Any) -> Any:
    """A structure with these members."""
    return type("Structure", (ctypes.Structure,), {"_fields_": list(members.items())})


def fields(one: Any) -> Dict[str, Any]:
    """The members of a structure as the recording has them: texts, and files without folders."""
    found = {name: getattr(one, name) for name, *_ in one._fields_}
    for name, value in found.items():
        if isinstance(value, bytes):
            found[name] = text(os.path.basename(value) if "file" in name else value)
    return found


def text(name: Any) -> Any:
    """A name as text; None and numbers as they are."""
    return name.decode() if isinstance(name, bytes) else name


Error = structure(code=c_int, message=c_char_p, address=c_uint64)
Thread = structure(
    number=c_int, label=c_char_p, name=c_char_p, lwp=c_int64, running=c_bool, selected=c_bool
)
Registers = structure(known=c_uint32, values=c_uint64 * len(REGISTERS))
Frame = structure(
    level=c_int,
    pc=c_uint64,
    is_call=c_bool,
    is_signal=c_bool,
    is_inlined=c_bool,
    is_tail_call=c_bool,
    object_file=c_char_p,
    cookie=c_uint64,
)
Function = structure(name=c_char_p, symbol=c_char_p, start=c_uint64, file=c_char_p, line=c_int)
Symbol = structure(name=c_char_p, offset=c_uint64, object_file=c_char_p)
Form = structure(is_json=c_int, has_color=c_int, width=c_size_t)

# The members of the table that targets are replayed with, and what some take after the context.
MEMBERS: Dict[str, Tuple[Any, ...]] = {
    "read_memory": (c_uint64, c_void_p, c_size_t),
    "threads": (POINTER(POINTER(Thread)), POINTER(c_size_t)),
    "registers": (c_int, c_uint32, POINTER(Registers)),
    "unwind": (c_int, c_size_t, POINTER(POINTER(Frame)), POINTER(c_size_t)),
    "frame_register": (c_int, POINTER(Frame), c_int, POINTER(c_uint64)),
    "frame_place": (c_int, POINTER(Frame), POINTER(Function)),
    "variables": (),
    "program": (),
    "object_at": (),
    "symbol_address": (c_char_p, c_char_p, c_int, POINTER(c_uint64)),
    "symbol_at": (c_uint64, POINTER(Symbol)),
    "function_at": (c_uint64, POINTER(Function)),
    "function_named": (c_char_p, POINTER(Function)),
    "variable_at": (c_uint64, c_bool, c_uint64, c_void_p),
    "frame_name": (),
    "layout": (c_char_p, c_char_p, c_char_p, c_void_p),
    "newest_gcc": (),
    "interrupted": (),
    "log": (),
    "code_place": (c_uint64, POINTER(Function)),
}
# Of what came later, replayed targets tell nothing.
Table = structure(
    size=c_size_t, context=c_void_p, **{name: c_void_p for name in MEMBERS}, later=c_void_p * 32
)
WRITE = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)


class Recorder:
    """The services of libtarget for a process, remembering questions and answers."""

    def __init__(self, build: Path, pid: int, target: recording.Target) -> None:
        self._build = build
        self._target = target
        self._failure: Optional[BaseException] = None  # of a method that libompdbg called
        self._symbols: Dict[Tuple[str, Optional[str]], Optional[int]] = {}
        self._answers: Dict[str, Dict[Any, Any]] = {
            name: {} for name in ("symbol_at", "function_at", "function_named")
        }
        self._library = ctypes.CDLL(str(build / "libompdbg" / "libompdbg.so"))
        for name in ("target_attach", "program_open", "print"):
            getattr(self._library, "ompdbg_" + name).restype = c_void_p
        self._library.ompdbg_target_services.restype = POINTER(Table)
        self._opened = c_void_p()
        self._check(self._library.ompdbg_target_attach(pid, None, None, byref(self._opened)))
        self._original = self._library.ompdbg_target_services(self._opened).contents
        self.table = Table(self._original.size, self._original.context)
        self._callbacks = {name: self._callback(name) for name in MEMBERS if hasattr(self, name)}
        for name in MEMBERS:
            function = self._callbacks.get(name, getattr(self._original, name))
            setattr(self.table, name, ctypes.cast(function, c_void_p))

    def close(self) -> None:
        """Lets the program go on."""
        self._library.ompdbg_target_close(self._opened)

    def _check(self, error: Optional[int]) -> None:
        if self._failure is not None:
            raise self._failure
        if error:
            raise OSError(text(Error.from_address(error).message))

    def _absent(self) -> int:
        return ctypes.addressof(Error.in_dll(self._library, "ompdbg_error_absent"))

    def _callback(self, name: str) -> Any:
        """Has libompdbg ask the method of that name. What it raises ends the recording."""

        def call(_: Any, *arguments: Any) -> Optional[int]:
            try:
                error: Optional[int] = getattr(self, name)(*arguments)
                return error
            except BaseException as failure:
                self._failure = failure
                return self._absent()

        return CFUNCTYPE(c_void_p, c_void_p, *MEMBERS[name])(call)

    def _ask(self, name: str, *arguments: Any) -> Optional[int]:
        """Asks libtarget. Returns None or the address of an error."""
        function = CFUNCTYPE(c_void_p, c_void_p, *MEMBERS[name])(getattr(self._original, name))
        error: Optional[int] = function(self._original.context, *arguments)
        return error

    def _has(self, name: str, *arguments: Any) -> bool:
        """Asks libtarget. False if there is no answer."""
        error = self._ask(name, *arguments)
        self._library.ompdbg_error_destroy(c_void_p(error))
        return not error

    # ---- What libompdbg asks ------------------------------------------------------------------

    def read_memory(self, address: int, buffer: int, size: int) -> Optional[int]:
        """Keeps whole pages."""
        self.keep_pages(address, address + size)
        return self._ask("read_memory", address, buffer, size)

    def symbol_address(
        self, name: bytes, file: Optional[bytes], thread: int, ret: Any
    ) -> Optional[int]:
        """Keeps also what does not exist."""
        error = self._ask("symbol_address", name, file, thread, ret)
        self._symbols.setdefault((text(name), text(file)), None if error else ret[0])
        return error

    def _named(self, question: str, key: Any, ret: Any) -> Optional[int]:
        error = self._ask(question, key, ret)
        self._answers[question][text(key)] = None if error else fields(ret[0])
        return error

    def symbol_at(self, address: int, ret: Any) -> Optional[int]:
        """Keeps the symbol."""
        return self._named("symbol_at", address, ret)

    def function_at(self, address: int, ret: Any) -> Optional[int]:
        """Keeps the function."""
        return self._named("function_at", address, ret)

    code_place = function_at  # as in replayed targets

    def function_named(self, symbol: bytes, ret: Any) -> Optional[int]:
        """Keeps the function."""
        return self._named("function_named", symbol, ret)

    def variable_at(self, address: int, is_lock: bool, near: int, ret: int) -> Optional[int]:
        """Keeps the symbol, of which the name is made in replayed targets."""
        error = self.symbol_at(address, ctypes.pointer(Symbol()))
        self._library.ompdbg_error_destroy(c_void_p(error))
        return self._ask("variable_at", address, is_lock, near, ret)

    def layout(self, *_: Any) -> int:
        """Replayed targets have no debug information."""
        return self._absent()

    # ---- What is kept -------------------------------------------------------------------------

    def keep_pages(self, begin: int, end: int) -> None:
        """Keeps the pages between two addresses, as far as they can be read."""
        page = ctypes.create_string_buffer(PAGE)
        for address in range(begin - begin % PAGE, end, PAGE):
            if address not in self._target.pages and self._has("read_memory", address, page, PAGE):
                self._target.pages[address] = page.raw

    def keep_symbols(self, names: List[str], files: Tuple[Optional[str], ...]) -> None:
        """Keeps where symbols are, or that there are none."""
        for name in names:
            for file in files:
                found = c_uint64()
                asked = (name.encode(), file.encode() if file else None, 0, byref(found))
                is_there = self._has("symbol_address", *asked)
                self._symbols.setdefault((name, file), found.value if is_there else None)

    def threads_kept(self) -> List[recording.Thread]:
        """The threads, with their stacks."""
        threads, count = POINTER(Thread)(), c_size_t()
        self._check(self._ask("threads", byref(threads), byref(count)))
        return [self._thread(threads[index]) for index in range(count.value)]

    def _thread(self, thread: Any) -> recording.Thread:
        told = Registers()
        self._check(self._ask("registers", thread.number, (1 << len(REGISTERS)) - 1, byref(told)))
        registers = dict(zip(REGISTERS, told.values))
        return recording.Thread(
            number=thread.number,
            lwp=thread.lwp,
            pthread=registers["fs_base"],
            name=text(thread.name),
            selected=registers["orig_rax"] == PAUSE,
            registers=registers,
            frames=list(self._frames(thread.number)),
        )

    def _frames(self, thread: int) -> Iterator[Dict[str, Any]]:
        """The stack of a thread, without frames that left no trace there."""
        frames, count = POINTER(Frame)(), c_size_t()
        self._check(self._ask("unwind", thread, MAX_FRAMES, byref(frames), byref(count)))
        found = [one for one in frames[: count.value] if not one.is_tail_call]
        for level, frame in enumerate(found):
            place, register, kept = Function(), c_uint64(), {}
            self._has("frame_place", thread, byref(frame), byref(place))
            for name in KEPT:
                number = REGISTERS.index(name)
                if self._has("frame_register", thread, byref(frame), number, byref(register)):
                    kept[name] = register.value
            told = {**fields(frame), **fields(place), "level": level, "kept": kept}
            told["function"] = told.pop("name")
            del told["is_tail_call"], told["cookie"]
            yield told

    def print_everything(self) -> None:
        """Has libompdbg print what it knows."""
        program, form, write = c_void_p(), Form(is_json=1), WRITE(lambda *_: None)
        ompd = os.fsencode(self._build / "libompd" / "libompd.so")
        self._check(self._library.ompdbg_program_open(byref(self.table), ompd, byref(program)))
        for view in range(VIEWS):
            self._check(self._library.ompdbg_print(program, view, byref(form), write, None))
        self._library.ompdbg_program_close(program)

    def finish(self) -> None:
        """Puts the names into the target."""
        target = self._target
        target.symbols = [(*key, value) for key, value in sorted(self._symbols.items(), key=str)]
        target.symbols_at = sorted(self._answers["symbol_at"].items())
        target.functions_at = sorted(self._answers["function_at"].items())
        target.functions_named = sorted(self._answers["function_named"].items())


# ---- What libompdbg does not ask ---------------------------------------------------------------


class OmpdServices:
    """A debugger for the module _ompd (testsuite/ompd)."""

    def __init__(self, recorder: Recorder, threads: List[recording.Thread]) -> None:
        self.threads = threads
        self._recorder = recorder

    def read_memory(self, address: int, size: int) -> bytes:
        """Keeps whole pages."""
        memory = ctypes.create_string_buffer(size)
        if self._recorder.read_memory(address, ctypes.addressof(memory), size):
            raise EOFError("nothing at {:#x}".format(address))
        return memory.raw

    def symbol_address(
        self, name: str, file: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """Keeps also what does not exist."""
        found, in_file = c_uint64(), file.encode() if file else None
        asked = (name.encode(), in_file, thread or 0, ctypes.pointer(found))
        return None if self._recorder.symbol_address(*asked) else found.value

    def thread_context(self, _: int, ident: int) -> Optional[int]:
        """By pthread_t or LWP."""
        found = [one.number for one in self.threads if ident in (one.pthread, one.lwp)]
        return found[0] if found else None

    def message(self, line: str, category: int) -> None:
        """Nobody wants to know."""


def ask_ids(build: Path, services: OmpdServices) -> None:
    """Asks for threads by their LWPs, too, and for these."""
    sys.path.append(str(build / "testsuite" / "ompd"))
    import _ompd

    space = _ompd.Library(str(build / "libompd" / "libompd.so")).open(services)
    for thread in services.threads:
        for kind, ident in (
            (_ompd.THREAD_ID_PTHREAD, thread.pthread),
            (_ompd.THREAD_ID_LWP, thread.lwp),
        ):
            try:
                space.thread(kind, ident).thread_id(_ompd.THREAD_ID_LWP)
            except _ompd.Unavailable:
                pass  # it is not of OpenMP
    space.close()


# ---- The whole --------------------------------------------------------------------------------


class Mapping(NamedTuple):
    """A line of /proc/PID/maps."""

    begin: int
    end: int
    rights: str
    path: str


def mappings_of(pid: int) -> List[Mapping]:
    """The program's memory."""
    found = []
    for line in Path("/proc/{}/maps".format(pid)).read_text(encoding="utf-8").splitlines():
        words = line.split(maxsplit=5) + [""]
        begin, end = (int(word, 16) for word in words[0].split("-"))
        found.append(Mapping(begin, end, words[1], words[5]))
    return found


def of_file(mappings: List[Mapping], is_it: Callable[[str], bool]) -> List[Mapping]:
    """Where a file is, with the variables behind it."""
    found: List[Mapping] = []
    for one in mappings:
        if is_it(one.path) or (found and found[-1].end == one.begin and not one.path):
            found.append(one)
    return found


def readable(mappings: List[Mapping]) -> List[Tuple[int, int]]:
    """Where there is memory that can be read."""
    found: List[Tuple[int, int]] = []
    for one in mappings:
        if one.rights.startswith("r"):
            begin = found.pop()[0] if found and found[-1][1] == one.begin else one.begin
            found.append((begin, one.end))
    return found


def entry_points(file: str, is_shared: bool) -> List[str]:
    """The functions of OpenMP runtimes that a file has."""
    command = ["nm", "--defined-only", *(["-D"] if is_shared else []), file]
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return sorted(set(ENTRY_POINT.findall(done.stdout)))


def record(build: Path, pid: int, soname: str, target: recording.Target) -> None:
    """Records what is asked today, and for questions to come: all of libgomp, LLVM's runtime
    but for its code, which is large, the program's environment at the end of its stack, and the
    runtime's entry points."""
    mappings = mappings_of(pid)
    program = os.readlink("/proc/{}/exe".format(pid))
    name = soname.split(".")[0]
    runtime = of_file(mappings, lambda path: os.path.basename(path).startswith(name))
    target.mapped = readable(mappings)
    parts = of_file(mappings, lambda path: path == program)
    target.program_ranges = [(one.begin, one.end) for one in parts]
    recorder = Recorder(build, pid, target)
    try:
        target.threads = recorder.threads_kept()
        recorder.print_everything()
        ask_ids(build, OmpdServices(recorder, target.threads))
        for one in runtime:
            if name == "libgomp" or not one.rights.startswith("r-x"):
                recorder.keep_pages(one.begin, one.end)
        (stack_end,) = [one.end for one in mappings if one.path == "[stack]"]
        recorder.keep_pages(stack_end - ENVIRONMENT_BYTES, stack_end)
        names = entry_points(runtime[0].path if runtime else program, bool(runtime))
        recorder.keep_symbols(names, (soname, None))
        recorder.finish()
    finally:
        recorder.close()
