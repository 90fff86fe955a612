# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the frames of one thread are, by level; worked out as far as GDB asks for them.

Of stacks of just the same frames it is not worked out again: threads of a team wait in the same
place, and a program stops in the same place again. What the names rest on besides the code, the
state of OpenMP, is asked again each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, cast

from ompdbg import frames
from ompdbg.gdb_services import captured
from ompdbg.gdb_services.debugger import GdbServices
from ompdbg.model.walk import regions_around, walk_of

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.thread import Thread
    from ompdbg.model.walk import Walk
    from ompdbg.services import Frame

# So many frames are looked at before the first is shown.
_AHEAD = 6


class Kind(NamedTuple):
    """What a frame is."""

    is_shown: bool
    is_runtimes: bool
    frame: "Optional[Frame]"
    item: "Optional[LogicalFrame]" = None


_ANYBODYS = Kind(False, False, None)


class _Alike:
    """What is true of all stacks of the same frames around which OpenMP has as many regions."""

    __slots__ = ("kinds", "whole_from", "variables_elsewhere", "tasks_asked")

    def __init__(self) -> None:
        self.kinds: Dict[int, Kind] = {}  # by level
        self.whole_from: Optional[int] = None  # the level that told only the whole stack
        self.variables_elsewhere: "Optional[List[Frame]]" = None  # as _may_lie_elsewhere()
        self.tasks_asked: Dict[int, bool] = {}  # whether a function is the code of tasks


def _alike(thread: "Thread") -> Optional[_Alike]:
    """What is known already; None if GDB has not unwound such a stack."""
    runtime = thread.runtime
    if runtime.process is not None:
        return None  # other runtimes may tell more
    remembered = cast(GdbServices, runtime.services).remembered(thread.target)
    if remembered is None:
        return None
    key = (runtime.constants, *regions_around(thread))
    found: Optional[_Alike] = remembered.get(key)
    if found is not None and all(
        (start in runtime.explicit_functions) == was for start, was in found.tasks_asked.items()
    ):
        return found
    found = remembered[key] = _Alike()
    return found


class Story:
    """A thread's frames by level."""

    def __init__(self, thread: "Thread") -> None:
        self._thread = thread
        self._services = cast(GdbServices, thread.runtime.services)
        self._classifier = thread.runtime.classifier
        self._walk: "Iterator[Frame]" = iter(self._services.stack(thread.target))
        self._known: "List[Frame]" = []
        self._whole: "Optional[Walk]" = None
        self._alike: Optional[_Alike] = None
        self.variables: Dict[int, List[captured.Captured]] = {}  # that were looked for already
        self.is_begun = False  # GDB has frames to print

    def look_ahead(self, level: int) -> None:
        """Does what has to be done before GDB prints the first frame."""
        self._alike = _alike(self._thread)
        for one in range(level, level + _AHEAD):
            self.kind(one)
        if self._is_whole_needed(level + _AHEAD - 1):
            self._prepare()
        self.is_begun = True

    def kind(self, level: int) -> Kind:
        """What the frame is."""
        alike = self._alike
        if alike is None:
            return self._find(level)
        kind = alike.kinds.get(level)
        if kind is None:
            kind = self._find(level)
            if self._is_true_of_all():
                alike.kinds[level] = kind
        return kind

    def _is_true_of_all(self) -> bool:
        """What was found rests on nothing that is not asked again for each stack."""
        alike, whole = self._alike, self._whole
        if alike is None or whole is None:
            return alike is not None
        alike.tasks_asked.update(whole.constructs.tasks_asked)
        return not whole.constructs.is_told_by_runtime

    def _is_whole_needed(self, level: int) -> bool:
        """A frame of that level, or before, is one that only the whole stack tells."""
        if self._whole is not None:
            return True
        begin = self._alike.whole_from if self._alike is not None else None
        return begin is not None and level >= begin

    def _find(self, level: int) -> Kind:
        if not self._is_whole_needed(level):
            frame = self._frame(level)
            if frame is None:
                return _ANYBODYS
            kind = self._classifier.kind(frame)
            if kind != frames.RUNTIME and not _may_be_ours(frame):
                return Kind(kind == frames.USER, False, frame)
            if self._alike is not None:
                self._alike.whole_from = level
        whole = self._whole = walk_of(self._thread)
        if level >= len(whole.stack):
            return _ANYBODYS
        item = whole.constructs.frame(level)
        if item.kind == frames.USER:
            return Kind(True, False, item.frame, item)
        # What a compiler made around the user's code is no more his than the runtime.
        made = item.kind == frames.SYSTEM and self._classifier.kind(item.frame) == frames.USER
        return Kind(False, made or item.kind == frames.RUNTIME, item.frame, item)

    def _prepare(self) -> None:
        """What other threads tell is asked for before: GDB, once it prints frame after frame,
        loses count of them when another thread is selected."""
        alike = self._alike
        constructs = alike.variables_elsewhere if alike is not None else None
        if constructs is None:
            constructs = self._may_lie_elsewhere()
            if alike is not None and self._is_true_of_all():
                alike.variables_elsewhere = constructs
        for frame in constructs:
            handle = self._services.frame_handle(self._thread.target, frame)
            if handle is not None:
                self.variables[frame.level] = captured.local_variables(handle)

    def _may_lie_elsewhere(self) -> "List[Frame]":
        """The constructs of whose variables others may know more."""
        found = []
        for item in walk_of(self._thread).frames:
            handle = None
            if item.construct:
                handle = self._services.frame_handle(self._thread.target, item.frame)
            if handle is not None and captured.may_lie_elsewhere(handle):
                found.append(item.frame)
        return found

    def _frame(self, level: int) -> "Optional[Frame]":
        while len(self._known) <= level:
            frame = next(self._walk, None)
            if frame is None:
                return None
            self._known.append(frame)
        return self._known[level]


def _may_be_ours(frame: "Frame") -> bool:
    symbol = frame.symbol
    if symbol is None:
        return False
    if frames.is_outlined(symbol) or frames.is_runtime_stub(symbol):
        return True
    return symbol == "main" and frames.is_fortran(frame.file)
