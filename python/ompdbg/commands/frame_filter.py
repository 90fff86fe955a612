# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""set omp frame-filter, and the filter itself: what GDB's own `bt` shows."""

from __future__ import annotations

from typing import Any, Iterator

import gdb

from ompdbg.commands.command import dedent

_NAME = "omp"
_PRIORITY = 100
_ON, _OFF, _INDENTED = "on", "off", "indented"


class _Filter:
    """As GDB's frame filters have to be."""

    name = _NAME
    priority = _PRIORITY
    enabled = True
    hide = True

    def filter(self, frames: Iterator[Any]) -> Iterator[Any]:
        """The frames of the selected thread, decorated."""
        from ompdbg.frames import frame_filter
        from ompdbg.front_ends import file_names

        return file_names.told(frame_filter.decorated(frames, self.hide))


_filter = _Filter()


class FrameFilter(gdb.Parameter):
    """Values are "on", "off" and "indented".

    With "on", "bt" and others that use frame filters leave out frames of the
    OpenMP runtime, and name the code of a construct after it, as in "parallel
    region of solve"; "bt -full" shows the variables that it uses under their own
    names. With "indented", frames of the runtime are shown indented, unless by
    "bt -hide". "bt -no-filters" shows every frame as it is. "omp bt" also goes on
    in the thread that encountered a region."""

    set_doc = "Set how GDB's own commands show stacks of OpenMP."
    show_doc = "Show how GDB's own commands show stacks of OpenMP."

    def __init__(self) -> None:
        dedent(self)
        super().__init__(
            "omp frame-filter", gdb.COMMAND_STACK, gdb.PARAM_ENUM, [_ON, _OFF, _INDENTED]
        )
        self.value = _ON
        for space in gdb.progspaces():
            _register(space)
        gdb.events.new_objfile.connect(_on_objfile)

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        _filter.enabled = self.value != _OFF
        _filter.hide = self.value == _ON
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f"The frame filter for OpenMP is {value}."


def _register(space: gdb.Progspace) -> None:
    space.frame_filters[_NAME] = _filter


def _on_objfile(event: Any) -> None:
    """A program, or a library of it, was loaded."""
    space = event.new_objfile.progspace
    if _NAME not in space.frame_filters:
        _register(space)
