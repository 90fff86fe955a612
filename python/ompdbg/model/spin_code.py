# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of x86-64 of which loops are made that only look at memory.

Only those are known that write to nothing but registers and the frame of their function. Of code
with another one, nothing is said.
"""

from __future__ import annotations

from typing import FrozenSet, List, NamedTuple, Optional, Tuple

_RAX, _RSP, _RBP = 0, 4, 5
_FLAGS = frozenset((16,))
FRAME = frozenset((_RSP, _RBP))  # their own, and they stay as they are
_BASE_OF_SIB, _RIP = 4, 5  # in place of a register
_KEPT = frozenset((3, 4, 5, 12, 13, 14, 15))
# What a called function may leave in any state (System V ABI for x86-64, 3.2.1).
_LOST = frozenset(range(17)) - _KEPT
_NOTHING: FrozenSet[int] = frozenset()

_PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0xF2, 0xF3))
_SHORT = 0x66
_OF_THREADS = frozenset((0x64, 0x65))  # addresses are counted from a thread's own storage
_FENCE_OF_GCC = (b"\xf0\x83\x0c\x24\x00", b"\xf0\x48\x83\x0c\x24\x00")  # lock or $0, (%rsp)
_LONGEST = 15

# Opcodes: register from register or memory, and register or memory from register.
_LOADS = frozenset((0x8A, 0x8B, 0x63))
_LONG_LOADS = frozenset((0xB6, 0xB7, 0xBE, 0xBF))
_TESTS = frozenset((0x84, 0x85, 0x38, 0x39, 0x3A, 0x3B))
_INTO_REGISTER = frozenset((0x03, 0x0B, 0x23, 0x2B, 0x33))
_INTO_OTHER = frozenset((0x01, 0x09, 0x21, 0x29, 0x31))
_OF_ITSELF = frozenset((0x29, 0x2B, 0x31, 0x33))  # xor, sub: of a register and itself, zero
_GROUP_1 = {0x80: 1, 0x81: 4, 0x83: 1}  # with so many bytes of a number
_COMPARE = 7
_CHANGES_OF_RAX = {
    opcode + wide: 4 if wide else 1 for opcode in (0x04, 0x0C, 0x24, 0x2C, 0x34) for wide in (0, 1)
}
_WIDE_OF_RAX = (0x05, 0x0D, 0x25, 0x2D, 0x35)
_TESTS_OF_RAX = {0xA8: 1, 0xA9: 4, 0x3C: 1, 0x3D: 4}


class Memory(NamedTuple):
    """What an instruction reads."""

    registers: FrozenSet[int]  # of the address
    distance: int  # from these; an address, if there are none
    size: int  # 0: of no interest


class Step(NamedTuple):
    """An instruction."""

    address: int
    following: Tuple[int, ...]  # where the next may be
    reads: FrozenSet[int] = _NOTHING
    writes: FrozenSet[int] = _NOTHING
    load: Optional[Memory] = None
    store: Optional[Memory] = None  # in the frame of the function
    called: Optional[int] = None  # entry point of a function


class _Operands(NamedTuple):
    register: int
    other: Optional[int]  # None: memory
    memory: Optional[Memory]
    reads: FrozenSet[int]  # for the address
    end: int


def decode(code: bytes, address: int) -> Optional[Step]:
    """The instruction at the begin of `code`; None if it is none of these."""
    for fence in _FENCE_OF_GCC:
        if code.startswith(fence):
            return Step(address, (address + len(fence),))
    try:
        return _decode(code[:_LONGEST], address)
    except IndexError:
        return None  # cut off


def _decode(code: bytes, address: int) -> Optional[Step]:
    at, of_thread, is_short = 0, False, False
    while code[at] in _PREFIXES:
        of_thread = of_thread or code[at] in _OF_THREADS
        is_short = is_short or code[at] == _SHORT
        at += 1
    rex = code[at] if code[at] & 0xF0 == 0x40 else 0
    at += rex != 0
    opcode, at = code[at], at + 1
    if opcode == 0x0F:
        return _long(code, address, at, rex)
    if opcode == 0x90 and not rex:
        return Step(address, (address + at,))
    if opcode & 0xF0 == 0x70 or opcode in (0xEB, 0xE9, 0xE8):
        return _jump(code, address, opcode, at)
    if is_short and _has_long_number(opcode):
        return None
    if opcode in _TESTS_OF_RAX:
        return Step(address, (address + at + _TESTS_OF_RAX[opcode],), frozenset((_RAX,)), _FLAGS)
    if opcode in _CHANGES_OF_RAX:
        both = frozenset((_RAX,))
        return Step(address, (address + at + _CHANGES_OF_RAX[opcode],), both, both | _FLAGS)
    if opcode & 0xF8 == 0xB0 and (rex or opcode & 7 < _RSP):
        low = frozenset((opcode & 7 | (rex & 1) << 3,))
        return Step(address, (address + at + 1,), writes=low)
    if opcode & 0xF8 == 0xB8:
        end = address + at + (8 if rex & 8 else 4)
        return Step(address, (end,), writes=frozenset((opcode & 7 | (rex & 1) << 3,)))
    if opcode == 0x98:
        both = frozenset((_RAX,))
        return Step(address, (address + at,), both, both)
    size = 0 if of_thread else 8 if rex & 8 else 4
    found = _operands(code, address, at, rex, size, _number_size(opcode, code[at]))
    if not rex and not opcode & 1 and _is_high(found.register, found.other):
        return None
    return _plain(opcode, code[at], address, found)


def _is_high(*registers: Optional[int]) -> bool:
    """Of a byte, and without a prefix, these are the second bytes of other registers."""
    return any(one is not None and one >= _RSP for one in registers)


def _has_long_number(opcode: int) -> bool:
    """Four bytes, or two with a prefix."""
    return (
        opcode in (0x81, 0xC7, 0xF7, 0xA9, 0x3D) or opcode in _WIDE_OF_RAX or opcode & 0xF8 == 0xB8
    )


def _number_size(opcode: int, form: int) -> int:
    """Bytes of a number at the end of an instruction with operands."""
    if opcode in (0xF6, 0xF7):
        return (1 if opcode == 0xF6 else 4) if form >> 3 & 7 < 2 else 0
    return _GROUP_1.get(opcode, 4 if opcode == 0xC7 else 1 if opcode in (0xC0, 0xC1) else 0)


def _plain(opcode: int, form: int, address: int, found: _Operands) -> Optional[Step]:
    """An instruction with two operands, one of them perhaps in memory."""
    kind, own, other = form >> 3 & 7, frozenset((found.register,)), found.other
    following = (found.end,)
    theirs = found.reads if other is None else frozenset((other,))
    if opcode in _LOADS:
        return Step(address, following, theirs, own, found.memory)
    if opcode == 0x8D:
        return None if other is not None else Step(address, following, theirs, own)
    if opcode in _TESTS:
        return Step(address, following, theirs | own, _FLAGS, found.memory)
    if opcode in _INTO_REGISTER:
        reads = _NOTHING if opcode in _OF_ITSELF and other == found.register else theirs | own
        return Step(address, following, reads, own | _FLAGS, found.memory)
    is_test = opcode in _GROUP_1 and kind == _COMPARE or opcode in (0xF6, 0xF7) and kind < 2
    if is_test:
        return Step(address, following, theirs, _FLAGS, found.memory)
    if other is None:
        return _store(opcode, kind, address, found)
    if opcode in (0x88, 0x89):
        return Step(address, following, own, theirs)
    if opcode in _INTO_OTHER:
        reads = _NOTHING if opcode in _OF_ITSELF and other == found.register else theirs | own
        return Step(address, following, reads, theirs | _FLAGS)
    if opcode == 0xC7 and kind == 0:
        return Step(address, following, writes=theirs)
    changes = opcode in _GROUP_1 or opcode in (0xC0, 0xC1, 0xD0, 0xD1)
    if changes or opcode in (0xF6, 0xF7) and kind in (2, 3):
        return Step(address, following, theirs | _FLAGS, theirs | _FLAGS)
    return None


def _store(opcode: int, kind: int, address: int, found: _Operands) -> Optional[Step]:
    """It writes to memory: of a register or a number."""
    memory = found.memory
    if memory is None or not memory.size or len(memory.registers) != 1:
        return None
    if not memory.registers <= FRAME:
        return None
    # Where it points to no frame, it is a pointer to the begin of what it points to.
    if memory.registers == frozenset((_RBP,)) and memory.distance >= 0:
        return None
    if opcode in (0x88, 0x89):
        own = frozenset((found.register,))
        return Step(address, (found.end,), own, store=memory)
    is_number = opcode == 0xC7 and kind == 0
    return Step(address, (found.end,), store=memory) if is_number else None


def _long(code: bytes, address: int, at: int, rex: int) -> Optional[Step]:
    """An instruction whose opcode has two bytes, of which the second is at `at`."""
    opcode, at = code[at], at + 1
    if opcode & 0xF0 == 0x80:
        distance = int.from_bytes(code[at : at + 4], "little", signed=True)
        return Step(address, (address + at + 4, address + at + 4 + distance))
    if opcode == 0xAE:
        is_fence = code[at] >= 0xE8
        return Step(address, (address + at + 1,)) if is_fence else None
    if opcode == 0x1E and code[at] == 0xFA:
        return Step(address, (address + at + 1,))  # endbr64
    found = _operands(code, address, at, rex, 2 if opcode & 1 else 1, 0)
    own = frozenset((found.register,))
    theirs = found.reads if found.other is None else frozenset((found.other,))
    is_byte = opcode in (0xB6, 0xBE) or opcode & 0xF0 == 0x90
    if not rex and is_byte and _is_high(found.other):
        return None
    if opcode == 0x1F:
        return Step(address, (found.end,))
    if opcode in _LONG_LOADS:
        return Step(address, (found.end,), theirs, own, found.memory)
    if opcode & 0xF0 == 0x40:
        return Step(address, (found.end,), theirs | own | _FLAGS, own, found.memory)
    if opcode & 0xF0 == 0x90 and found.other is not None:
        return Step(address, (found.end,), _FLAGS, theirs)
    return None


def _jump(code: bytes, address: int, opcode: int, at: int) -> Step:
    size = 4 if opcode in (0xE9, 0xE8) else 1
    if at + size > len(code):
        raise IndexError
    after = address + at + size
    there = after + int.from_bytes(code[at : at + size], "little", signed=True)
    if opcode == 0xE8:
        return Step(address, (after,), writes=_LOST, called=there)
    return Step(address, (there,) if opcode in (0xEB, 0xE9) else (after, there))


def _operands(code: bytes, address: int, at: int, rex: int, size: int, number: int) -> _Operands:
    """ModR/M, SIB and displacement; `number`: bytes that follow them."""
    form, at = code[at], at + 1
    mode, register, low = form >> 6, form >> 3 & 7 | (rex & 4) << 1, form & 7
    if mode == 3:
        other = low | (rex & 1) << 3
        return _Operands(register, other, None, _NOTHING, address + at + number)
    registers: List[int] = []
    width = (0, 1, 4)[mode]
    if low == _BASE_OF_SIB:
        sib, at = code[at], at + 1
        index = sib >> 3 & 7 | (rex & 2) << 2
        if index != _RSP:
            registers.append(index)
            size = 0  # it may be multiplied
        if mode == 0 and sib & 7 == _RIP:
            width = 4
        else:
            registers.append(sib & 7 | (rex & 1) << 3)
    elif mode == 0 and low == _RIP:
        width = 4
    else:
        registers.append(low | (rex & 1) << 3)
    if at + width + number > len(code):
        raise IndexError
    distance = int.from_bytes(code[at : at + width], "little", signed=True)
    end = address + at + width + number
    if low == _RIP and mode == 0:
        distance += end
    reads = frozenset(registers)
    return _Operands(register, None, Memory(reads, distance, size), reads, end)
