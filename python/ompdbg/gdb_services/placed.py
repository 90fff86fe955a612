# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables that LLVM's debug information, as GDB reads it, has in the wrong place: in a frame
that waits in a call.

Places relative to the stack pointer are told as of before the arguments of the call were pushed.
And a register that functions need not keep counts as the variable up to the end of the call.

In the frame of an inlined function GDB itself has what the function around it was called with
wrong: it takes the registers of that function for those of its caller.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple, Optional

import gdb

from ompdbg import producers
from ompdbg.gdb_services import quiet, selection, texts
from ompdbg.gdb_services.addresses import address_of

# Of `info address`: "multi-location:", and what each range of code has.
_RANGE = re.compile(r"^  (?:Base address \S+  )?Range (0x[0-9a-f]+)-(0x[0-9a-f]+): ", re.M)
_LENGTH = re.compile(r"\s*(, length \d+)?\.?\s*$")
_IS_SIMPLE = re.compile(
    r"a variable at frame base reg \$rsp offset [-+\d]+"
    r"|a complex DWARF expression:\s+0: DW_OP_breg7 -?\d+ \[\$rsp\]"
)
_BY_FRAME_BASE = re.compile(r"a complex DWARF expression:\s+0: DW_OP_fbreg (-?\d+)")
_IS_BY_STACK = re.compile(r"\$rsp\b|DW_OP_fbreg\b")
_IS_LOST = re.compile(r"\$(r([acd]x|[sd]i|8|9|1[01])|[xyz]mm\d+|k\d|st\d)\b")
_ENTRY_VALUE = re.compile(r"DW_OP_(GNU_)?entry_value\s+\d+: \S+ \[\$\w+\]")
_SYMBOL = re.compile(r"^Symbol (\S+) is ", re.M)
_UNKNOWN = "$rsp"


class Place(NamedTuple):
    """Of a variable at a place in code."""

    moved: int = 0  # so far from where GDB has it
    problem: Optional[str] = None


_REASON = "its place is not known here"
_RIGHT = Place()


def value(symbol: gdb.Symbol, handle: gdb.Frame) -> gdb.Value:
    """The value of a variable in a frame. Raises gdb.error where its place is not known."""
    found = symbol.value(called(handle))
    place = _place(symbol, handle)
    if place is _RIGHT or _is_nothing(found):
        return found
    address = address_of(found)
    if place.problem is not None or address is None:
        raise gdb.error(place.problem or _REASON)
    return gdb.Value(address + place.moved).cast(found.type.pointer()).dereference()


