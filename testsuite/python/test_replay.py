# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions done again: what they leave in registers and on the stack, and what is not known."""

from typing import Optional

import pytest

from ompdbg.model.replay import Content, Machine, Value
from ompdbg.model.x86_values import RAX, RBP, RDI, RDX, RSP, decode

AT, FRAME = 0x1000, 0x7FFF0000
RSI = 6


def after(code: str, load: Optional[int] = None, **registers: int) -> Machine:
    """The machine behind these bytes; memory holds `load` everywhere."""
    numbers = {"rax": RAX, "rdx": RDX, "rdi": RDI, "rsi": RSI, "rbp": RBP, "rsp": RSP}
    values: "list[Value]" = [None] * 16
    for name, value in registers.items():
        values[numbers[name]] = value
    machine = Machine(values, lambda address, width: load)
    text, address = bytes.fromhex(code), AT
    while address < AT + len(text):
        insn = decode(text[address - AT :], address)
        assert insn is not None
        machine.do(insn)
        address = insn.after
    return machine


@pytest.mark.parametrize(
    "code,wanted",
    (
        ("488d05f90f0000", 0x2000),  # lea 0xff9(%rip),%rax
        ("48c7c0ffffffff", (1 << 64) - 1),  # mov $-1,%rax
        ("b8ffffffff", 0xFFFFFFFF),  # mov $0xffffffff,%eax
        ("488d047d00000000", 0x20),  # lea 0x0(,%rdi,2),%rax
        ("4889f84883e801", 0xF),  # mov %rdi,%rax; sub $1,%rax
        ("4889f848c1e002", 0x40),  # mov %rdi,%rax; shl $2,%rax
        ("486bc70c", 0xC0),  # imul $12,%rdi,%rax
        ("31c0", 0),  # xor %eax,%eax
        ("4889f8b001", 0x01),  # mov %rdi,%rax; mov $1,%al
        ("488d47ef", (1 << 64) - 1),  # lea -0x11(%rdi),%rax
        ("8d47ef", 0xFFFFFFFF),  # lea -0x11(%rdi),%eax
        ("0fb6c7", None),  # movzbl %bh,%eax
        ("4889f880cc01", None),  # mov %rdi,%rax; or $1,%ah
        ("f3480f2cc0", None),  # cvttss2si %xmm0,%rax
    ),
)
def test_registers(code: str, wanted: Value) -> None:
    assert after(code, rdi=0x10).registers[RAX] == wanted


def test_what_is_stored_is_loaded() -> None:
    # mov %rdi,-8(%rbp); mov -8(%rbp),%rax
    machine = after("48897df8488b45f8", rbp=FRAME, rdi=0x10)
    assert machine.registers[RAX] == 0x10 and not machine.loaded
    # mov %edi,-4(%rbp): of the word at -8 a half is known
    assert after("897dfc488b45f8", rbp=FRAME, rdi=0x10).registers[RAX] is None


def test_a_store_to_somewhere_makes_all_memory_unknown() -> None:
    # mov %rdi,-8(%rbp); mov %rdi,(%rdx); mov -8(%rbp),%rax
    machine = after("48897df848893a488b45f8", load=5, rbp=FRAME, rdi=0x10)
    assert machine.registers[RAX] is None


def test_a_store_behind_a_load_spoils_it() -> None:
    # mov -8(%rbp),%rax; mov %rdi,-8(%rbp)
    machine = after("488b45f848897df8", load=5, rbp=FRAME, rdi=0x10)
    assert machine.registers[RAX] == 5 and machine.is_spoilt
    # the same with the next word
    assert not after("488b45f848897df0", load=5, rbp=FRAME, rdi=0x10).is_spoilt


def test_a_comparison_of_what_is_not_known_decides_nothing() -> None:
    assert after("4885ff", rdi=0x10).is_zero is False  # test %rdi,%rdi
    assert after("4885ff").is_zero is None
    assert after("4883ff10", rdi=0x10).is_zero is True  # cmp $0x10,%rdi


def test_distances_from_what_memory_held() -> None:
    machine = Machine([None] * 16, lambda address, width: Content(address, 0))
    machine.registers[RDI] = FRAME
    for code in ("488b07", "4883c008"):  # mov (%rdi),%rax; add $8,%rax
        insn = decode(bytes.fromhex(code), AT)
        assert insn is not None
        machine.do(insn)
    assert machine.registers[RAX] == Content(FRAME, 8)


@pytest.mark.parametrize("code", ("0f05", "c5fc77", "d9e8", "f3aa", "48"))
def test_instructions_that_are_not_known(code: str) -> None:
    assert decode(bytes.fromhex(code), AT) is None
