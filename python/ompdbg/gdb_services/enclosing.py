# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What code around a construct tells of the variables that the construct uses.

Debug information of a construct's code may lack the bounds of arrays, or names. The frame of the
function around it has them: on the same stack, or on that of another thread. Only a variable at
the very address counts; for the bounds of a copy, the variable that is declared at the same place.
"""

from __future__ import annotations

from itertools import islice, takewhile
from typing import (
    TYPE_CHECKING,
    Collection,
    ContextManager,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
)

import gdb

from ompdbg.frames import source_function
from ompdbg.gdb_services import texts
from ompdbg.gdb_services.frame_symbols import (
    Reading,
    declared_type,
    is_hosts,
    is_of_construct,
    is_passed_by_element,
    read,
    symbols,
)
from ompdbg.gdb_services.outlined import full_name, linkage_name
from ompdbg.generated_names import is_generated

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread
    from ompdbg.services import TargetThread

# The frame that is looked for lies mostly just below.
_MAX_FRAMES = 500
_WORD = 8
_PAGE = 4096
# No more variables than these are looked for where their number is not known.
_MOST = 64 * _WORD
_STACK_POINTER = "rsp"
_THIS = "this"


class Wanted(NamedTuple):
    """An array of the source."""

    name: str
    line: int
    address: int


class Named(NamedTuple):
    """A variable with its value."""

    symbol: gdb.Symbol
    value: gdb.Value


def with_bounds(handle: gdb.Frame, wanted: Wanted, anywhere: bool) -> Optional[gdb.Value]:
    """The array of which the address is all that is known. anywhere: on other stacks, too."""
    is_copy = _is_within(handle, wanted.address)
    with _selection_kept():
        for frame in _around(handle, [wanted.address] if anywhere else None):
            for symbol, _ in symbols(frame):
                if texts.name(symbol) != wanted.name or symbol.line != wanted.line:
                    continue
                found = _array(symbol, frame)
                if found is None:
                    continue
                if found.address == wanted.address:
                    return found.value
                if is_copy:
                    pointer = gdb.Value(wanted.address).cast(found.value.type.pointer())
                    return pointer.dereference()
    return None


def at_address(handle: gdb.Frame, name: str, address: int, anywhere: bool) -> Optional[Named]:
    """The array of that name that begins at an address."""
    with _selection_kept():
        for frame in _around(handle, [address] if anywhere else None):
            for symbol, _ in symbols(frame):
                found = _array(symbol, frame) if texts.name(symbol) == name else None
                if found is not None and found.address == address:
                    return Named(symbol, found.value)
    return None


def shared_by(handle: gdb.Frame, context: gdb.Value, anywhere: bool) -> List[Named]:
    """Variables of the function around a task, from the addresses that the task was given."""
    source = _source_function(handle)
    words, is_all = _words(context)
    known: Dict[int, Named] = {}
    if source is None or not words:
        return []
    with _selection_kept():
        for frame in _around(handle, given_addresses(context) if anywhere else None):
            if _source_function(frame) != source:
                continue
            for symbol, _ in symbols(frame):
                address, value = _given(symbol, frame)
                if address is not None and value is not None:
                    known.setdefault(address, Named(symbol, value))
            if is_all and all(word in known for word in words):
                break
    if not is_all:
        # Each word is the address of a variable, up to the last.
        words = list(takewhile(known.__contains__, words))
    return [known[word] for word in words if word in known]


def given_addresses(context: gdb.Value) -> List[int]:
    """What a task was surely given."""
    words, is_all = _words(context)
    return words if is_all else words[:1]


def _given(symbol: gdb.Symbol, frame: gdb.Frame) -> Tuple[Optional[int], Optional[gdb.Value]]:
    """What a task is given of a variable: its address, and of `this` the value."""
    if not (symbol.is_variable or symbol.is_argument) or is_generated(texts.name(symbol), False):
        return None, None
    found = read(symbol, frame)
    if found is None or found.is_lost:
        return None, None
    try:
        if texts.name(symbol) == _THIS:
            return int(found.value), found.value
        is_reference = found.value.type.code == gdb.TYPE_CODE_REF
        target = found.target() if is_reference else found
        value = found.value
        if symbol.is_argument and is_of_construct(frame):
            declared = declared_type(symbol, symbol.line)
            if declared is None:
                return None, None
            if is_reference and is_passed_by_element(symbol, declared):
                return None, None  # the function further out knows more
            value = value if declared.code == gdb.TYPE_CODE_REF else target.value
        return target.address, value
    except gdb.error:
        return None, None


def _words(pointer: gdb.Value) -> Tuple[List[int], bool]:
    """What lies in the structure at a pointer, and whether its size is known. Debug information of
    what Clang gives to a task has no members, and of C++ no size."""
    try:
        size = pointer.type.strip_typedefs().target().sizeof
        read_memory = gdb.selected_inferior().read_memory
        count = size // _WORD
        if count:
            data = bytes(read_memory(int(pointer), count * _WORD))
        else:
            # It is behind the task in the same piece of memory.
            data = bytes(read_memory(int(pointer), min(_MOST, _PAGE - int(pointer) % _PAGE)))
    except gdb.error:
        return [], False
    words = (data[at : at + _WORD] for at in range(0, len(data), _WORD))
    return [int.from_bytes(word, "little") for word in words], count > 0


def _is_array(kind: gdb.Type) -> bool:
    return kind.code == gdb.TYPE_CODE_ARRAY


def _array(symbol: gdb.Symbol, frame: gdb.Frame) -> Optional[Reading]:
    """An array in the frame that its bounds are computed in."""
    found = None if is_hosts(symbol, frame) else read(symbol, frame)
    if found is None or not _is_array(found.value.type) or found.is_without_bounds:
        return None
    return found


def _source_function(frame: gdb.Frame) -> Optional[str]:
    """The function of the source to which a frame's code belongs."""
    symbol = frame.function()
    if symbol is None:
        return None
    return source_function(full_name(linkage_name(symbol), symbol.symtab, symbol.line))


