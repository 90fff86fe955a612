# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger whose threads, stacks and symbols are data."""

from typing import Dict, Hashable, Iterator, List, NamedTuple, Optional, Tuple, Type

import _ompd
from ompdbg.services import Frame, Function, Instruction, SymbolAt, TargetThread, Variable

GOMP = "/lib/libgomp.so.1"
LIBC = "/lib/libc.so.6"


class FakeFrame(NamedTuple):
    level: int
    pc: int
    is_call: bool = True
    is_signal: bool = False
    is_inlined: bool = False
    object_file: Optional[str] = None
    function: Optional[str] = None
    symbol: Optional[str] = None
    start: Optional[int] = None
    file: Optional[str] = None
    line: Optional[int] = None


class FakeDebugger:
    """The services, from tables that a test fills."""

    program = "/home/prog"
    errors: Tuple[Type[Exception], ...] = (LookupError,)

    def __init__(self) -> None:
        self.target_threads: List[TargetThread] = []
        self.stacks: Dict[int, List[FakeFrame]] = {}
        self.stack_keys: Dict[int, Hashable] = {}
        self.whole_stack_keys: Dict[int, Hashable] = {}
        self.register_values: Dict[Tuple[int, str], int] = {}
        self.memory: Dict[int, bytes] = {}
        self.symbols: Dict[int, SymbolAt] = {}
        self.variables: Dict[int, str] = {}
        self.functions: Dict[int, Function] = {}
        self.named: Dict[str, Function] = {}
        self.mangled: Dict[str, str] = {}
        self.walked: Dict[int, int] = {}  # how many frames of each thread were unwound

    # ---- Filling -------------------------------------------------------------------------

    def add_thread(self, number: int, *stack: FakeFrame, running: bool = False) -> None:
        selected = not self.target_threads
        self.target_threads.append(
            TargetThread(number, str(number), 100 + number, running, selected)
        )
        self.stacks[number] = [frame._replace(level=i) for i, frame in enumerate(stack)]

    def sleep(self, number: int, futex: int) -> None:
        """The thread is in a futex system call that its innermost frame made."""
        top = self.stacks[number][0]
        self.memory[top.pc - 2] = b"\x0f\x05"
        for name, value in (("orig_rax", 202), ("rsi", 0x80), ("rdi", futex)):
            self.register_values[number, name] = value

    # ---- Services ------------------------------------------------------------------------

    def thread_name(self, thread: TargetThread) -> str:
        return "prog"

    def read_memory(self, address: int, size: int) -> bytes:
        data = self.memory[address]
        if len(data) < size:
            raise LookupError(address)
        return data[:size]

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        for address, symbol in self.symbols.items():
            if symbol.name == name and symbol.offset == 0:
                return address
        return None

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        return None

    def direct_pid(self) -> int:
        return 0

    def message(self, text: str, category: int) -> None:
        raise AssertionError(text)

    def threads(self) -> List[TargetThread]:
        return self.target_threads

    def thread_ids(self, thread: TargetThread) -> List[Tuple[int, int]]:
        return [
            (_ompd.THREAD_ID_PTHREAD, 0x7F0000000000 + thread.number),
            (_ompd.THREAD_ID_LWP, thread.lwp),
        ]

    def stack(self, thread: TargetThread) -> Iterator[Frame]:
        for index, frame in enumerate(self.stacks[thread.number]):
            self.walked[thread.number] = index + 1
            yield frame

    def stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        return self.stack_keys.get(thread.number)

    def whole_stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        return self.whole_stack_keys.get(thread.number)

    def registers(self, thread: TargetThread, *names: str) -> Optional[List[int]]:
        if (thread.number, names[0]) not in self.register_values:
            return None
        return [self.register_values[thread.number, name] for name in names]

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        return self.symbols.get(address)

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        return self.variables.get(address)

    def is_in_program(self, address: int) -> bool:
        return 0x1000 <= address < 0x6000

    def object_of(self, address: int) -> Optional[str]:
        return None

    def function_at(self, address: int) -> Optional[Function]:
        return self.functions.get(address)

    def function_named(self, symbol: str) -> Optional[Function]:
        return self.named.get(symbol)

    def demangle(self, symbol: str) -> Optional[str]:
        return self.mangled.get(symbol)

    def instructions(self, address: int, count: int) -> List[Instruction]:
        return []

    def arguments(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        return [Variable("n", "3")]

    def locals(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        return []


def user(name: str, line: Optional[int], pc: int, start: int = 0) -> FakeFrame:
    """A frame of the program; without a line, of one without debug information."""
    return FakeFrame(0, pc, True, False, False, None, name, name, start or pc & ~0xFF, "x.c", line)


def gomp(pc: int, name: Optional[str] = None) -> FakeFrame:
    """A frame of the runtime, as stripped libraries have it."""
    return FakeFrame(0, pc, object_file=GOMP, function=name, symbol=name, start=pc & ~0xFF)


def libc(pc: int, name: str = "start_thread") -> FakeFrame:
    """A frame of the C library."""
    return FakeFrame(0, pc, object_file=LIBC, function=name, symbol=name)


def signal(pc: int) -> FakeFrame:
    """The frame that the kernel made to call a handler."""
    return FakeFrame(0, pc, is_signal=True, object_file=LIBC)
