# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of variables where GDB surely has them in the right place.

LLVM's debug information is not right everywhere in a frame. Places relative to the stack pointer
ignore the arguments that are pushed for a call. A register that functions need not preserve counts
as the variable up to the end of the call.

In the frame of an inlined function GDB itself reads the arguments of the function around it wrong:
it takes the registers of that function for those of its caller.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List

import gdb

from ompdbg.console import encoding, output
from ompdbg.frames.code_places import called, is_call, known_of_code, listed
from ompdbg.variables import compilers
from ompdbg.variables.values import address_of

# Rows of `info scope`, and what each range of code has in one with "multi-location:".
_SYMBOL = re.compile(r"^Symbol (\S+) is ", re.M)
_RANGE = re.compile(r"^  (?:Base address \S+  )?Range (0x[0-9a-f]+)-(0x[0-9a-f]+): ", re.M)
_FRAME_BASE = re.compile(r"a variable at frame base reg \$(\w+) offset ")
_BY_FRAME_BASE = re.compile(
    r"a complex DWARF expression:\s+0: DW_OP_fbreg (-?\d+)\s*(?:, length \d+)?\.?\s*"
)
_ENTRY_VALUE = re.compile(r"DW_OP_(GNU_)?entry_value\s+\d+: \S+ \[\$\w+\]")
_REGISTER = re.compile(r"\$(\w+)")
_STACK_POINTER, _FRAME_POINTER = "rsp", "rbp"
_PRESERVED = {_FRAME_POINTER, "rbx", "r12", "r13", "r14", "r15"}


class Unsure(gdb.error):
    """GDB may have the variable in a wrong place."""


def value(symbol: gdb.Symbol, handle: gdb.Frame) -> gdb.Value:
    """Return the value of a variable in a frame. Raises gdb.error; Unsure is one."""
    now = listed(handle)
    found = symbol.value(called(handle) if now is None else now.called)
    if _is_surely_right(symbol, handle) or _is_nothing(found):
        return found
    raise Unsure


def is_right(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """Check whether GDB reads the variable right in all frames at that place."""
    if symbol.needs_frame and handle.type() == gdb.INLINE_FRAME:
        return False
    return _is_surely_right(symbol, handle)


def producer(handle: gdb.Frame) -> str:
    """Return the compiler that made the code of a frame; "" if that is not known."""
    function = handle.function()
    symtab = None if function is None else function.symtab
    return encoding.told(getattr, symtab, "producer", None) or ""


def _is_nothing(found: gdb.Value) -> bool:
    try:
        return bool(found.is_optimized_out) and address_of(found) is None
    except gdb.error:
        return False


def _is_surely_right(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    if not symbol.needs_frame:
        return True
    # Variables of one name are all right, or none is.
    known, name = known_of_code(handle), encoding.name(symbol)
    if (Unsure, name) not in known:
        rows = _rows(handle).get(name) if compilers.is_llvms(producer(handle)) else []
        are_right = (_is_right_place(row, symbol, handle) for row in rows or ())
        known[Unsure, name] = rows is not None and all(are_right)
    return bool(known[Unsure, name])


def _is_right_place(row: str, symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    registers = set(_REGISTER.findall(_ENTRY_VALUE.sub("", row)))
    if _STACK_POINTER in registers or is_call(handle) and not registers <= _PRESERVED:
        return False
    return "DW_OP_fbreg" not in row or _is_by_frame_pointer(handle)


def _is_by_frame_pointer(handle: gdb.Frame) -> bool:
    """Check whether places in the frame are relative to the frame pointer. GDB describes a place
    as that if it is simple; GDB 16 leaves out the register, so that the address has to tell."""
    described = "".join(row for rows in _rows(handle).values() for row in rows)
    base = _FRAME_BASE.search(described)
    if base is not None:
        return base.group(1) == _FRAME_POINTER
    frame_pointer = int(handle.read_register(_FRAME_POINTER))
    for symbol in handle.block():
        rows = _rows(handle).get(encoding.name(symbol), [])
        offset = _BY_FRAME_BASE.fullmatch(rows[0]) if len(rows) == 1 else None
        if offset is not None:
            address = address_of(symbol.value(called(handle)))
            return address == frame_pointer + int(offset.group(1))
    return False


def _rows(handle: gdb.Frame) -> Dict[str, List[str]]:
    """Return where the variables of a frame are, as GDB describes it, by their names."""
    from ompdbg.inferior import session

    # Debug information tells it, whatever the frame.
    known, address = session.services().places, handle.pc() - is_call(handle)
    if address not in known:
        parts = _SYMBOL.split(output.execute(f"info scope *{address:#x}"))
        rows: Dict[str, List[str]] = {}
        for name, text in zip(parts[1::2], parts[2::2]):
            rows.setdefault(name, []).append(next(_at(text, address), ""))
        known[address] = rows
    found: Dict[str, List[str]] = known[address]
    return found


def _at(text: str, address: int) -> Iterator[str]:
    ranges = list(_RANGE.finditer(text))
    ends = [one.start() for one in ranges[1:]] + [len(text)]
    for one, end in zip(ranges, ends):
        if int(one.group(1), 16) <= address < int(one.group(2), 16):
            yield text[one.end() : end]
    if not ranges:
        yield text
