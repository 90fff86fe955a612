# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What code around a construct tells of the variables that the construct uses: the bounds of
arrays, which are computed there, and names. Only a variable at the very address counts; for the
bounds of a copy, the variable that is declared at the same place."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.frames import is_outlined, source_function
from ompdbg.target_services import dwarf
from ompdbg.target_services.descriptors import data_address
from ompdbg.target_services.locations import OptimizedOut, Unavailable
from ompdbg.target_services.scopes import Scope, declared, name_of
from ompdbg.target_services.stacks import KEPT, StackFrame, Stacks

if TYPE_CHECKING:
    import _target

    from ompdbg.target_services.types import DieType

_MAX_FRAMES = 500
_MAX_THREADS = 64
_STACK_POINTER = KEPT.index("rsp")
_WORD = 8
_PAGE = 4096
# No more variables than these are looked for where their number is not known.
_MOST = 64 * _WORD
_THIS = "this"


class Wanted(NamedTuple):
    """A variable of the source; without a line, any of that name."""

    name: str
    line: Optional[int]


class Named(NamedTuple):
    """A variable, and where it is known."""

    die: "_target.Die"
    scope: Scope


class Enclosing:
    """Looks for it on the stacks of all threads."""

    def __init__(
        self,
        stacks: Stacks,
        threads: int,
        scope_of: Callable[[int, StackFrame], Optional[Scope]],
        read: Callable[[int, int], bytes],
    ) -> None:
        """`threads`: how many there are."""
        self._stacks = stacks
        self._threads = threads
        self._scope_of = scope_of
        self._read = read
        self._arrays: "Dict[Tuple[Wanted, int, bool], Optional[DieType]]" = {}
        self._tops: Optional[List[Tuple[int, int]]] = None  # stack pointer and thread

    def array(self, inner: Scope, wanted: Wanted, address: int) -> "Optional[DieType]":
        """The type of an array at an address that is used in a frame."""
        is_copy = wanted.line is not None and self._is_within(inner, address)
        key = wanted, address, is_copy
        if key not in self._arrays:
            self._arrays[key] = self._find_array(inner, wanted, address, is_copy)
        return self._arrays[key]

    def _find_array(
        self, inner: Scope, wanted: Wanted, address: int, is_copy: bool
    ) -> "Optional[DieType]":
        for scope in self._around(inner, [address]):
            for die in _variables(scope):
                if name_of(die) != wanted.name:
                    continue
                if wanted.line not in (None, dwarf.number(die, dwarf.AT_DECL_LINE)):
                    continue
                try:
                    kind = scope.kind_of(die)
                except Unavailable:
                    continue
                if not scope.values.is_array(kind) or not scope.values.has_size(kind):
                    continue
                if is_copy or scope.address_of(die) == address:
                    return kind
        return None

    def described(self, inner: Scope, name: str, address: int) -> Optional[Named]:
        """The array with a descriptor of that name whose first element is at an address."""
        for scope in self._around(inner, [address]):
            for die in _variables(scope):
                if name_of(die) == name and data_address(scope, die) == address:
                    return Named(die, scope)
        return None

    def shared_by(self, inner: Scope, context: int, size: int) -> List[Named]:
        """Variables of the function around a task of Clang's, from the addresses that it was
        given, which are at `context`. `size`: how many bytes of them; 0: not known."""
        words = self._words(context, size)
        source = source_function(inner.frame.symbol)
        known: Dict[int, Named] = {}
        if source is None or not words:
            return []
        for scope in self._around(inner, words if size else words[:1]):
            if source_function(scope.frame.symbol) != source:
                continue
            for die in _variables(scope):
                address = _given(die, scope)
                if address is not None:
                    known.setdefault(address, Named(die, scope))
            if size and all(word in known for word in words):
                break
        if not size:
            # Each word is the address of a variable, up to the last.
            words = list(takewhile(known.__contains__, words))
        return [known[word] for word in words if word in known]

    def _words(self, context: int, size: int) -> List[int]:
        # It is behind the task in the same piece of memory.
        room = size or min(_MOST, -context % _PAGE)
        data = self._read(context, room // _WORD * _WORD)
        words = (data[at : at + _WORD] for at in range(0, len(data) // _WORD * _WORD, _WORD))
        return [int.from_bytes(word, "little") for word in words]

    # ---- Frames -----------------------------------------------------------------------------

    def _around(self, inner: Scope, addresses: List[int]) -> Iterator[Scope]:
        """Older frames, those of the threads on whose stacks the addresses are, and of others:
        Fortran's arrays may be on no stack."""
        first = inner.frame.level + 1
        yield from self._scopes(inner.thread, first)
        seen = {inner.thread}
        for thread in (*map(self._holder, addresses), *range(min(self._threads, _MAX_THREADS))):
            if thread is not None and thread not in seen:
                seen.add(thread)
                yield from self._scopes(thread, 0)

    def _scopes(self, thread: int, first: int) -> Iterator[Scope]:
        for frame in islice(self._stacks.walk(thread), first, first + _MAX_FRAMES):
            scope = self._scope_of(thread, frame)
            if scope is not None:
                yield scope

    def _holder(self, address: int) -> Optional[int]:
        """The thread on whose stack an address is: stacks grow downwards."""
        if self._tops is None:
            self._tops = []
            for thread in range(self._threads):
                top = self._stack_pointer(thread, 0)
                if top is not None:
                    self._tops.append((top, thread))
        below = [top for top in self._tops if top[0] <= address]
        return max(below)[1] if below else None

    def _stack_pointer(self, thread: int, pushed: int) -> Optional[int]:
        found = self._stacks.pushed(thread, pushed)
        return None if found is None else found[2][_STACK_POINTER]

    def _is_within(self, scope: Scope, address: int) -> bool:
        """The address is in the frame: a copy that its code made."""
        pushed = scope.frame.pushed
        if pushed is None:
            return False
        begin = self._stack_pointer(scope.thread, pushed)
        end = self._stack_pointer(scope.thread, pushed + 1)
        return begin is not None and end is not None and begin <= address < end


def is_construct(frame: StackFrame) -> bool:
    """Its function is the outlined code of a construct."""
    return frame.symbol is not None and is_outlined(frame.symbol)


def _variables(scope: Scope) -> "Iterator[_target.Die]":
    return (die for block in scope.blocks for die in declared(block) if scope.is_users(die))


def _given(die: "_target.Die", scope: Scope) -> Optional[int]:
    """What a task is given of a variable: its address, and of `this` the value."""
    try:
        kind = scope.kind_of(die)
        if scope.is_first_element(die):
            return None  # the function further out knows more
        is_this = name_of(die) == _THIS
        if not is_this and not scope.values.is_reference(kind):
            return scope.address_of(die)
        return int.from_bytes(scope.value(die, kind).part(0, _WORD), "little")
    except (OptimizedOut, Unavailable):
        return None