# ---- Frames ---------------------------------------------------------------------------------


def _around(handle: gdb.Frame, addresses: Optional[Collection[int]]) -> Iterator[gdb.Frame]:
    """Older frames, and those of the threads on whose stacks the story goes on or the addresses
    are; of these each is valid until the next is asked for."""
    yield from islice(_older(handle), _MAX_FRAMES)
    if addresses is not None:
        yield from _elsewhere(addresses)


def _older(handle: gdb.Frame) -> Iterator[gdb.Frame]:
    try:
        frame = handle.older()
        while frame is not None:
            yield frame
            frame = frame.older()
    except gdb.error:
        pass  # what was unwound so far is all that can be had


def _elsewhere(addresses: Collection[int]) -> Iterator[gdb.Frame]:
    from ompdbg.gdb_services import session

    thread = session.thread_at_stop()
    if thread is None:
        return
    services = session.services()
    seen = {thread.target.number}
    for target in (*_encounterers(thread), *_holders(addresses)):
        owner = services.gdb_thread(target) if target.number not in seen else None
        if owner is None:
            continue
        seen.add(target.number)
        owner.switch()
        newest = gdb.newest_frame()
        if newest is not None:
            yield from islice(_older(newest), _MAX_FRAMES)


def _encounterers(thread: "Thread") -> "Iterator[TargetThread]":
    """The threads on whose stacks that of a worker goes on."""
    from ompdbg.model.stack import logical_stack

    for part in logical_stack(thread).parts[1:]:
        yield part.thread.target


def _holders(addresses: Collection[int]) -> "Iterator[TargetThread]":
    """The threads on whose stacks addresses are: stacks grow downwards."""
    from ompdbg.gdb_services import session

    services = session.services()
    ends: "List[Tuple[int, TargetThread]]" = []
    for target in services.threads():
        values = None if target.running else services.registers(target, _STACK_POINTER)
        if values is not None:
            ends.append((values[0], target))
    for address in addresses:
        below = [end for end in ends if end[0] <= address]
        if below:
            yield max(below, key=lambda end: end[0])[1]


def _is_within(handle: gdb.Frame, address: int) -> bool:
    """The address is in the frame: a copy that its code made."""
    try:
        older = handle.older()
        begin = int(handle.read_register(_STACK_POINTER))
        return older is not None and begin <= address < int(older.read_register(_STACK_POINTER))
    except (gdb.error, ValueError):
        return False


def _selection_kept() -> "ContextManager[None]":
    from ompdbg.gdb_services import selection

    return selection.kept()
