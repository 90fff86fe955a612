# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and local variables of frames, with their values as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.frames import is_fortran, is_outlined
from ompdbg.generated_names import LENGTH, is_generated
from ompdbg.services import Variable
from ompdbg.target_services import dwarf
from ompdbg.target_services.frame_context import NUMBERS, Around, FrameContext
from ompdbg.target_services.locations import Bytes, Evaluation, OptimizedOut, Unavailable
from ompdbg.target_services.stacks import KEPT, StackFrame, Stacks
from ompdbg.target_services.types import DieType
from ompdbg.target_services.values import LOST, Program, Values

if TYPE_CHECKING:
    import _target

    from ompdbg.target_services.symbols import Symbols
    from ompdbg.target_services.units import Unit

_VARIABLES = (dwarf.TAG_PARAMETER, dwarf.TAG_VARIABLE)
_CODE = (dwarf.AT_LOW_PC, dwarf.AT_RANGES)
_MAX_NESTING = 100
_Declaration = Tuple[str, Optional[int]]  # name and line
_BLOCKS = (dwarf.TAG_SUBPROGRAM, dwarf.TAG_INLINED, dwarf.TAG_BLOCK)


class _Scope(NamedTuple):
    """What is known of a frame's place."""

    context: FrameContext
    values: Values
    blocks: "List[_target.Die]"  # from the innermost to the function
    unit: "Unit"

    @property
    def is_fortran(self) -> bool:
        """Of the source file."""
        return is_fortran(dwarf.text(self.unit.die, dwarf.AT_NAME))

    def is_users(self, die: "_target.Die") -> bool:
        """A variable that the source has, too."""
        return not is_generated(_name(die), self.is_fortran) and not _is_length(die)

    def is_first_element(self, die: "_target.Die") -> bool:
        """Of an array whose length is computed Clang passes a reference to its first element, and
        the length. The function around the construct tells that it is an array."""
        if not any(map(_is_length, _declared(self.blocks[-1]))):
            return False
        same = (one for one in _all_variables(self.unit.die) if _is_same(one, die))
        return any(self.values.kind_of(one).plain().is_array for one in same)


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

    def arguments(self, thread: int, frame: StackFrame) -> List[Variable]:
        """Arguments of a frame's function; a construct has none."""
        scope = None if _is_construct(frame) else self._scope(thread, frame)
        if scope is None:
            return []
        dies = filter(scope.is_users, _declared(scope.blocks[-1]))
        found = (die for die in dies if die.tag == dwarf.TAG_PARAMETER)
        return [Variable(_name(die), self._text(die, scope)) for die in found]

    def locals(self, thread: int, frame: StackFrame) -> List[Variable]:
        """Local variables, those of the innermost block first."""
        scope = self._scope(thread, frame)
        if scope is None:
            return []
        if _is_construct(frame):
            return self._captured(thread, frame, scope)
        dies = (die for block in scope.blocks for die in _declared(block) if scope.is_users(die))
        groups: Dict[_Declaration, "List[_target.Die]"] = {}
        for die in dies:
            if die.tag == dwarf.TAG_VARIABLE and _is_there(die):
                groups.setdefault(_declaration(die), []).append(die)
        return [self._first_kept(group, scope) for group in groups.values()]

    def _first_kept(self, entries: "List[_target.Die]", scope: _Scope) -> Variable:
        """Of one variable: what was inlined is told once more where it is optimized out."""
        texts = (self._text(die, scope, is_referred=True) for die in entries)
        return Variable(_name(entries[0]), next((text for text in texts if text != LOST), LOST))

    # ---- Constructs -------------------------------------------------------------------------

    def _captured(self, thread: int, frame: StackFrame, scope: _Scope) -> List[Variable]:
        """Variables as the source has them. GCC makes locals of them; Clang makes references and
        passes these as arguments, from one function that only passes them on to another. Among
        what belongs to the function as a whole the name is enough: a copy of the construct's own
        goes before what it was copied from."""
        groups: Dict[_Declaration, "List[_target.Die]"] = {}
        for block in scope.blocks:
            for die in filter(_may_be_captured, filter(scope.is_users, _declared(block))):
                key = (_name(die), None) if block is scope.blocks[-1] else _declaration(die)
                groups.setdefault(key, []).append(die)
        found: Dict[_Declaration, Tuple[bool, Variable]] = {}
        for key, group in groups.items():
            own = [die for die in group if die.tag == dwarf.TAG_VARIABLE]
            found[key] = not own, self._first_kept(own or group, scope)
        outer = self._stacks.older(thread, frame)
        if outer is not None and _is_construct(outer):
            self._take_from(thread, outer, found)
        return [variable for _, variable in found.values()]

    def _take_from(
        self,
        thread: int,
        outer: StackFrame,
        found: Dict[_Declaration, Tuple[bool, Variable]],
    ) -> None:
        """What is optimized out may still be where it was passed on."""
        scope = self._scope(thread, outer)
        if scope is None:
            return
        dies = (die for block in scope.blocks for die in _declared(block) if scope.is_users(die))
        passed = {_name(die): die for die in dies if _may_be_captured(die)}
        for key, (is_argument, variable) in found.items():
            die = passed.get(variable.name)
            if is_argument and die is not None and variable.value == LOST:
                text = self._text(die, scope, is_referred=True)
                found[key] = is_argument, Variable(variable.name, text)

    # ---- Values -----------------------------------------------------------------------------

    def _text(self, die: "_target.Die", scope: _Scope, is_referred: bool = False) -> str:
        try:
            kind, value = _value(die, scope)
            # Nobody declared these as references, if they are no arguments.
            is_compilers = scope.is_fortran or dwarf.number(die, dwarf.AT_DECL_LINE) is None
            is_referred = is_referred and (die.tag == dwarf.TAG_PARAMETER or is_compilers)
            if is_referred and scope.values.is_reference(kind):
                if scope.is_first_element(die):
                    raise Unavailable("its size is not known")
                kind, address = scope.values.referred(kind, value)
                size = scope.values.size_of(kind)
                value = Bytes(scope.context.read(address, size), address)
            if scope.is_fortran and scope.values.is_pointer_to_array(kind):
                raise Unavailable("its size is not known")
            return scope.values.text(kind, value)
        except OptimizedOut:
            return LOST
        except Unavailable as reason:
            return reason.text

    # ---- Frames -----------------------------------------------------------------------------

    def _scope(self, thread: int, frame: StackFrame) -> Optional[_Scope]:
        if frame.pushed is None:
            context = self._left_by_jump(thread, frame)
        else:
            context = self._context(thread, frame.pushed)
        if context is None or context.function is None:
            return None
        unit = self._symbols.units.at(context.address + context.bias)
        blocks = [] if unit is None else _blocks(unit, context.address, frame.within)
        if unit is None or not blocks:
            return None
        return _Scope(context, Values(self._program, unit), blocks, unit)

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
        return context.place(functions[-1], unit.bias) if unit and functions else context

    def _start_of(self, function: "_target.Die") -> Optional[int]:
        """Where the code of a function begins that may only be declared."""
        name = dwarf.text(function, dwarf.AT_LINKAGE_NAME) or dwarf.text(function, dwarf.AT_NAME)
        return None if name is None else self._symbols.address(name, None)


