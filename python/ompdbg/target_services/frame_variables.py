# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and local variables of frames, with their values as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Collection, Dict, List, Optional, Tuple

from ompdbg import producers
from ompdbg.generated_names import original
from ompdbg.services import Variable
from ompdbg.target_services import dwarf
from ompdbg.target_services.descriptors import array, is_described
from ompdbg.target_services.enclosing import Enclosing, is_construct
from ompdbg.target_services.frame_context import NUMBERS, Around, FrameContext
from ompdbg.target_services.locations import Bytes, OptimizedOut, Unavailable, unsure
from ompdbg.target_services.scopes import (
    CONTEXT,
    Declaration,
    Scope,
    blocks_at,
    declaration,
    declared,
    name_of,
)
from ompdbg.target_services.stacks import KEPT, StackFrame, Stacks
from ompdbg.target_services.types import DieType
from ompdbg.target_services.values import LOST, Program, Values
from ompdbg.text import visible

if TYPE_CHECKING:
    import _target

    from ompdbg.target_services.symbols import Symbols

_WORD = 8


class FrameVariables:
    """Those of all frames."""

    def __init__(
        self,
        target: "_target.Target",
        symbols: "Symbols",
        stacks: Stacks,
        innermost: Callable[[int], Dict[int, int]],
        thread_local: Callable[[int, int, int], Optional[int]],
    ) -> None:
        """`innermost`: registers of a thread by their numbers in DWARF. `thread_local`: address
        of a variable of a thread, by an address in the code that has it, and its offset."""
        self._symbols = symbols
        self._stacks = stacks
        self._innermost = innermost
        self._thread_local = thread_local
        self._program = Program(target.read, symbols.at, lambda name: symbols.address(name, None))
        self._contexts: Dict[Tuple[int, int], Optional[FrameContext]] = {}
        self._enclosing = Enclosing(stacks, len(target.threads()), self._scope, target.read)

    def arguments(self, thread: int, frame: StackFrame) -> List[Variable]:
        """Arguments of a frame's function; a construct has none."""
        scope = None if is_construct(frame) else self._scope(thread, frame)
        if scope is None:
            return []
        dies = filter(scope.is_users, declared(scope.blocks[-1]))
        found = (die for die in dies if die.tag == dwarf.TAG_PARAMETER)
        return [Variable(name_of(die), self._text(die, scope)) for die in found]

    def locals(self, thread: int, frame: StackFrame) -> List[Variable]:
        """Local variables, those of the innermost block first."""
        scope = self._scope(thread, frame)
        if scope is None:
            return []
        if is_construct(frame):
            return self._captured(scope)
        groups: Dict[Declaration, "List[_target.Die]"] = {}
        for block in scope.blocks:
            outer = set(groups)  # from here: what copies of a construct's own were made from
            for die in filter(scope.is_users, declared(block)):
                if die.tag == dwarf.TAG_VARIABLE and declaration(die) not in outer:
                    if _is_there(die):
                        groups.setdefault(declaration(die), []).append(die)
        return [self._first_kept(group, scope) for group in groups.values()]

    def _first_kept(self, entries: "List[_target.Die]", scope: Scope) -> Variable:
        """Of one variable: what was inlined is told once more where it is optimized out."""
        texts = (self._text(die, scope, is_referred=True) for die in entries)
        return Variable(name_of(entries[0]), next((text for text in texts if text != LOST), LOST))

    # ---- Constructs -------------------------------------------------------------------------

    def _captured(self, scope: Scope) -> List[Variable]:
        """Variables as the source has them. GCC makes locals of them; Clang makes references and
        passes these as arguments, from one function that only passes them on to another. Among
        what belongs to the function as a whole the name is enough: a copy of the construct's own
        goes before what it was copied from."""
        groups: Dict[Declaration, "List[_target.Die]"] = {}
        for block in scope.blocks:
            for die in filter(_may_be_captured, filter(scope.is_users, declared(block))):
                key = (name_of(die), None) if block is scope.blocks[-1] else declaration(die)
                groups.setdefault(key, []).append(die)
        found: List[Variable] = []
        for group in groups.values():
            own = [die for die in group if die.tag == dwarf.TAG_VARIABLE]
            found.append(self._first_kept(own or group, scope))
        shared = self._shared(scope)
        told = [one for one in found if one.name not in shared or not _is_unavailable(one)]
        told += self._described(scope, {one.name for one in told})
        names = {one.name for one in told}
        return told + [one for name, one in shared.items() if name not in names]

    def _described(self, scope: Scope, names: Collection[str]) -> List[Variable]:
        """Arrays of which gfortran keeps the address only, in a variable of its own."""
        found: Dict[str, Variable] = {}
        for die in (die for block in scope.blocks for die in declared(block)):
            name = original(name_of(die))
            if not scope.is_fortran or name in names or name == name_of(die):
                continue
            try:
                kind = scope.kind_of(die)
                if not scope.values.is_pointer_to_array(kind):
                    continue
                address = int.from_bytes(scope.value(die, kind).part(0, _WORD), "little")
            except (OptimizedOut, Unavailable):
                continue
            one = self._enclosing.at_address(scope, name, address)
            if one is not None:
                found.setdefault(name, Variable(name, self._text(one.die, one.scope, True)))
        return list(found.values())

    def _shared(self, scope: Scope) -> Dict[str, Variable]:
        """What a task of Clang's was given, of which its code knows no names."""
        found: Dict[str, Variable] = {}
        for context in (die for block in scope.blocks for die in declared(block)):
            if name_of(context) != CONTEXT:
                continue
            try:
                kind = scope.kind_of(context)
                address = int.from_bytes(scope.value(context, kind).part(0, _WORD), "little")
            except (OptimizedOut, Unavailable):
                continue
            size = scope.values.target_size(kind)
            for one in self._enclosing.shared_by(scope, address, size):
                name = name_of(one.die)
                found.setdefault(name, Variable(name, self._text(one.die, one.scope, True)))
        return found

    # ---- Values -----------------------------------------------------------------------------

    def _text(self, die: "_target.Die", scope: Scope, is_referred: bool = False) -> str:
        try:
            kind, value = self._value(die, scope, is_referred)
            return visible(scope.values.text(kind, value))
        except OptimizedOut:
            return LOST
        except Unavailable as reason:
            return reason.text

    def _value(self, die: "_target.Die", scope: Scope, is_referred: bool) -> Tuple[DieType, Bytes]:
        kind = scope.kind_of(die)
        values = scope.values
        if scope.is_mistaken(die, kind) or scope.is_unsure_copy(die, kind):
            raise unsure()
        if is_described(kind):
            return array(scope, die)
        if values.is_array(kind) and not values.has_size(kind):
            if not die.location(dwarf.AT_LOCATION, scope.context.address):
                raise OptimizedOut
            return self._living(scope, die, scope.address_of(die))
        value = scope.value(die, kind)
        # Nobody declared these as references, if they are no arguments.
        is_compilers = scope.is_fortran or dwarf.number(die, dwarf.AT_DECL_LINE) is None
        is_passed = die.tag == dwarf.TAG_PARAMETER
        if is_referred and (is_passed or is_compilers) and values.is_reference(kind):
            kind, address = values.referred(kind, value)
            is_unclear = values.is_array(kind) and not values.has_size(kind)
            if is_unclear or is_passed and scope.takes_lengths:
                return self._living(scope, die, address)
            size = values.size_of(kind)
            return kind, Bytes(scope.context.read(address, size), address)
        if scope.is_fortran and values.is_pointer_to_array(kind):
            address = int.from_bytes(value.part(0, len(value.data)), "little")
            return self._living(scope, die, address)
        return kind, value

    def _living(
        self, scope: Scope, die: "_target.Die", address: Optional[int]
    ) -> Tuple[DieType, Bytes]:
        """Return a variable of which the place is all that is known."""
        found = None
        if address is not None:
            found = self._enclosing.at_address(scope, name_of(die), address)
        if found is None:
            raise unsure()
        return self._value(found.die, found.scope, True)

    # ---- Frames -----------------------------------------------------------------------------

    def _scope(self, thread: int, frame: StackFrame) -> Optional[Scope]:
        if frame.pushed is None:
            context = self._left_by_jump(thread, frame)
        else:
            context = self._context(thread, frame.pushed)
        if context is None or context.function is None:
            return None
        unit = self._symbols.units.at(context.address + context.bias)
        blocks = [] if unit is None else blocks_at(unit, context.address, frame.within)
        if unit is None or not blocks:
            return None
        return Scope(context, Values(self._program, unit), blocks, unit, thread, frame)

    def _left_by_jump(self, thread: int, frame: StackFrame) -> Optional[FrameContext]:
        """Of it nothing is left."""
        return self._placed(FrameContext(frame.pc, True, {}, self._around(thread, None)))

    def _context(self, thread: int, index: int) -> Optional[FrameContext]:
        key = thread, index
        if key not in self._contexts:
            self._contexts[key] = self._new_context(thread, index)
        return self._contexts[key]

    def _new_context(self, thread: int, index: int) -> Optional[FrameContext]:
        pushed = self._stacks.pushed(thread, index)
        newer = self._stacks.pushed(thread, index - 1) if index else None
        if pushed is None:
            return None
        pc, is_signal, kept = pushed
        is_call = newer is not None and not newer[1] and not is_signal
        known = {NUMBERS[name]: value for name, value in zip(KEPT, kept) if value is not None}
        known.update(self._innermost(thread) if not index else {})
        return self._placed(FrameContext(pc, is_call, known, self._around(thread, index)))

    def _around(self, thread: int, index: Optional[int]) -> Around:
        return Around(
            self._program.read,
            lambda: None if index is None else self._context(thread, index + 1),
            self._start_of,
            self._stacks.is_entered_once,
            lambda code, offset: self._thread_local(thread, code, offset),
        )

    def _placed(self, context: FrameContext) -> FrameContext:
        """Tells a frame its function."""
        address = context.address
        unit = self._symbols.units.at(address)
        functions = unit.functions(address) if unit is not None else []
        if unit is None or not functions:
            return context
        producer = dwarf.text(unit.die, dwarf.AT_PRODUCER) or ""
        return context.place(functions[-1], unit.bias, producers.is_llvms(producer))

    def _start_of(self, function: "_target.Die") -> Optional[int]:
        """Where the code of a function begins that may only be declared."""
        name = dwarf.text(function, dwarf.AT_LINKAGE_NAME) or dwarf.text(function, dwarf.AT_NAME)
        return None if name is None else self._symbols.address(name, None)


def _is_unavailable(variable: Variable) -> bool:
    return variable.value.startswith("<") and variable.value != LOST


def _is_there(die: "_target.Die") -> bool:
    """It is no constant, and not only declared here."""
    if die.attribute(dwarf.AT_LOCATION) is not None:
        return True
    hidden = (dwarf.AT_CONST_VALUE, dwarf.AT_EXTERNAL, dwarf.AT_DECLARATION)
    return all(die.attribute(name) is None for name in hidden)


def _may_be_captured(die: "_target.Die") -> bool:
    return die.tag == dwarf.TAG_PARAMETER or _is_there(die)
