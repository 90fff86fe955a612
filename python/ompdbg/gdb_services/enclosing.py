# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a construct, in the frame in which they live.

Debug information of a construct's code may lack the bounds of arrays, or names. The frame of the
function around it has them: on the same stack, or on that of another thread. Only a variable at
the very address counts.
"""

from __future__ import annotations

from itertools import islice
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

import _ompdbg
import gdb

from ompdbg.gdb_services import placed, texts
from ompdbg.gdb_services.frame_symbols import (
    is_of_construct,
    is_reference,
    is_unsure_copy,
    read,
    symbols,
)
from ompdbg.gdb_services.lacking import is_of_fortran
from ompdbg.generated_names import is_generated

if TYPE_CHECKING:
    from _ompdbg import Thread

# The frame that is looked for lies mostly just below.
_MAX_FRAMES = 500
_WORD = 8
_STACK_POINTER = "rsp"


class Named(NamedTuple):
    """A variable with its value."""

    symbol: gdb.Symbol
    value: gdb.Value


def at_address(handle: gdb.Frame, name: str, address: int, anywhere: bool) -> Optional[gdb.Value]:
    """Return the variable of that name at an address. anywhere: look on other stacks, too."""
    with _selection_kept():
        for frame in _around(handle, [address] if anywhere else None):
            for symbol in symbols(frame):
                if texts.name(symbol) == name:
                    place, value = _living(symbol, frame)
                    if place == address:
                        return value
    return None


def shared_by(handle: gdb.Frame, context: gdb.Value, anywhere: bool) -> List[Named]:
    """Return variables of the function around a task of Clang's, from the addresses that the task
    was given."""
    source, words = _source_function(handle), _words(context)
    known: Dict[int, Named] = {}
    if source is None or not words:
        return []
    with _selection_kept():
        for frame in _around(handle, words if anywhere else None):
            if _source_function(frame) != source:
                continue
            for symbol in symbols(frame):
                address, value = _living(symbol, frame)
                if address is not None and value is not None:
                    known.setdefault(address, Named(symbol, value))
            if all(word in known for word in words):
                break
    return [known[word] for word in words if word in known]


def _living(symbol: gdb.Symbol, frame: gdb.Frame) -> Tuple[Optional[int], Optional[gdb.Value]]:
    """Return address and value of a variable that the frame surely tells all of."""
    nothing = None, None
    name, is_fortran = texts.name(symbol), is_of_fortran(symbol)
    if not (symbol.is_variable or symbol.is_argument) or is_generated(name, is_fortran):
        return nothing
    if is_reference(symbol) and is_of_construct(frame) or is_unsure_copy(symbol, frame):
        return nothing
    found = read(symbol, frame)
    if found is None or found.is_lost or found.is_without_bounds:
        return nothing
    try:
        if not is_reference(symbol):
            return found.address, found.value
        target = found.target()
        return target.address, target.value if is_fortran else found.value
    except gdb.error:
        return nothing


def _words(pointer: gdb.Value) -> List[int]:
    """Return what lies in the structure at a pointer. Debug information of what Clang gives to a
    task has no members, and of C++ no size."""
    try:
        size = pointer.type.strip_typedefs().target().sizeof // _WORD * _WORD
        data = bytes(gdb.selected_inferior().read_memory(int(pointer), size)) if size else b""
    except gdb.error:
        return []
    words = (data[at : at + _WORD] for at in range(0, len(data), _WORD))
    return [int.from_bytes(word, "little") for word in words]


def _source_function(frame: gdb.Frame) -> Optional[str]:
    """Return the function of the source to which a frame's code belongs."""
    from ompdbg.gdb_services import session

    if frame.type() == gdb.INLINE_FRAME and not is_of_construct(frame):
        return None
    address = frame.pc() - placed.is_call(frame)
    return _ompdbg.source_symbol(session.services().files.function(address))


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

    thread = session.selected_thread()
    if thread is None:
        return
    services = session.services()
    seen = {thread.number}
    for number in (*_encounterers(thread), *_holders(addresses)):
        owner = services.thread_of(number) if number not in seen else None
        if owner is None:
            continue
        seen.add(number)
        owner.switch()
        newest = gdb.newest_frame()
        if newest is not None:
            yield from islice(_older(newest), _MAX_FRAMES)


def _encounterers(thread: "Thread") -> Iterator[int]:
    """The threads on whose stacks that of a worker goes on."""
    found = thread.stack
    for part in found.parts[1:] if found is not None else ():
        yield part.thread.number


def _holders(addresses: Collection[int]) -> Iterator[int]:
    """The threads on whose stacks addresses are: stacks grow downwards."""
    from ompdbg.gdb_services import session

    services = session.services()
    ends: List[Tuple[int, int]] = []
    for thread in services.all_threads():
        end = services.register(thread.num, _STACK_POINTER)
        if end is not None:
            ends.append((end, thread.num))
    for address in addresses:
        below = [end for end in ends if end[0] <= address]
        if below:
            yield max(below, key=lambda end: end[0])[1]


def _selection_kept() -> "ContextManager[None]":
    from ompdbg.gdb_services import selection

    return selection.kept()
