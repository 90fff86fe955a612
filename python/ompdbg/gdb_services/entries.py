# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the runtimes that compilers call with the code of a construct, and that code.

They are part of the interface between compilers and runtimes, and found by their names alone.
"""

from __future__ import annotations

import itertools
import linecache
import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Set

import gdb

from ompdbg import frames
from ompdbg.gdb_services import texts
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.services import Instruction

# SERIALIZED: what Clang calls where the condition of a parallel construct is false. Then its code
# calls that of the region itself.
PARALLEL, TASK, TASKLOOP, SERIALIZED = "parallel", "task", "taskloop", "serialized"
REGIONS = (PARALLEL, SERIALIZED)
_END_SERIALIZED = "<__kmpc_end_serialized_parallel"
_DEBUG_CODE = "_debug__"
_CALL = re.compile(r"callq?\s+(0x[0-9a-f]+)")
_JUMP = re.compile(r"jmpq?\s+(0x[0-9a-f]+)")
_GOES_ELSEWHERE = re.compile(r"(?:bnd |notrack )?(?:call|j|ret)")
_CALL_THROUGH_REGISTER = re.compile(r"callq?\s+\*%r\w+$")
# push %rbp; mov %rsp,%rbp, perhaps behind endbr64.
_LANDING, _MAKES_FRAME = b"\xf3\x0f\x1e\xfa", b"\x55\x48\x89\xe5"
_MAX_INSTRUCTIONS = 200
_MAX_LINES = 100_000
_POINTER_SIZE = 8


class Entry(NamedTuple):
    """A function that takes the code of a construct."""

    construct: str
    register: str  # in which the entry point of that code is passed (x86-64 System V ABI)


_FIRST, _THIRD, _SIXTH = "rdi", "rdx", "r9"
_GOMP_PARALLEL = (
    "GOMP_parallel",
    "GOMP_parallel_reductions",
    "GOMP_parallel_sections",
    "GOMP_parallel_loop_static",
    "GOMP_parallel_loop_dynamic",
    "GOMP_parallel_loop_guided",
    "GOMP_parallel_loop_runtime",
    "GOMP_parallel_loop_nonmonotonic_dynamic",
    "GOMP_parallel_loop_nonmonotonic_guided",
    "GOMP_parallel_loop_nonmonotonic_runtime",
    "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    "GOMP_teams_reg",
)
_KMP_PARALLEL = ("__kmpc_fork_call", "__kmpc_fork_call_if", "__kmpc_fork_teams")
_GOMP_TASKLOOP = ("GOMP_taskloop", "GOMP_taskloop_ull")
_NOGROUP = 1 << 11  # in the sixth argument of these
_KMP_TASK = ("__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc")

# Of LLVM's runtime: the task that was allocated is executed at once, by code that the compiler has
# put where it is made, or by a call of the one that was passed.
BEGIN_UNDEFERRED, END_UNDEFERRED = "__kmpc_omp_task_begin_if0", "__kmpc_omp_task_complete_if0"

ENTRIES: Dict[str, Entry] = {
    **{name: Entry(PARALLEL, _FIRST) for name in _GOMP_PARALLEL},
    **{name: Entry(PARALLEL, _THIRD) for name in _KMP_PARALLEL},
    "GOMP_task": Entry(TASK, _FIRST),
    **{name: Entry(TASKLOOP, _FIRST) for name in _GOMP_TASKLOOP},
    **{name: Entry(TASK, _SIXTH) for name in _KMP_TASK},
    "__kmpc_serialized_parallel": Entry(SERIALIZED, _FIRST),
}


def entry_points(services: GdbServices) -> Dict[int, Entry]:
    """The entries that the program has, by address."""
    return {
        address: entry
        for name, entry in ENTRIES.items()
        for address in services.runtime_functions(name)
    }


def code_of(services: GdbServices, entry: Entry) -> int:
    """The entry point of the code that is passed, in a thread that is at that function's begin; 0
    where it is none of its own."""
    if entry.construct != SERIALIZED:
        return _register(entry.register)
    caller = gdb.newest_frame().older()
    if caller is None or is_runtimes(services, caller.pc()):
        return 0  # the runtime calls it, too
    for instruction in _behind(services, caller.pc()):
        called = _CALL.match(instruction.text)
        target = 0 if called is None else int(called.group(1), 16)
        function = services.function_at(target) if target else None
        if function is not None and frames.is_clangs(function.symbol):
            return target
    return 0


def after(services: GdbServices, entry: Entry) -> Optional[int]:
    """Where the code goes on that encountered a region, in a thread that is at the begin of the
    function that is given the region's."""
    caller = gdb.newest_frame().older()
    if caller is None or entry.construct != SERIALIZED:
        return None if caller is None else caller.pc()
    return end_of_serialized(services, caller.pc())


def end_of_serialized(services: GdbServices, pc: int) -> Optional[int]:
    """Where code goes on that runs a region itself, after it; None if it is not in one."""
    for instruction in _behind(services, pc):
        if _END_SERIALIZED in instruction.text:
            return instruction.address + instruction.size
    return None


def _behind(services: GdbServices, pc: int) -> Iterator[Instruction]:
    """The instructions of code that runs a region itself, up to where that ends."""
    for instruction in services.instructions(pc, _MAX_INSTRUCTIONS):
        yield instruction
        if _END_SERIALIZED in instruction.text:
            break


def undeferred_task() -> int:
    """The task, in a thread that is at the begin of either of those functions."""
    return _register(_THIRD)


