# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a construct, in the frame in which they live.

Debug information of a construct's code may lack the bounds of arrays, or names. The frame of the
function around it has them. Only a variable at the very address counts.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.frames import is_outlined, source_function
from ompdbg.target_services.descriptors import data_address, is_described
from ompdbg.target_services.locations import OptimizedOut, Unavailable
from ompdbg.target_services.scopes import Scope, declared, name_of
from ompdbg.target_services.stacks import KEPT, StackFrame, Stacks

if TYPE_CHECKING:
    import _target

_MAX_FRAMES = 500
_MAX_THREADS = 64
_STACK_POINTER = KEPT.index("rsp")
_WORD = 8


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
        self._known: Dict[Tuple[str, int], Optional[Named]] = {}
        self._tops: Optional[List[Tuple[int, int]]] = None  # stack pointer and thread

    def at_address(self, inner: Scope, name: str, address: int) -> Optional[Named]:
        """Return the variable of that name at an address that is used in a frame."""
        key = name, address
        if key not in self._known:
            found = (
                Named(die, scope)
                for scope in self._around(inner, [address])
                for die in _variables(scope)
                if name_of(die) == name and _living(die, scope) == address
            )
            self._known[key] = next(found, None)
        return self._known[key]

    def shared_by(self, inner: Scope, context: int, size: int) -> List[Named]:
        """Return variables of the function around a task of Clang's, from the addresses that the
        task was given, in `size` bytes at `context`."""
        data = self._read(context, size // _WORD * _WORD)
        words = [
            int.from_bytes(data[at : at + _WORD], "little") for at in range(0, len(data), _WORD)
        ]
        source = source_function(inner.frame.symbol)
        known: Dict[int, Named] = {}
        if source is None or not words:
            return []
        for scope in self._around(inner, words):
            if source_function(scope.frame.symbol) != source:
                continue
            for die in _variables(scope):
                address = _living(die, scope)
                if address is not None:
                    known.setdefault(address, Named(die, scope))
            if all(word in known for word in words):
                break
        return [known[word] for word in words if word in known]

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


def is_construct(frame: StackFrame) -> bool:
    """Its function is the outlined code of a construct."""
    return frame.symbol is not None and is_outlined(frame.symbol)


def _variables(scope: Scope) -> "Iterator[_target.Die]":
    return (die for block in scope.blocks for die in declared(block) if scope.is_users(die))


def _living(die: "_target.Die", scope: Scope) -> Optional[int]:
    """Return the address of a variable that the frame surely tells all of."""
    values = scope.values
    try:
        kind = scope.kind_of(die)
        if is_described(kind):
            return data_address(scope, die)
        if scope.is_unsure_copy(die, kind) or values.is_pointer_to_array(kind):
            return None
        if not values.is_reference(kind):
            return scope.address_of(die) if values.has_size(kind) else None
        kind, address = values.referred(kind, scope.value(die, kind))
        return address if values.has_size(kind) and not is_construct(scope.frame) else None
    except (OptimizedOut, Unavailable):
        return None