def _value(die: "_target.Die", scope: _Scope) -> Tuple[DieType, Bytes]:
    kind = scope.values.kind_of(die)
    size = scope.values.size_of(kind)
    place = die.location(dwarf.AT_LOCATION, scope.context.address)
    if place:
        return kind, Evaluation(scope.context).value(place, size)
    constant = die.attribute(dwarf.AT_CONST_VALUE)
    if isinstance(constant, bytes):
        return kind, Bytes(constant)
    if isinstance(constant, int):
        return kind, Bytes((constant & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
    raise OptimizedOut


def _blocks(unit: "Unit", address: int, within: int) -> "List[_target.Die]":
    """From the innermost block of a function at an address to the function; `within`: how many
    functions are inlined there, which have blocks of their own."""
    found: "List[_target.Die]" = []
    passed = 0
    for die in unit.die.scopes(address):
        if die.tag not in _BLOCKS:
            continue
        found.append(die)
        if die.tag in dwarf.FUNCTIONS:
            if passed == within:
                return found
            passed, found = passed + 1, []
        if die.tag == dwarf.TAG_SUBPROGRAM:
            break
    return []


def _declared(block: "_target.Die") -> "Iterator[_target.Die]":
    """The variables of a block, and those that the compiler left out of this copy of it."""
    for die in block.children():
        yield from _variables(die)
    model = dwarf.own_entry(block, dwarf.AT_ABSTRACT_ORIGIN)
    if model is None:
        return
    here = {origin.offset for origin in _origins(block)}
    for child in model.children():
        yield from (die for die in _variables(child) if die.offset not in here)


def _variables(die: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """The entry, or those of a block that has no code of its own."""
    if die.tag in _VARIABLES and _name(die):
        yield die
    elif die.tag == dwarf.TAG_BLOCK and all(die.attribute(name) is None for name in _CODE):
        for child in die.children() if depth < _MAX_NESTING else ():
            yield from _variables(child, depth + 1)


def _origins(block: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """What the entries in a block, and in blocks within, are copies of."""
    for die in block.children():
        origin = dwarf.own_entry(die, dwarf.AT_ABSTRACT_ORIGIN)
        if origin is not None:
            yield origin
        if die.tag == dwarf.TAG_BLOCK and depth < _MAX_NESTING:
            yield from _origins(die, depth + 1)


def _is_construct(frame: StackFrame) -> bool:
    return frame.symbol is not None and is_outlined(frame.symbol)


def _is_length(die: "_target.Die") -> bool:
    """Of an array, that Clang passes."""
    is_its = die.tag == dwarf.TAG_PARAMETER and _name(die) == LENGTH
    return is_its and dwarf.number(die, dwarf.AT_DECL_LINE) is None


def _all_variables(die: "_target.Die", depth: int = 0) -> "Iterator[_target.Die]":
    """Those of the functions in a unit, or in a block."""
    for child in die.children() if depth < _MAX_NESTING else ():
        if child.tag == dwarf.TAG_VARIABLE:
            yield child
        elif child.tag in _BLOCKS:
            yield from _all_variables(child, depth + 1)


def _is_same(one: "_target.Die", other: "_target.Die") -> bool:
    """As far as the other tells where it was declared."""
    name, line = _declaration(other)
    told, at = _declaration(one)
    return one.offset != other.offset and told == name and line in (at, None)


def _declaration(die: "_target.Die") -> _Declaration:
    return _name(die), dwarf.number(die, dwarf.AT_DECL_LINE)


def _name(die: "_target.Die") -> str:
    return dwarf.text(die, dwarf.AT_NAME) or ""


def _is_there(die: "_target.Die") -> bool:
    """It is no constant, and not only declared here."""
    if die.attribute(dwarf.AT_LOCATION) is not None:
        return True
    hidden = (dwarf.AT_CONST_VALUE, dwarf.AT_EXTERNAL, dwarf.AT_DECLARATION)
    return all(die.attribute(name) is None for name in hidden)


def _may_be_captured(die: "_target.Die") -> bool:
    return die.tag == dwarf.TAG_PARAMETER or _is_there(die)
