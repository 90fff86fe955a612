# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of testsuite/cases in sessions of the documentation: brought to their state, and looked
at with GDB or with `ompdbg`.

    cases/PROGRAM OPTION | hangs THREADS       a process; in commands, $(pidof NAME) is its id
    cases/PROGRAM OPTION | recorded THREADS    the same, started by `ompdbg record`
    cases/PROGRAM OPTION | forks THREADS       the same: $(pgrep -o NAME), $(pgrep -n NAME) its child
    cases/PROGRAM OPTION | core SIGNAL         the core file of a crash

and after that `| gdb`: GDB on it.
"""

import shlex
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Dict, List, Optional

from harness import own_programs, processes, rest, setup
from harness.terminal import Terminal, printed

PREFIX = "cases/"
SHELL = "$ "


class CaseSession:
    """One program in its state, until it is closed."""

    def __init__(self, header: str, folder: Path) -> None:
        program, state, *more = [part.strip() for part in header.split("|")]
        source, *flags = program.split()
        self._folder = folder / source.replace("/", "-")
        self._open = ExitStack()
        self._targets: Dict[str, str] = {}  # what names them in a command
        self.terminal: Optional[Terminal] = None
        built = own_programs.case(source[len(PREFIX) :], self._folder, ["-g", "-fopenmp", *flags])
        try:
            start = self._started(built, *state.split())
            if more:
                self.terminal = self._gdb(built, start)
        except BaseException:
            self.close()
            raise

    def _started(self, built: Path, state: str, detail: str) -> str:
        """Bring the program to its state: how GDB comes to it."""
        if state == "core":
            core = processes.kernel_core(built, (), self._folder, signal.Signals[detail])
            self._targets["core"] = str(core)
            return f"core-file {core}"
        command = [str(setup.COMMAND_LINE), "record", "--"] if state == "recorded" else []
        command.append(str(built))
        hanging = self._open.enter_context(rest.hanging(command, int(detail), self._folder))
        if state == "forks":
            self._targets[f"$(pgrep -o {built.name})"] = str(hanging.pid)
            self._targets[f"$(pgrep -n {built.name})"] = str(rest.await_child(hanging.pid, 1))
        else:
            self._targets[f"$(pidof {built.name})"] = str(hanging.pid)
        return f"attach {hanging.pid}"

    def _gdb(self, built: Path, start: str) -> Terminal:
        terminal = Terminal([str(built)], variables={"TERM": "dumb"})  # no styles
        self._open.callback(terminal.__exit__, None, None, None)
        for command in ("set width 80", "set filename-display basename", start):
            terminal.type(command)
        return terminal

    def close(self) -> None:
        """End GDB and the program."""
        self._open.close()

    def shell(self, command: str) -> List[str]:
        """What `ompdbg` prints on a terminal of 80 columns."""
        for name, target in self._targets.items():
            command = command.replace(name, target)
        program, *words = shlex.split(command[len(SHELL) :])
        assert program == "ompdbg"
        text = printed([setup.COMMAND_LINE, *words], 80, {"TERM": "dumb"})
        return [line.rstrip() for line in text.splitlines()]
