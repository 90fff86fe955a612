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
        bt,
        frame,
        frame_filter,
        functions,
        history,
        icvs,
        inquiries,
        llvm_plugin,
        omp,
        printing,
        record,
        status,
        step,
        tasks,
        thread_names,
        threads,
        views,
        why,
    )
    from ompdbg.front_ends import mi

    for command in (
        omp.Omp,
        omp.SetOmp,
        omp.ShowOmp,
        omp.Debug,
        frame_filter.FrameFilter,
        thread_names.ThreadNames,
        omp.Library,
        record.Record,
    ):
        command()
    for command in (
        status.Status,
        threads.Threads,
        tasks.Tasks,
        tasks.Task,
        bt.Bt,
        frame.Frame,
        frame.Thread,
        printing.Print,
        apply.Apply,
        llvm_plugin.LlvmPlugin,
    ):
        command()
    for command in (views.Regions, step.Step, step.Finish, breakpoints.Break, breakpoints.Delete):
        command()
    for command in (icvs.Icvs, icvs.Env, views.Locks, why.Why, history.History):
        command()
    for command in (inquiries.ThreadInfo, inquiries.TaskInfo, inquiries.ParallelInfo):
        command()
    for function in functions.ALL:
        function()
    mi.register()
    if "gdb.dap.server" in sys.modules:
        from ompdbg.front_ends import dap

        dap.extend()
