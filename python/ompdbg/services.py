# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model asks of a debugger.

The model knows no debugger: it works on any object with the methods of `Services`. The first five
are those that the extension `_ompd` passes on to the OMPD library.
"""

from __future__ import annotations

from typing import Hashable, Iterator, List, NamedTuple, Optional, Protocol, Tuple, Type


class TargetThread(NamedTuple):
    """A thread as the debugger sees it."""

    number: int  # the debugger's number in its inferior
    label: str  # as the debugger prints it: "3", or "2.3" with several inferiors
    lwp: int
    running: bool
    selected: bool


class SymbolAt(NamedTuple):
    """The symbol that covers an address."""

    name: str
    offset: int
    object_file: Optional[str]  # None: the program itself


class Function(NamedTuple):
    """A function of the program, found by an address in it or by its linkage name."""

    name: str  # as the debugger prints it
    symbol: str  # as the linker knows it, where that is known; else `name`
    start: int  # entry point
    file: Optional[str]
    line: Optional[int]  # of its definition; of an outlined function, of the construct


class Frame(Protocol):
    """One frame of a stack; hashable. All but `level` and `pc` may be worked out on demand."""

    @property
    def level(self) -> int:
        """The debugger's number of the frame, 0 for the innermost."""

    @property
    def pc(self) -> int:
        """Where the frame continues: the return address in a frame that called another."""

    @property
    def is_call(self) -> bool:
        """`pc` is the return address of a call (neither innermost nor interrupted)."""

    @property
    def is_signal(self) -> bool:
        """The frame that the kernel pushed to call a signal handler."""

    @property
    def is_inlined(self) -> bool:
        """The function was inlined into that of the next older frame."""

    @property
    def object_file(self) -> Optional[str]:
        """Path of the shared object of `pc`; None in the program itself."""

    @property
    def function(self) -> Optional[str]:
        """The function's name as the debugger prints it."""

    @property
    def symbol(self) -> Optional[str]:
        """The linker's name of the function where known, else `function`."""

    @property
    def start(self) -> Optional[int]:
        """Entry point of the function."""

    @property
    def file(self) -> Optional[str]:
        """Source file of `pc`."""

    @property
    def line(self) -> Optional[int]:
        """Source line of `pc`."""


class Instruction(NamedTuple):
    """A machine instruction."""

    address: int
    size: int
    text: str  # "jne 0x401136 <main+32>": where it jumps to, as a number; or nothing


class Variable(NamedTuple):
    """A variable of a frame, as the debugger prints its value."""

    name: str
    value: str


class Services(Protocol):
    """A debugger."""

    @property
    def program(self) -> str:
        """Path of the program; "" if it is not known."""

    @property
    def errors(self) -> Tuple[Type[Exception], ...]:
        """What its methods may raise when the target cannot answer."""

    def read_memory(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes; raises if one of them is unreadable."""

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """Address of a symbol, in objects of that file name only if one is given."""

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """A number for the thread with that id; None if there is no such thread."""

    def direct_pid(self) -> int:
        """Process whose memory may be read past the debugger; 0: none."""

    def message(self, text: str, category: int) -> None:
        """A line that the OMPD library wants to say."""

    def threads(self) -> List[TargetThread]:
        """All threads of the program, by number."""

    def thread_name(self, thread: TargetThread) -> str:
        """What the thread is called; "" if it has no name."""

    def thread_ids(self, thread: TargetThread) -> List[Tuple[int, int]]:
        """(kind, id) by which the OMPD library may know the thread, best first."""

    def stack(self, thread: TargetThread) -> Iterator[Frame]:
        """Frames of a stopped thread, innermost first, unwound only as far as they are asked
        for. Ends where the debugger cannot unwind further."""

    def stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        """Threads with equal keys have equal stacks, down to the first frame of code that is
        neither a runtime's nor the system's. None: that is not known without unwinding."""

    def whole_stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        """Threads with equal keys have equal stacks down to the end. None as above."""

    def registers(self, thread: TargetThread, *names: str) -> Optional[List[int]]:
        """Registers in the innermost frame of a stopped thread; None if one cannot be had."""

    def frame_registers(
        self, thread: TargetThread, frame: Frame, *names: str
    ) -> Optional[List[int]]:
        """Registers that functions leave unchanged, as they are in a frame of its stack."""

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        """The symbol that covers an address."""

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """The variable, or its element or member, that begins at an address, as its language
        writes it: `locks[3]`. None where its type is not known. `lock`: it is a lock, else it
        is the outermost that begins there. `near`: code that may see it."""

    def is_in_program(self, address: int) -> bool:
        """The address is of code or data in the program's own file."""

    def object_of(self, address: int) -> Optional[str]:
        """Path of the shared object that has an address; None for any other."""

    def function_at(self, address: int) -> Optional[Function]:
        """The function that covers an address."""

    def function_named(self, symbol: str) -> Optional[Function]:
        """The function with that linkage name in the program or a library."""

    def demangle(self, symbol: str) -> Optional[str]:
        """The C++ name of a mangled one."""

    def instructions(self, address: int, count: int) -> List[Instruction]:
        """The instructions from there on, as they lie in memory; [] without a disassembler, or
        if the code cannot be read. Only what is inferred from code needs them."""

    def landing_pad(self, address: int) -> int:
        """Where code goes on when the function that is called there throws: an address, or 0 if
        nowhere in the function that calls. Raises landing_pads.Unknown."""

    def arguments(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Arguments of the frame's function; [] without debug information."""

    def locals(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Local variables at the frame's place, innermost block first."""
