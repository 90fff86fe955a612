# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the runtimes that compilers call with the code of a construct, and that code.

They are part of the interface between compilers and runtimes, and found by their names alone.
"""

from __future__ import annotations

import linecache
import re
from typing import Dict, List, NamedTuple, Set

import gdb

from ompdbg.gdb_services.debugger import GdbServices

PARALLEL, TASK = "parallel", "task"
_DEBUG_CODE = "_debug__"
_CALL = re.compile(r"callq?\s+(0x[0-9a-f]+)")
_MAX_INSTRUCTIONS = 200
_MAX_LINES = 100_000


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
_GOMP_TASK = ("GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull")
_KMP_TASK = ("__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc")

ENTRIES: Dict[str, Entry] = {
    **{name: Entry(PARALLEL, _FIRST) for name in _GOMP_PARALLEL},
    **{name: Entry(PARALLEL, _THIRD) for name in _KMP_PARALLEL},
    **{name: Entry(TASK, _FIRST) for name in _GOMP_TASK},
    **{name: Entry(TASK, _SIXTH) for name in _KMP_TASK},
}


def entry_points(services: GdbServices) -> Dict[int, Entry]:
    """The entries that the program has, by address."""
    return {
        address: entry
        for name, entry in ENTRIES.items()
        for address in services.runtime_functions(name)
    }


def code_of(entry: Entry) -> int:
    """The entry point of the code that is passed, in a thread that is at that function's begin."""
    value = gdb.newest_frame().read_register(entry.register)
    return int(value) & ((1 << 64) - 1)


def body(services: GdbServices, code: int) -> List[int]:
    """Addresses at which lines of a construct's body begin; [] without debug information."""
    place = gdb.find_pc_line(code)
    if place.symtab is None or not place.line:
        return []
    entries = list(place.symtab.linetable())[:_MAX_LINES]
    found: Dict[int, None] = {}
    for start in (code, *_passed_on(services, code)):
        for entry in entries:
            if entry.pc < start:
                continue
            if _start(services, entry.pc) != start:
                break
            if entry.line not in (0, place.line) and not _is_brace(place.symtab, entry.line):
                found[entry.pc] = None
    return list(found)


def _is_brace(symtab: gdb.Symtab, line: int) -> bool:
    """Nothing but the begin of a block is in that line of the source."""
    return linecache.getline(symtab.fullname(), line).strip() == "{"


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
            if function is not None and _DEBUG_CODE in function.name:
                found.add(target)
        if _start(services, address) != code:
            break
    return found


def _start(services: GdbServices, address: int) -> int:
    """Where the symbol begins that covers an address."""
    symbol = services.symbol_at(address)
    return 0 if symbol is None else address - symbol.offset
