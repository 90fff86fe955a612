# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A core file or a stopped process as the debugger of the model: `ompdbg.services.Services`."""

from __future__ import annotations

import os
import sys

from typing import TYPE_CHECKING, Dict, Hashable, Iterator, List, Optional, Tuple, Type

import _ompd
import _target

from ompdbg import demangle
from ompdbg.lazy import cached_property
from ompdbg.layout_variables import ENTRY_OF_LIBGOMP, ONLY_DEBUG_INFO, LayoutVariables
from ompdbg.services import Frame, Function, Instruction, SymbolAt, TargetThread, Variable
from ompdbg.target_services.code import Code
from ompdbg.target_services.objects import Objects
from ompdbg.target_services.stacks import KEPT, StackFrame, Stacks
from ompdbg.target_services.symbols import Symbols
from ompdbg.target_services.variables import Variables
from ompdbg.text import visible

if TYPE_CHECKING:
    from ompdbg.target_services.frame_variables import FrameVariables

# Registers as the kernel orders them (struct user_regs_struct of x86-64).
_REGISTERS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
    " fs_base gs_base ds es fs gs"
).split()
_REGISTER = {name: index for index, name in enumerate(_REGISTERS)}
_THREAD_POINTER = "fs_base"
_DEBUG = "OMPDBG_DEBUG"  # of the environment: what the OMPD library says is printed


class Unreadable(Exception):
    """Memory that cannot be had."""


