# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an answer rests on is looked up again: memory of this very process, and registers."""

import ctypes
import os
from typing import Any, Tuple

import pytest

import _ompd
from child import Debugger
from fake import ICV_READ, Fake, FakeServices
from test_direct import child, debugger  # noqa: F401

SIZE = 3 * 4096


@pytest.fixture
def room() -> "Tuple[Any, int]":
    """Memory and its address."""
    buffer = ctypes.create_string_buffer(bytes(range(256)) * (SIZE // 256), SIZE)
    return buffer, ctypes.addressof(buffer)


def note(buffer: Any, address: int, offset: int, size: int) -> None:
    _ompd.Trail.note(address + offset, buffer.raw[offset : offset + size])


def test_each_byte_counts_and_no_other(room: "Tuple[Any, int]") -> None:
    buffer, address = room
    pieces = [(0, 8), (4, 8), (40, 1), (4090, 12), (SIZE - 16, 16), (0, 8)]
    trail = _ompd.Trail(os.getpid())
    with trail:
        for piece in pieces:
            note(buffer, address, *piece)
    assert trail.is_whole and trail.holds()
    found = {(address + offset, size) for offset, size in pieces}
    assert set(trail.memory()) == found and len(trail.memory()) == len(found)
    used = {at for offset, size in pieces for at in range(offset, offset + size)}
    for at in {*used, 12, 39, 41, 4089, 4102, 2000, SIZE - 17}:
        before = buffer[at]
        buffer[at] = bytes([before[0] ^ 0x10])
        assert trail.holds() == (at not in used), at
        buffer[at] = before
    assert trail.holds()


def test_nothing_noted_holds() -> None:
    trail = _ompd.Trail(os.getpid())
    with trail:
        pass
    assert trail.is_whole and trail.holds()


def test_many_pieces(room: "Tuple[Any, int]") -> None:
    buffer, address = room
    trail = _ompd.Trail(os.getpid())
    with trail:
        for offset in range(SIZE - 8):
            note(buffer, address, offset, 8)
    assert len(trail.memory()) == SIZE - 8 and trail.holds()
    buffer[5000] = b"\0"
    assert not trail.holds()


def test_what_cannot_be_looked_up_again(room: "Tuple[Any, int]") -> None:
    buffer, address = room
    lost, changed, large = (_ompd.Trail(os.getpid()) for _ in range(3))
    with lost:
        note(buffer, address, 0, 8)
        _ompd.Trail.lose()
    with changed:
        note(buffer, address, 0, 8)
        _ompd.Trail.note(address, b"otherwis")
    with large:
        _ompd.Trail.note(address, bytes(1 << 23))
    for trail in (lost, changed, large):
        assert not trail.is_whole and not trail.holds()


def test_memory_that_is_gone() -> None:
    trail = _ompd.Trail(os.getpid())
    with trail:
        _ompd.Trail.note(0x10, b"\0" * 8)
    assert trail.is_whole and not trail.holds()
    other = _ompd.Trail(1 << 22)
    with other:
        _ompd.Trail.note(0x10, b"\0" * 8)
    assert not other.holds()


def test_one_at_a_time(room: "Tuple[Any, int]") -> None:
    buffer, address = room
    trail, other = _ompd.Trail(os.getpid()), _ompd.Trail(os.getpid())
    with trail:
        assert not trail.holds(), "it has not ended"
        with pytest.raises(RuntimeError):
            other.__enter__()
        note(buffer, address, 0, 8)
    with pytest.raises(RuntimeError):
        trail.__enter__()
    assert trail.holds()
    with pytest.raises(KeyError):
        with other:
            raise KeyError
    assert not other.is_whole
    # Nobody lays one now.
    note(buffer, address, 0, 8)
    _ompd.Trail.lose()
    assert trail.holds() and trail.memory() == [(address, 8)]


def test_what_a_library_reads(
    fake: Fake, debugger: Debugger, child: Tuple[int, int]  # noqa: F811
) -> None:
    """The bytes that it asked for, also those of a page that was there; not the whole page."""
    space = _ompd.Library(str(fake.path)).open(debugger)
    fake.reads((child[1], 8))
    space.icv(ICV_READ)
    trail = _ompd.Trail(child[0])
    with trail:
        fake.reads((child[1] + 16, 4), (child[1] + 8192, 100))
        space.icv(ICV_READ)
    assert sorted(trail.memory()) == [(child[1] + 16, 4), (child[1] + 8192, 100)]
    assert trail.holds()


def test_a_read_that_fails(fake: Fake, services: FakeServices) -> None:
    space = _ompd.Library(str(fake.path)).open(services)
    trail = _ompd.Trail(os.getpid())
    with trail:
        fake.reads((0x10, 8))
        with pytest.raises(Exception):
            space.icv(ICV_READ)
    assert not trail.is_whole


def test_registers_of_who_is_not_traced() -> None:
    trail = _ompd.Trail(os.getpid())
    resting = _ompd.Resting(os.getpid(), lambda address: True)
    with trail:
        resting.rest(os.getpid())
    assert not trail.is_whole


@pytest.mark.parametrize("arguments", [(), ("1",), (1, 2)])
def test_wrong_arguments(arguments: Any) -> None:
    with pytest.raises(TypeError):
        _ompd.Trail(*arguments)
    with pytest.raises(TypeError):
        _ompd.Trail.note(*arguments)
