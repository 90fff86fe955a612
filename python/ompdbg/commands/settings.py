# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings: set omp SETTING, show omp SETTING."""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

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
        gdb.execute("help set omp", from_tty)  # no setting matches


class ShowOmp(gdb.Command):
    """Show the settings of the OpenMP commands.
    Usage: show omp [SETTING]"""

    def __init__(self) -> None:
        dedent(self)
        super().__init__("show omp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        for setting in ALL:
            gdb.execute(f"show {setting.name}", from_tty)


class _Setting(gdb.Parameter):
    """A setting. Its docstring is its help."""

    name = ""
    kind = gdb.PARAM_BOOLEAN
    category = gdb.COMMAND_STATUS
    default: Any = False
    choices: Sequence[str] = ()
    state = ""  # what GDB prints of it

    def __init__(self) -> None:
        dedent(self)
        choices = [list(self.choices)] if self.choices else []
        super().__init__(self.name, self.category, self.kind, *choices)
        self.value = self.default

    def change(self) -> str:
        """Do what the new value asks for. Return what GDB shall print."""
        return ""

    def get_set_string(self) -> str:
        return self.change()

    def get_show_string(self, value: str) -> str:
        return self.state.format(value)


class Debug(_Setting):
    """With "on", that is with a Python traceback, and what the OMPD library has to
    say is printed, too."""

    set_doc = "Set whether failures of the OpenMP commands are shown in full."
    show_doc = "Show whether failures of the OpenMP commands are shown in full."

    name = "omp debug"
    category = gdb.COMMAND_MAINTENANCE
    state = "Full reports of failures of the OpenMP commands are {}."


class _Filter:
    """The frame filter that GDB asks."""

    name = "omp"
    priority = 100
    enabled = True
    hide = True

    def filter(self, frames: Iterator[Any]) -> Iterator[Any]:
        """Return the frames of the selected thread, decorated."""
        from ompdbg.frames import fallback, frame_filter
        from ompdbg.front_ends import mi

        return fallback.guarded(lambda: mi.with_paths(frame_filter.decorated(frames, self.hide)))


_filter = _Filter()


class FrameFilter(_Setting):
    """Values are "on", "off" and "indented".

    With "on", "bt" and other commands that use frame filters omit frames of the
    OpenMP runtime and name constructs, as in "parallel region of solve"; "bt
    -full" shows the variables of a construct under their own names. With
    "indented", frames of the runtime are shown indented; "bt -hide" omits them.
    "bt -no-filters" shows every frame unchanged. "omp bt" also continues in the
    thread that encountered a region."""

    set_doc = "Set how GDB's own commands show stacks of OpenMP."
    show_doc = "Show how GDB's own commands show stacks of OpenMP."

    name = "omp frame-filter"
    category = gdb.COMMAND_STACK
    kind = gdb.PARAM_ENUM
    choices = ("on", "off", "indented")
    default = "on"
    state = "The frame filter for OpenMP is {}."

    def __init__(self) -> None:
        super().__init__()
        for space in gdb.progspaces():
            _register(space)
        gdb.events.new_objfile.connect(lambda event: _register(event.new_objfile.progspace))

    def change(self) -> str:
        _filter.enabled = self.value != "off"
        _filter.hide = self.value == "on"
        return ""


def _register(space: gdb.Progspace) -> None:
    space.frame_filters.setdefault(_filter.name, _filter)


class Library(_Setting):
    """The value is "auto" or the path of a library. With "auto", ompdbg uses its own
    library for the runtimes that it knows. For other runtimes it uses the library
    that the runtime names, if that is in the "auto-load safe-path" and only its
    owner can write there. A library that is named here is loaded from any folder."""

    set_doc = "Set the OMPD library that the OpenMP commands ask."
    show_doc = "Show the OMPD library that the OpenMP commands ask."

    name = "omp library"
    category = gdb.COMMAND_DATA
    kind = gdb.PARAM_OPTIONAL_FILENAME
    default = "auto"
    state = 'The OMPD library that the OpenMP commands ask is "{}".'

    def change(self) -> str:
        self.value = self.value or self.default
        if self.value != self.default and not os.path.isfile(os.path.expanduser(self.value)):
            wrong, self.value = self.value, self.default
            raise encoding.failure(f'set omp library: no file "{wrong}"; it is "auto" now.')
        from ompdbg.inferior import session

        session.library_changed()
        return ""


class Record(_Setting):
    """Whether the program records what its OpenMP threads do, once it is run.
    With "on", "run" preloads two libraries into the program (LD_PRELOAD), as
    "ompdbg record" in a shell does. The program then keeps in its memory the
    latest events of each thread, the owner of each lock, and the place where each
    task was created. The setting belongs to the current inferior; "off" restores
    its environment. OMPDBG_RECORD in the environment holds options: see
    ompdbg(1)."""

    set_doc = "Set whether programs record what their OpenMP threads do."
    show_doc = "Show whether programs record what their OpenMP threads do."

    name = "omp record"
    category = gdb.COMMAND_RUNNING
    state = "Recording of OpenMP programs that this inferior runs is {}."

    def change(self) -> str:
        from ompdbg.inferior import recorder

        problem = recorder.switch(bool(self.value))
        if problem is not None:
            self.value = False
            raise encoding.failure(f"set omp record: {problem}")
        is_running = gdb.selected_inferior().pid
        return "It takes effect when the program is run again." if is_running else ""

    def get_show_string(self, value: str) -> str:
        from ompdbg.inferior import recorder

        return super().get_show_string("on" if recorder.is_on() else "off")


class ThreadNames(_Setting):
    """Whether GDB shows OpenMP threads under names like "omp 3/64 barrier".
    With "on", "info threads" and the lists of front ends show for each OpenMP
    thread its number, the size of its team, and what it did when the program
    stopped. Names set by "thread name" are not changed."""

    set_doc = "Set whether GDB's lists of threads tell OpenMP states."
    show_doc = "Show whether GDB's lists of threads tell OpenMP states."

    name = "omp thread-names"
    state = "Names for OpenMP threads are {}."

    def change(self) -> str:
        from ompdbg.inferior import thread_names

        thread_names.switch(bool(self.value))
        return ""


ALL = (Debug, FrameFilter, Library, Record, ThreadNames)