class TargetServices:
    """The debugger of one target. Nothing of it changes: a process is stopped, or was copied."""

    errors: Tuple[Type[Exception], ...] = (Unreadable, _target.Error)

    def __init__(self, target: "_target.Target", pid: int, is_detailed: bool = False) -> None:
        """`pid`: the process, 0 for a core file. `is_detailed`: frames of the system's libraries
        are told by debug information, which takes long."""
        self._target = target
        self._pid = pid
        self.objects = Objects(target)
        self._symbols = Symbols(target, self.objects, is_detailed)
        self._variables = Variables(
            target,
            self.objects,
            self._symbols.units,
            lambda name: self._symbols.address(name, None),
        )
        self._layout = LayoutVariables(self._variables.structure, self._libgomps_file)
        self._code = Code(target, self._symbols)
        self._stacks = Stacks(target, self._symbols, self.objects)
        self._lwps = self._ordered(target.threads())
        self._registers: Dict[int, Optional[List[int]]] = {}

    def _ordered(self, lwps: List[int]) -> List[Tuple[int, int]]:
        """(LWP, index in the target): of a process, the oldest thread first."""
        found = [(lwp, index) for index, lwp in enumerate(lwps)]
        return sorted(found) if self._pid else found

    @property
    def program(self) -> str:
        """Path of the program."""
        index = self.objects.program
        return "" if index is None else self.objects.files[index].path

    def has_memory(self) -> bool:
        """The stack of a thread can be read: a core file may hold nothing but registers."""
        for thread in self.threads():
            top = self.registers(thread, "rsp")
            if top and self._target.read(top[0], 1):
                return True
        return False

    # ---- For the OMPD library ---------------------------------------------------------------

    def read_memory(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes."""
        found = self._layout.read(address, size) or self._target.read(address, size)
        if len(found) != size:
            raise Unreadable(f"memory at {address + len(found):#x} cannot be read")
        return found

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        """Address of a symbol, or of what debug information knows by that name; a thread-local
        one has none."""
        found = None
        if not name.startswith(ONLY_DEBUG_INFO):
            found = self._symbols.address(name, file_name)
        return self._layout.address(name, file_name) if found is None else found

    def _libgomps_file(self) -> Optional[str]:
        address = self._symbols.address(ENTRY_OF_LIBGOMP, None)
        index = None if address is None else self.objects.index_at(address)
        return None if index is None else self.objects.files[index].opened

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """The number of the thread with that id."""
        for thread in self.threads():
            if (kind, ident) in self.thread_ids(thread):
                return thread.number
        return None

    def direct_pid(self) -> int:
        """A thread of the process, if its memory was not copied; 0 for a core file."""
        return self._target.direct_pid()

    def message(self, text: str, category: int) -> None:
        """A line that the OMPD library wants to say."""
        if os.environ.get(_DEBUG):
            print(f"[ompd] {visible(text.rstrip())}", file=sys.stderr)

    # ---- Threads ----------------------------------------------------------------------------

    def threads(self) -> List[TargetThread]:
        """All threads by number. The first is the one that ended a core file's program."""
        return [
            TargetThread(number, str(number), lwp, False, number == 1)
            for number, (lwp, _) in enumerate(self._lwps, 1)
        ]

    def thread_name(self, thread: TargetThread) -> str:
        """What the system calls it; a core file does not tell."""
        return self._target.thread_name(self._index(thread))

    def thread_ids(self, thread: TargetThread) -> List[Tuple[int, int]]:
        """The pthread_t, which with glibc is the thread pointer, and the LWP."""
        ids = [(_ompd.THREAD_ID_LWP, thread.lwp)]
        values = self.registers(thread, _THREAD_POINTER)
        if values and values[0]:
            ids.insert(0, (_ompd.THREAD_ID_PTHREAD, values[0]))
        return ids

    def _index(self, thread: TargetThread) -> int:
        return self._lwps[thread.number - 1][1]

    # ---- Stacks -----------------------------------------------------------------------------

    def stack(self, thread: TargetThread) -> Iterator[Frame]:
        """Frames of a thread, innermost first."""
        return self._stacks.walk(self._index(thread))

    def stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        """No two stacks are told to be alike."""
        return None

    def whole_stack_key(self, thread: TargetThread) -> Optional[Hashable]:
        """The same."""
        return None

    def registers(self, thread: TargetThread, *names: str) -> Optional[List[int]]:
        """Registers in the innermost frame of a thread."""
        index = self._index(thread)
        if index not in self._registers:
            self._registers[index] = self._target.registers(index)
        values = self._registers[index]
        if values is None or any(name not in _REGISTER for name in names):
            return None
        return [values[_REGISTER[name]] for name in names]

    def frame_registers(
        self, thread: TargetThread, frame: Frame, *names: str
    ) -> Optional[List[int]]:
        """Registers that functions leave unchanged, as they are in a frame."""
        if not isinstance(frame, StackFrame) or any(name not in KEPT for name in names):
            return None
        values = [frame.kept[KEPT.index(name)] for name in names]
        found = [value for value in values if value is not None]
        return found if len(found) == len(names) else None

    def instructions(self, address: int, count: int) -> List[Instruction]:
        """Of an instruction that does not jump the text is empty."""
        return self._code.instructions(address, count)

    def landing_pad(self, address: int) -> int:
        """Where exceptions go on."""
        return self._symbols.landing_pads.of(address)

    def arguments(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Arguments of a frame's function."""
        if not isinstance(frame, StackFrame):
            return []
        return self._frame_variables.arguments(self._index(thread), frame)

    def locals(self, thread: TargetThread, frame: Frame) -> List[Variable]:
        """Local variables of a frame."""
        if not isinstance(frame, StackFrame):
            return []
        return self._frame_variables.locals(self._index(thread), frame)

    @cached_property
    def _frame_variables(self) -> "FrameVariables":
        """Not needed for most of what is asked."""
        from ompdbg.target_services.frame_context import registers_of
        from ompdbg.target_services.frame_variables import FrameVariables

        return FrameVariables(
            self._target,
            self._symbols,
            self._stacks,
            lambda thread: registers_of(
                self._target.registers(thread), _REGISTERS, self._target.vectors(thread)
            ),
            self._thread_local,
        )

    def _thread_local(self, thread: int, code: int, offset: int) -> Optional[int]:
        """Address of a thread-local variable of the object that has the code."""
        index = self.objects.index_at(code)
        if index is None:
            return None
        link_map = self.objects.link_map(index)
        if not link_map and index != self.objects.program:
            return None
        return self._target.thread_local(thread, link_map, offset)

    # ---- Symbols ----------------------------------------------------------------------------

    def symbol_at(self, address: int) -> Optional[SymbolAt]:
        """The symbol that covers an address."""
        return self._symbols.at(address)

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """The variable, or what is within it, that begins at an address."""
        return self._variables.name_at(address, lock, near)

    def is_in_program(self, address: int) -> bool:
        """The address is of code or data in the program's own file."""
        return self.objects.is_in_program(address)

    def object_of(self, address: int) -> Optional[str]:
        """Path of the shared object that has an address."""
        return self.objects.object_of(address)

    def function_at(self, address: int) -> Optional[Function]:
        """The function that covers an address."""
        return self._symbols.function_at(address)

    def function_named(self, symbol: str) -> Optional[Function]:
        """The function with that linkage name."""
        return self._symbols.function_named(symbol)

    def demangle(self, symbol: str) -> Optional[str]:
        """The C++ name of a mangled one."""
        return demangle.demangle(symbol)
