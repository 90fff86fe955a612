# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings: set omp SETTING, show omp SETTING."""

from __future__ import annotations

import os
from typing import Any, Iterator

import gdb

from ompdbg.commands.command import dedent
from ompdbg.console import encoding


class SetOmp(gdb.Command):
    """Settings of the OpenMP commands.
    Usage: set omp SETTING VALUE"""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("set omp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no setting matches."""
        gdb.execute("help set omp", from_tty)


class ShowOmp(gdb.Command):
    """Show the settings of the OpenMP commands.
    Usage: show omp [SETTING]"""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("show omp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB if no setting is named."""
        gdb.execute("show omp debug", from_tty)
        gdb.execute("show omp frame-filter", from_tty)
        gdb.execute("show omp library", from_tty)
        gdb.execute("show omp record", from_tty)
        gdb.execute("show omp thread-names", from_tty)


class Debug(gdb.Parameter):
    """With "on", that is with a Python traceback, and what the OMPD library has to
    say is printed, too."""

    set_doc = "Set whether failures of the OpenMP commands are shown in full."
    show_doc = "Show whether failures of the OpenMP commands are shown in full."

    def __init__(self) -> None:
        super().__init__("omp debug", gdb.COMMAND_MAINTENANCE, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f"Full reports of failures of the OpenMP commands are {value}."


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
        from ompdbg.front_ends import mi

        return mi.with_paths(frame_filter.decorated(frames, self.hide))


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


class Library(gdb.Parameter):
    """It is "auto", or the path of one. With "auto" it is ompdbg's own for the
    runtimes that it knows. For others it is the library that the runtime names, if
    it lies in the "auto-load safe-path" and only its owner can write there; a
    library that is named here is loaded wherever it lies."""

    set_doc = "Set the OMPD library that the OpenMP commands ask."
    show_doc = "Show the OMPD library that the OpenMP commands ask."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp library", gdb.COMMAND_DATA, gdb.PARAM_OPTIONAL_FILENAME)
        self.value = "auto"

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        if not self.value:
            self.value = "auto"
        if self.value != "auto" and not os.path.isfile(os.path.expanduser(self.value)):
            wrong, self.value = self.value, "auto"
            raise encoding.failure(f'set omp library: no file "{wrong}"; it is "auto" now.')
        from ompdbg.inferior import session

        session.library_changed()
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f'The OMPD library that the OpenMP commands ask is "{value}".'


class Record(gdb.Parameter):
    """Whether the program records what its OpenMP threads do, once it is run.
    With "on", the environment of the program that "run" starts gets two libraries
    (LD_PRELOAD), as "ompdbg record" in a shell does: the program then keeps in its
    memory what happened last in each thread, who holds each lock, and where each
    task was made. It is a setting of the current inferior, whose environment "off"
    restores. OMPDBG_RECORD in the environment has options: see ompdbg(1)."""

    set_doc = "Set whether programs record what their OpenMP threads do."
    show_doc = "Show whether programs record what their OpenMP threads do."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp record", gdb.COMMAND_RUNNING, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        from ompdbg.console import encoding
        from ompdbg.inferior import recorder

        problem = recorder.switch(bool(self.value))
        if problem is not None:
            self.value = False
            raise encoding.failure(f"set omp record: {problem}")
        if gdb.selected_inferior().pid:
            return "It takes effect when the program is run again."
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        from ompdbg.inferior import recorder

        state = "on" if recorder.is_on() else "off"
        return f"Recording of OpenMP programs that this inferior runs is {state}."


class ThreadNames(gdb.Parameter):
    """Whether GDB shows OpenMP threads under names like "omp 3/64 barrier".
    With "on", "info threads" and the lists of front ends show for each OpenMP
    thread its number, the size of its team, and what it did when the program
    stopped. Names that were given by "thread name" stay
    as they are."""

    set_doc = "Set whether GDB's lists of threads tell OpenMP states."
    show_doc = "Show whether GDB's lists of threads tell OpenMP states."

    def __init__(self) -> None:
        dedent(self)
        super().__init__("omp thread-names", gdb.COMMAND_STATUS, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        """What GDB prints after the setting was changed."""
        from ompdbg.inferior import thread_names

        thread_names.switch(bool(self.value))
        return ""

    def get_show_string(self, value: str) -> str:
        """What GDB prints of the setting."""
        return f"Names for OpenMP threads are {value}."


ALL = (Debug, FrameFilter, Library, Record, ThreadNames)