def code_of_task(task: int) -> int:
    """The entry point that compiled code gave the runtime for a task of its own; 0 if that is not
    there. The compiler, too, knows where that is: it follows the pointer to what is shared."""
    try:
        data = gdb.selected_inferior().read_memory(task + _POINTER_SIZE, _POINTER_SIZE)
    except gdb.MemoryError:
        return 0
    return int.from_bytes(bytes(data), "little")


def next_call(services: GdbServices, pc: int) -> int:
    """The function that code calls, if it does so before it goes anywhere else; else 0."""
    for instruction in services.instructions(pc, _MAX_INSTRUCTIONS):
        if _GOES_ELSEWHERE.match(instruction.text):
            called = _CALL.match(instruction.text)
            return 0 if called is None else int(called.group(1), 16)
    return 0


def jump_at(services: GdbServices, code: int) -> int:
    """Where a function goes on whose code is a jump; else 0. GCC makes such of code that is the
    same as another's."""
    for instruction in services.instructions(code, 2):
        jump = _JUMP.match(instruction.text)
        if jump is not None:
            target = int(jump.group(1), 16)
            return target if _start(services, target) == target else 0
        if not instruction.text.startswith("endbr"):
            break
    return 0


def waits_for_tasks() -> bool:
    """Whether the thread, which is at the begin of GOMP_taskloop(), comes back after the tasks."""
    return not _register(_SIXTH) & _NOGROUP


def _register(name: str) -> int:
    return int(gdb.newest_frame().read_register(name)) & ((1 << 64) - 1)


def body(services: GdbServices, code: int) -> List[int]:
    """Addresses at which lines of a construct's body begin; [] without debug information. The
    thread is at the begin of the function that is given the code."""
    place = gdb.find_pc_line(code)
    if place.symtab is None or not place.line:
        return []
    construct = _construct_line(services, code) or place.line
    found: List[int] = []
    same: List[int] = []
    for start in (code, *_passed_on(services, code)):
        lines = _behind_copies(services, _lines_of(services, place.symtab, start), construct)
        # What a lambda captured is read where the lambda begins, before the construct.
        inside = [e for e in lines if e.line > construct and not _is_brace(place.symtab, e.line)]
        first = min((entry.line for entry in inside), default=0)
        for entry in inside:
            # Gfortran counts what a function begins with to the body's last line.
            if entry.pc > start or (entry.line == first and not _has_prologue(start)):
                found.append(entry.pc)
        # All of it may be in one line.
        same += [entry.pc for entry in inside if entry.pc == start]
        same += [entry.pc for entry in lines if entry.line == construct and entry.pc > start]
    return found or same[:1]


def _construct_line(services: GdbServices, code: int) -> int:
    """Where the construct begins. Gfortran tells only where it is encountered, and gives its code
    the line of the first statement."""
    function = services.function_at(code)
    caller = gdb.newest_frame().older()
    told = [function.line or 0 if function is not None else 0]
    told.append(caller.find_sal().line if caller is not None else 0)
    return min((line for line in told if line), default=0)


def _lines_of(services: GdbServices, symtab: gdb.Symtab, start: int) -> "List[gdb.LineTableEntry]":
    """What the line table has of a function."""
    found = []
    for entry in itertools.islice(symtab.linetable(), _MAX_LINES):
        if entry.pc < start:
            continue
        if _start(services, entry.pc) != start:
            break
        found.append(entry)
    return found


def _behind_copies(
    services: GdbServices, lines: "List[gdb.LineTableEntry]", construct: int
) -> "List[gdb.LineTableEntry]":
    """Those from where a task has its own variables: code of Clang that is not optimized calls a
    function of its own, by a pointer, that tells where they are."""
    for instruction in services.instructions(lines[0].pc, _MAX_INSTRUCTIONS) if lines else ():
        if instruction.address > lines[-1].pc:
            break
        if not instruction.text.startswith("call"):
            continue
        at = [entry for entry in lines if entry.pc <= instruction.address]
        if _CALL_THROUGH_REGISTER.match(instruction.text) and at[-1].line <= construct:
            return [entry for entry in lines if entry.pc > instruction.address]
        break
    return lines


def _has_prologue(start: int) -> bool:
    """Whether a function first makes its frame."""
    try:
        code = bytes(gdb.selected_inferior().read_memory(start, len(_LANDING) + len(_MAKES_FRAME)))
    except gdb.MemoryError:
        return False
    if code.startswith(_LANDING):
        code = code[len(_LANDING) :]
    return code.startswith(_MAKES_FRAME)


def _is_brace(symtab: gdb.Symtab, line: int) -> bool:
    """Nothing but the begin of a block is in that line of the source."""
    source: str = texts.told(linecache.getline, texts.of(symtab, "fullname"), line)
    return source.strip() == "{"


def _passed_on(services: GdbServices, code: int) -> Set[int]:
    """The function that has the code, where Clang made another one that only calls it."""
    frame = gdb.newest_frame()
    found: Set[int] = set()
    address = code
    for _ in range(_MAX_INSTRUCTIONS):
        instruction = frame.architecture().disassemble(address)[0]
        address += int(instruction["length"])
        called = _CALL.match(instruction["asm"])
        if called is not None:
            target = int(called.group(1), 16)
            function = services.function_at(target)
            if function is not None and _DEBUG_CODE in texts.name(function):
                found.add(target)
        if _start(services, address) != code:
            break
    return found


def is_runtimes(services: GdbServices, address: int) -> bool:
    """Whether code is the runtime's own."""
    symbol = services.symbol_at(address)
    return symbol is not None and frames.is_runtime_object(symbol.object_file)


def _start(services: GdbServices, address: int) -> int:
    """Where the symbol begins that covers an address."""
    symbol = services.symbol_at(address)
    return 0 if symbol is None else address - symbol.offset
