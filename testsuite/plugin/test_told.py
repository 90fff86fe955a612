# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a debugger is told of frames and arguments."""

import sys
from typing import NamedTuple

import pytest

import _ompd


class Place(NamedTuple):
    """As the plug-in has them: with more than is told."""

    function: str = "solve"
    address: int = 0x1234
    filename: str = "solve.c"
    line: int = 17
    arguments: object = ()
    more: int = 5


class Derived(_ompd.ToldFrame):
    """As the plug-in has them."""

    __slots__ = ()

    def frame_args(self) -> list:
        """The frame, too."""
        return [super().frame_args(), self.inferior_frame()]


def test_a_frame_tells_its_place() -> None:
    handle, place = object(), Place(arguments=[1])
    told = _ompd.ToldFrame(handle, place)
    assert told.inferior_frame() is handle
    assert (told.function(), told.address(), told.filename()) == ("solve", 0x1234, "solve.c")
    assert told.line() == 17 and told.frame_args() is place.arguments
    assert told.elided() is None
    derived = Derived(handle, place)
    assert derived.frame_args() == [[1], handle] and derived.function() == "solve"


def test_an_argument_has_a_symbol_only() -> None:
    symbol = object()
    assert _ompd.ToldArgument(symbol).symbol() is symbol
    assert _ompd.ToldArgument(symbol).value() is None


def test_nothing_is_kept_longer() -> None:
    every = (object(), Place(), Derived, _ompd.ToldFrame, _ompd.ToldArgument)
    handle, place = every[:2]

    def counted() -> list:
        return [sys.getrefcount(one) for one in every]

    before = counted()
    told = [
        (_ompd.ToldFrame(handle, place), Derived(handle, place), _ompd.ToldArgument(handle))
        for _ in range(100)
    ]
    assert [now - then for now, then in zip(counted(), before)] == [300, 200, 100, 100, 100]
    assert all(one.frame_args()[1] is handle for _, one, _ in told)
    del told
    assert counted() == before


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2), (1, (2, 3)), (1, Place(), 3)])
def test_what_is_no_place_is_refused(arguments: tuple) -> None:
    with pytest.raises(TypeError):
        _ompd.ToldFrame(*arguments)
    with pytest.raises(TypeError):
        _ompd.ToldArgument()
