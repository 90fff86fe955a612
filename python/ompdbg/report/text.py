# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as text: what the commands print, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Tuple, Type

import _ompd

from ompdbg import views
from ompdbg.frames import base_name
from ompdbg.render.palette import TITLE
from ompdbg.render.table import wrap
from ompdbg.report import crash as crash_words

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.views import Diagnosed, Form

Object = Dict[str, Any]

_Section = Callable[[], Iterable[str]]


def lines(
    process: "Process", report: Object, diagnosed: "Callable[[], Diagnosed]", form: "Form"
) -> Iterator[str]:
    """All of it. What fails is told in its place. `report`: the same as JSON."""
    about = report["about"]
    yield from wrap(headline(about), form.width)
    if about["command"]:
        yield from wrap(f"Command: {' '.join(about['command'])}", form.width)
    for problem in about["problems"]:
        yield from wrap(f"Warning: {problem}", form.width)
    errors: Tuple[Type[Exception], ...] = (_ompd.Error, *process.services.errors)
    threads = process.threads
    openmp = [thread for thread in threads if thread.handle is not None]
    sections: List[Tuple[str, _Section]] = []
    if about["crash"] is not None:
        sections.append(("What ended it", lambda: _crash(process, report, form)))
    sections += [
        ("Why it does not go on", lambda: views.why(diagnosed(), form)),
        ("Regions", lambda: views.regions(process, form)),
        ("Threads", lambda: views.threads(process, threads, form)),
        ("Stacks", lambda: views.stacks(process, threads, form)),
        ("Tasks", lambda: views.tasks(process, form)),
        ("Locks", lambda: views.locks(process, form)),
        ("Control variables", lambda: views.icvs(openmp, form) if openmp else ()),
        ("Environment", lambda: views.environment(process, form)),
        ("Runtime", lambda: views.status(process, form)),
    ]
    for title, section in sections:
        yield ""
        yield form.palette.paint(TITLE, f"== {title} ==")
        try:
            yield from section()
        except errors as error:
            yield from wrap(f"cannot be told: {getattr(error, 'reason', error)}", form.width)


def _crash(process: "Process", report: Object, form: "Form") -> Iterator[str]:
    """The signal, and the stack of the thread that it has reached."""
    crash = report["about"]["crash"]
    yield from wrap(crash_words.where(crash, report), form.width)
    reached = [one for one in process.threads if one.target.number == crash["thread"]]
    yield from views.stacks(process, reached, form)


def headline(about: Object) -> str:
    """`hung, process 4711 on node3, 2026-11-21T12:00:00Z`"""
    program = "OpenMP program" if about["program"] is None else base_name(about["program"])
    words = [program]
    if about["rank"] is not None:
        words[0] += f", rank {about['rank']['value']}"
    words.append(f"{'core file' if about['kind'] == 'core' else 'process'} {about['name']}")
    if about["host"]:
        words[-1] += f" on {about['host']}"
    if about["signal"]:
        words.append(f"ended by {about['signal']}")
    if about["cause"]:
        words.append(about["cause"])
    if about["taken"]:
        words.append(about["taken"])
    return ", ".join(words)