def is_right(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """GDB reads it right, in all frames at that place."""
    if symbol.needs_frame and handle.type() == gdb.INLINE_FRAME:
        return False
    return _place(symbol, handle) is _RIGHT


def called(handle: gdb.Frame) -> gdb.Frame:
    """Of an inlined function, the frame of the function that it is in, which has all it has."""
    older: Optional[gdb.Frame] = handle
    while older is not None and older.type() == gdb.INLINE_FRAME:
        older = older.older()
    return older or handle


def has_other_bounds(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """An array whose length may be told as it is elsewhere."""
    kind = symbol.type
    if kind is None or kind.code != gdb.TYPE_CODE_ARRAY:
        return False
    if not producers.has_other_bounds(_producer(handle)):
        return False
    from ompdbg.gdb_services import session

    # Debug information tells it, whatever the frame. Of one of many frames it is asked once.
    known = session.services().places
    key = "bounds", handle.pc(), texts.name(symbol), symbol.line
    if key not in known:
        known[key] = _is_tracked(symbol, handle)
    return not known[key]


def _is_tracked(symbol: gdb.Symbol, handle: gdb.Frame) -> bool:
    """The length is told for each instruction: then code of another function has none, where an
    expression for the function as a whole has some, or fails."""
    outside = _outside(called(handle))
    if outside is None or symbol.type is None:
        return False
    place = outside.read_register("rsp").cast(symbol.type.pointer())
    try:
        with selection.frame(outside):
            told = place.dereference().type  # GDB computes the bounds for the selected frame
    except gdb.error:
        return False
    return all(new or not old for new, old in zip(_computed(told), _computed(symbol.type)))


def _outside(handle: gdb.Frame) -> Optional[gdb.Frame]:
    """The nearest frame of another function."""
    own = texts.of(handle, "name")
    for step in (gdb.Frame.newer, gdb.Frame.older):
        frame = step(handle)
        while frame is not None:
            if frame.type() == gdb.NORMAL_FRAME and texts.of(frame, "name") != own:
                return frame
            frame = step(frame)
    return None


def _computed(kind: gdb.Type) -> Iterator[bool]:
    """Of each dimension of an array, whether its bounds are to be computed."""
    while kind.code == gdb.TYPE_CODE_ARRAY:
        bounds = kind.fields()[0].type
        yield bounds is None or bounds.dynamic
        kind = kind.target().strip_typedefs()


def _is_nothing(found: gdb.Value) -> bool:
    try:
        return bool(found.is_optimized_out) and address_of(found) is None
    except gdb.error:
        return False


def _place(symbol: gdb.Symbol, handle: gdb.Frame) -> Place:
    if not symbol.needs_frame or not producers.is_llvms(_producer(handle)):
        return _RIGHT
    from ompdbg.gdb_services import session

    places, is_call, pc = session.services().places, _is_call(handle), handle.pc()
    function, name = texts.of(handle, "name"), texts.name(symbol)
    key = pc, is_call, function, name, symbol.line, symbol.is_argument
    if key not in places:
        pushed = session.services().pushed(pc, is_call)
        told = _told(symbol, handle, pc - is_call) if pushed != 0 or is_call else ""
        base = _BY_FRAME_BASE.fullmatch(told) if pushed != 0 else None
        if base is not None:
            told = _by_register(symbol, handle, int(base.group(1)))
        places[key] = _from_text(told, pushed, is_call)
    found: Place = places[key]
    return found


def _by_register(symbol: gdb.Symbol, handle: gdb.Frame, offset: int) -> str:
    """The frame base, which GDB 16 does not tell, is the pointer to the frame or to the stack."""
    address = address_of(symbol.value(called(handle)))
    is_by_stack = address == int(handle.read_register("rsp")) + offset
    return f"a variable at frame base reg ${'rsp' if is_by_stack else 'rbp'} offset {offset}"


def _from_text(told: str, pushed: Optional[int], is_call: bool) -> Place:
    if told == _UNKNOWN:
        return Place(0, _REASON)
    if is_call and _IS_LOST.search(_ENTRY_VALUE.sub("", told)):
        return Place(0, "it was in a register that the call need not keep")
    if pushed == 0 or not _IS_BY_STACK.search(told):
        return _RIGHT
    if pushed is not None and _IS_SIMPLE.fullmatch(told):
        return Place(pushed)
    return Place(0, _REASON)


def _producer(handle: gdb.Frame) -> str:
    """GCC tells places at each instruction, and what is left of them once a call has begun."""
    function = handle.function()
    symtab = None if function is None else function.symtab
    return texts.told(getattr, symtab, "producer", None) or ""


def _is_call(handle: gdb.Frame) -> bool:
    newer = handle.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    return newer is not None and newer.type() != gdb.SIGTRAMP_FRAME


def _told(symbol: gdb.Symbol, handle: gdb.Frame, address: int) -> str:
    """Where GDB looks for the variable."""
    name = texts.name(symbol)
    with selection.frame(handle):
        shown = gdb.lookup_symbol(texts.given(name))[0]
        if shown is not None and _is_same(shown, symbol):
            return next(_at(quiet.execute("info address " + name), address), "")
    # Another of its name hides it.
    parts = _SYMBOL.split(quiet.execute(f"info scope *{address:#x}"))
    told = [place for one, place in zip(parts[1::2], parts[2::2]) if one == name]
    known = [one for one in _in_blocks(gdb.block_for_pc(address)) if texts.name(one) == name]
    matching = [place for place, one in zip(told, known) if _is_same(one, symbol)]
    if len(told) != len(known) or len(matching) != 1:
        return _UNKNOWN
    return next(_at(" is " + matching[0], address), "")


def _is_same(one: gdb.Symbol, other: gdb.Symbol) -> bool:
    return (one.line, one.is_argument) == (other.line, other.is_argument)


def _in_blocks(block: Optional[gdb.Block]) -> Iterator[gdb.Symbol]:
    """As `info scope` has them."""
    while block is not None and not block.is_global and not block.is_static:
        yield from block
        block = None if block.function is not None else block.superblock


def _at(text: str, address: int) -> Iterator[str]:
    ranges = list(_RANGE.finditer(text))
    ends = [one.start() for one in ranges[1:]] + [len(text)]
    for one, end in zip(ranges, ends):
        if int(one.group(1), 16) <= address < int(one.group(2), 16):
            yield _LENGTH.sub("", text[one.end() : end])
    if not ranges:
        yield _LENGTH.sub("", text.partition(" is ")[2])
