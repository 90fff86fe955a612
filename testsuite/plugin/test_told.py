# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a debugger is told of frames and arguments."""

import sys
from typing import List, NamedTuple, Optional, Tuple

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


class Handle:
    """A frame as debuggers have them."""

    def __init__(self, pc: int, kind: int, older: "Optional[Handle]", fails: bool = False) -> None:
        self._pc, self._kind, self._older, self._fails = pc, kind, older, fails

    def pc(self) -> int:
        """Where it is."""
        if self._fails:
            raise RuntimeError("no registers")
        return self._pc

    def type(self) -> int:
        """0: nothing special."""
        return self._kind

    def older(self) -> "Optional[Handle]":
        """Its caller."""
        if self._pc == BROKEN:
            raise RuntimeError("cannot unwind")
        return self._older


BROKEN = 0xBAD


class Told(NamedTuple):
    """A place with what tells it."""

    function: str
    address: Optional[int] = None
    filename: Optional[str] = None
    line: Optional[int] = None
    arguments: object = None
    told: type = _ompd.ToldFrame


def stack(*frames: Tuple[int, int]) -> List[Handle]:
    """By address and kind, innermost first."""
    handles: List[Handle] = []
    for pc, kind in reversed(frames):
        handles.insert(0, Handle(pc, kind, handles[0] if handles else None))
    return handles


def test_frames_are_those_of_the_debugger() -> None:
    handles = stack((1, 0), (2, 5), (BROKEN, 0), (3, 0))
    assert list(_ompd.Frames(None, 0)) == []
    assert list(_ompd.Frames(handles[3], 0)) == handles[3:]
    frames = _ompd.Frames(handles[0], 0)
    assert [next(frames), next(frames)] == handles[:2]
    with pytest.raises(RuntimeError, match="cannot unwind"):
        next(frames)


@pytest.mark.parametrize(
    "rest", [[], [(9, 0), (2, 0)], [(2, 5), (2, 0)]], ids=["end", "unknown", "special"]
)
def test_a_stretch_ends_before_what_its_address_does_not_tell(rest: List[Tuple[int, int]]) -> None:
    handles = stack((1, 0), (2, 0), (3, 0), (2, 0), *rest)
    places = {1: Told("one"), 2: Told("two"), 3: Told("three")}
    frames, seen = _ompd.Frames(handles[0], 0), [next]
    newest = next(frames)
    first = _ompd.ToldFrame(newest, places[1])
    stretch = _ompd.Stretch(frames, places, seen, first)
    told = list(stretch)
    assert told[0] is first and [one.function() for one in told] == ["one", "two", "three"]
    assert stretch.last.function() == "two" and stretch.last.inferior_frame() is handles[3]
    assert seen == [next, *handles[1:4]]
    assert list(frames) == handles[4:]


def test_a_stretch_leaves_what_fails_to_others() -> None:
    places = {2: Told("two")}
    frames = _ompd.Frames(Handle(2, 0, None, fails=True), 0)
    stretch = _ompd.Stretch(frames, places, [], "before")
    assert list(stretch) == [] and stretch.last == "before"
    assert len(list(frames)) == 1
    frames = _ompd.Frames(stack((BROKEN, 0))[0], 0)
    with pytest.raises(RuntimeError, match="cannot unwind"):
        next(_ompd.Stretch(frames, {BROKEN: Told("broken")}, [], None))
    for wrong in [(iter([]), {}, []), (frames, [], []), (frames, {}, ())]:
        with pytest.raises(TypeError):
            _ompd.Stretch(*wrong, None)


def test_a_stretch_keeps_nothing() -> None:
    handles, places = stack(*[(2, 0)] * 50), {2: Told("two")}

    def counted() -> List[int]:
        return [sys.getrefcount(one) for one in (*handles, places, places[2], Handle)]

    before = counted()
    for _ in range(10):
        assert len(list(_ompd.Stretch(_ompd.Frames(handles[0], 0), places, [], None))) == 50
    assert counted() == before
