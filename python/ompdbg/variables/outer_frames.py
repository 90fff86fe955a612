# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a construct, in the frame in which they live.

Debug information of a construct's code may lack the bounds of arrays, or names. The frame of the
function around it has them: on the same stack, or on that of another thread. Only a variable at
the very address counts.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
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

from ompdbg.console import encoding
from ompdbg.frames.code_places import is_call
from ompdbg.variables.compilers import is_generated
from ompdbg.variables.symbols import (
    is_of_construct,
    is_of_fortran,
    is_reference,
    is_unsure_copy,
    read,
    symbols,
)

if TYPE_CHECKING:
    from _ompdbg import Thread

# The frame that is looked for lies mostly just below: so many are looked at first, and then.
_STEPS = 8, 64, 500
_WORD = 8
_STACK_POINTER = "rsp"


class Named(NamedTuple):
    """A variable with its value."""

    symbol: gdb.Symbol
    value: gdb.Value


class _Entry(NamedTuple):
    """A variable of a frame."""

    level: int
    order: int  # among all: entries are compared by these two
    found: Named
    source: Optional[str]  # function of the source to which the frame's code belongs


def at_address(handle: gdb.Frame, name: str, address: int, anywhere: bool) -> Optional[gdb.Value]:
    """Return the variable of that name at an address. anywhere: look on other stacks, too."""
    with _selection_kept():
        for variables, first in _around(handle, [address] if anywhere else None):
            for one in variables.at(address, first):
                if encoding.name(one.found.symbol) == name:
                    return one.found.value
    return None


def shared_by(handle: gdb.Frame, context: gdb.Value, anywhere: bool) -> List[Named]:
    """Return variables of the function around a task of Clang's, from the addresses that the task
    was given."""
    source, words = _source_function(handle), _words(context)
    known: Dict[int, Named] = {}
    if source is None or not words:
        return []
    with _selection_kept():
        for variables, first in _around(handle, words if anywhere else None):
            for word in words:
                if word not in known:
                    of_source = (one for one in variables.at(word, first) if one.source == source)
                    known.update((word, one.found) for one in islice(of_source, 1))
            if all(word in known for word in words):
                break
    return [known[word] for word in words if word in known]


class _Variables:
    """The variables on a thread's stack by their addresses. Each frame is looked at once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._by_address: Dict[int, List[_Entry]] = {}
        self._levels = range(0)  # that were looked at
        self._count = 0

    def at(self, address: int, first: int) -> Iterator[_Entry]:
        """Yield those at an address in the frames from a level on, innermost first."""
        level = first
        for number in _STEPS:
            self._look_at(range(level, first + number))
            found = self._by_address.get(address, [])
            for one in found[bisect_left(found, (level,)) :]:
                if one.level >= first + number:
                    break
                yield one
            level = first + number

    def _look_at(self, levels: range) -> None:
        known = self._levels
        if not known:
            known = range(levels.start, levels.start)
        for level in (*range(levels.start, known.start), *range(known.stop, levels.stop)):
            self._add(level)
        self._levels = range(min(known.start, levels.start), max(known.stop, levels.stop))

    def _add(self, level: int) -> None:
        from ompdbg.inferior import session

        frame = session.services().frame_of(self._number, level)
        if frame is None:
            return
        for symbol in symbols(frame):
            address, value = _living(symbol, frame)
            if address is not None and value is not None:
                self._count += 1
                entry = _Entry(level, self._count, Named(symbol, value), _source_function(frame))
                insort(self._by_address.setdefault(address, []), entry)


def _living(symbol: gdb.Symbol, frame: gdb.Frame) -> Tuple[Optional[int], Optional[gdb.Value]]:
    """Return address and value of a variable that the frame surely tells all of."""
    nothing = None, None
    name, is_fortran = encoding.name(symbol), is_of_fortran(symbol)
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
    from ompdbg.inferior import session

    if frame.type() == gdb.INLINE_FRAME and not is_of_construct(frame):
        return None
    address = frame.pc() - is_call(frame)
    return _ompdbg.source_symbol(session.services().files.function(address))


# ---- Frames ---------------------------------------------------------------------------------


def _around(
    handle: gdb.Frame, addresses: Optional[Collection[int]]
) -> Iterator[Tuple[_Variables, int]]:
    """Yield the variables of the older frames, from a level on, and those of the threads on whose
    stacks the story goes on or the addresses are."""
    from ompdbg.inferior import session

    selected = gdb.selected_thread()
    if selected is None:
        return
    yield _variables_of(selected.num), handle.level() + 1
    thread = session.selected_thread() if addresses is not None else None
    if thread is None or addresses is None:
        return
    seen = {thread.number}
    for number in (*_encounterers(thread), *_holders(addresses)):
        if number not in seen:
            seen.add(number)
            yield _variables_of(number), 1


def _remembered(key: object, ask: Callable[[], Any]) -> Any:
    """Return what was found out before at this stop, or is now."""
    from ompdbg.inferior import session

    known = session.services().living
    if key not in known:
        known[key] = ask()
    return known[key]


def _variables_of(number: int) -> _Variables:
    found: _Variables = _remembered(number, lambda: _Variables(number))
    return found


def _encounterers(thread: "Thread") -> List[int]:
    """The threads on whose stacks that of a worker goes on."""

    def ask() -> List[int]:
        found = thread.stack
        return [part.thread.number for part in found.parts[1:]] if found is not None else []

    numbers: List[int] = _remembered(("encounterers", thread.number), ask)
    return numbers


def _holders(addresses: Collection[int]) -> Iterator[int]:
    """The threads on whose stacks addresses are: stacks grow downwards."""
    ends: List[Tuple[int, int]] = _remembered("ends", _ends)
    for address in addresses:
        below = bisect_left(ends, (address + 1,))
        if below:
            yield ends[below - 1][1]


def _ends() -> List[Tuple[int, int]]:
    """Where the stacks of all threads end, and their numbers."""
    from ompdbg.inferior import session

    services = session.services()
    numbers = [thread.num for thread in services.all_threads()]
    registers = ((services.register(number, _STACK_POINTER), number) for number in numbers)
    return sorted((end, number) for end, number in registers if end is not None)


def _selection_kept() -> "ContextManager[None]":
    from ompdbg.inferior import selection

    return selection.kept()
