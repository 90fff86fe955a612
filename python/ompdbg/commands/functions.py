# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convenience functions: `$_omp_thread_num()` and others, of the selected thread.

In a condition of a breakpoint that is the thread that hit it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Type, Union

import gdb

from ompdbg.commands.command import dedent
from ompdbg.console import encoding

if TYPE_CHECKING:
    from _ompdbg import Thread

_NOBODY = -1
_TASKS = ("task", "taskloop task")
_Value = Union[int, str]


@lru_cache(maxsize=None)
def _loaded() -> "Tuple[Callable[[bool], Any], Tuple[Type[Exception], ...]]":
    """What is not loaded before it is needed, and not looked for again at each hit."""
    import _ompdbg

    from ompdbg.inferior import session

    return session.stopping_thread, (_ompdbg.Error, gdb.error)


class _Function(gdb.Function):
    """One of them. `unknown` is its value where there is none."""

    name = ""
    unknown: _Value = _NOBODY
    needs_others = False  # threads

    def __init__(self) -> None:
        dedent(self)
        super().__init__("_omp_" + self.name)

    def value(self, thread: "Thread") -> Optional[_Value]:
        """The value for a thread."""
        raise NotImplementedError

    def invoke(self, *given: gdb.Value) -> _Value:
        """Called by GDB."""
        if given:
            raise gdb.GdbError(f"$_omp_{self.name}() has no arguments.")
        return self.of_current(self.value)

    def of_current(self, ask: Any) -> _Value:
        """What is told of the selected thread."""
        stopping_thread, errors = _loaded()
        try:
            with stopping_thread(self.needs_others) as thread:
                value = None if thread is None or not thread.is_openmp else ask(thread)
        except errors:
            value = None
        return self.unknown if value is None else value


class ThreadNum(_Function):
    """$_omp_thread_num(): number of the selected thread in its OpenMP team.

    -1 for a thread that is in no team."""

    name = "thread_num"

    def value(self, thread: "Thread") -> Optional[int]:
        return thread.thread_num


class NumThreads(_Function):
    """$_omp_num_threads(): number of threads of the selected thread's team.

    1 outside of parallel regions; -1 for a thread that is in no team."""

    name = "num_threads"

    def value(self, thread: "Thread") -> Optional[int]:
        return thread.team_size


class Level(_Function):
    """$_omp_level(): how many parallel regions the selected thread is in.

    -1 for a thread that is in no team."""

    name = "level"

    def value(self, thread: "Thread") -> Optional[int]:
        return thread.level


class Team(_Function):
    """$_omp_team(): name of the selected thread's team, as in "omp threads".

    A string: compare it by $_streq($_omp_team(), "1.2"). "-" outside of
    parallel regions."""

    name = "team"
    unknown = "-"
    needs_others = True

    def value(self, thread: "Thread") -> Optional[str]:
        return None if thread.team is None else thread.team.label


class State(_Function):
    """$_omp_state(): what the selected thread does, as in "omp threads".

    A string: compare it by $_streq($_omp_state(), "wait_barrier"). "?" if it is
    not known."""

    name = "state"
    unknown = "?"

    def value(self, thread: "Thread") -> Optional[str]:
        return thread.state


class InTask(_Function):
    """$_omp_in_task("FUNCTION"): does the selected thread execute a task of FUNCTION?

    1 if its current task is an explicit one, whose construct is in that function,
    else 0."""

    name = "in_task"
    unknown = 0

    def invoke(self, *given: gdb.Value) -> _Value:
        """Called by GDB."""
        try:
            (function,) = given
            wanted = encoding.told(function.string)
        except (ValueError, gdb.error):
            raise gdb.GdbError("$_omp_in_task(): one argument is expected, a string.") from None
        return self.of_current(lambda thread: int(_executes_task_of(thread, wanted)))


def _executes_task_of(thread: "Thread", function: str) -> bool:
    """Check for an explicit task whose construct is in that function."""
    task = thread.task
    if task is None or task.kind != "explicit":
        return False
    code = task.function
    if code is not None:
        name: Optional[str] = code.name
    else:
        name = next((f.function for f in thread.frames if f.construct in _TASKS), None)
    # Of C++ the arguments may be left out.
    return name is not None and function in (name, name.partition("(")[0])


ALL = (ThreadNum, NumThreads, Level, Team, State, InTask)
