# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plug-in of GDB. Loading it registers the commands and nothing else: what they need is
imported when one of them is used."""

from __future__ import annotations

import sys
from typing import List, Optional

_library_path: Optional[str] = None
_recording_libraries: List[str] = []


def load(libompd: str, recording: List[str]) -> None:
    """Registers the commands. `libompd`: path of the OMPD library; `recording`: of the libraries
    that are preloaded into programs to be recorded. May be called again."""
    global _library_path, _recording_libraries
    first = _library_path is None
    _library_path, _recording_libraries = libompd, recording
    if first:
        _register()


def library_path() -> str:
    """Path of the OMPD library."""
    assert _library_path is not None
    return _library_path


def recording_libraries() -> List[str]:
    """Paths of the libraries that are preloaded into programs to be recorded."""
    return _recording_libraries


def _register() -> None:
    from ompdbg.inferior import stop_times

    stop_times.listen()
    from ompdbg.commands import (
        apply,
        breakpoints,
        functions,
        icvs,
        omp,
        ompt,
        settings,
        stacks,
        step,
        tasks,
        values,
        views,
    )
    from ompdbg.front_ends import mi

    # The prefixes come before what they are prefixes of.
    for kind in (omp.Omp, settings.SetOmp, settings.ShowOmp, *settings.ALL, *functions.ALL):
        kind()
    for command in (
        *(views.Status, views.Threads, views.Regions, views.Locks, views.Why, views.History),
        *(tasks.Tasks, tasks.Task, stacks.Bt, stacks.Frame, stacks.Thread, values.Print),
        *(icvs.Icvs, icvs.Env, ompt.ThreadInfo, ompt.TaskInfo, ompt.ParallelInfo),
        *(apply.Apply, step.Step, step.Finish, breakpoints.Break, breakpoints.Delete),
        omp.LlvmPlugin,
    ):
        command()
    mi.register()
    if "gdb.dap.server" in sys.modules:
        from ompdbg.front_ends import dap

        dap.extend()
