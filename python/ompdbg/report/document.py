# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as JSON (docs/json.md): what all commands tell of a process, in one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple, Type

import _ompd

from ompdbg import SCHEMA
from ompdbg.model import icvs
from ompdbg.model.doing import doing
from ompdbg.model.locks import Lock
from ompdbg.model.pool import TaskPool, count_by_function
from ompdbg.model.process import by_runtime
from ompdbg.model.severity import SEVERITIES, severity
from ompdbg.model.stack import logical_stack
from ompdbg.model.stack_groups import grouped
from ompdbg.model.status import status
from ompdbg.render import json
from ompdbg.render.icvs import environment_json, icv_json, merged
from ompdbg.render.locks import lock_json
from ompdbg.render.regions import region_json
from ompdbg.render.stack import Options, shown_parts
from ompdbg.render.status import status_object
from ompdbg.render.why import NOTHING, headline
from ompdbg.render.why_json import finding_json
from ompdbg.report import crash

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.stack import LogicalStack, Part
    from ompdbg.report.about import About
    from ompdbg.views import Diagnosed

Document = Dict[str, Any]

REPORT = "report"
NONE = "none"

# Of more tasks alike than this only these are listed.
_LISTED_ALIKE = 50

# What may fail on damaged memory without the rest being wrong.
_Section = Callable[[], Any]


def report(process: "Process", about: "About", diagnosed: "Callable[[], Diagnosed]") -> Document:
    """Everything. A section that cannot be had is None, and `about.problems` tells why."""
    found: Document = {"schema": SCHEMA, "kind": REPORT, "about": about}
    errors: Tuple[Type[Exception], ...] = (_ompd.Error, *process.services.errors)

    def add(name: str, section: _Section) -> None:
        try:
            found[name] = section()
        except errors as error:
            found[name] = None
            about["problems"].append(f"{name}: {getattr(error, 'reason', error)}")

    add("verdict", lambda: _verdict(diagnosed()))
    add(
        "findings",
        lambda: [finding_json(diagnosed().waiting, one) for one in diagnosed().findings],
    )
    add("status", lambda: status_object(status(process)))
    add("teams", lambda: [json.team(one) for one in process.teams])
    add("regions", lambda: [region_json(one) for one in diagnosed().waiting.regions])
    add("threads", lambda: [json.thread(one) for one in process.threads])
    add("doing", lambda: list(_doing(process)))
    add("stacks", lambda: _stacks(process))
    add("locks", lambda: [lock_json(one) for one in _locks(diagnosed())])
    add("tasks", lambda: _tasks(process))
    add("task_counts", lambda: _task_counts(process))
    add("icvs", lambda: _icvs(process))
    add("environment", lambda: _environment(process))
    return found


def lines(found: Document) -> Iterator[str]:
    """The document, an element of a section on each line."""
    last = len(found) - 1
    for index, (name, section) in enumerate(found.items()):
        head = f"{' ' if index else '{'}{json.dumps(name)}: "
        tail = "," if index < last else "}"
        if isinstance(section, list) and section:
            yield f"{head}["
            for item in section[:-1]:
                yield json.dumps(item) + ","
            yield json.dumps(section[-1])
            yield "]" + tail
        else:
            yield head + json.dumps(section) + tail


def is_suspicious(found: Document) -> bool:
    """Whether the exit status says that something was found."""
    verdict = found["verdict"]
    if crash.is_own(crash.of_report(found)):
        return True
    return verdict is not None and verdict["severity"] in SEVERITIES[:-1]


def _verdict(told: "Diagnosed") -> Dict[str, Any]:
    """The worst of what was found."""
    severities = [severity(told.waiting, finding) for finding in told.findings]
    for name in SEVERITIES:
        if name in severities:
            worst = told.findings[severities.index(name)]
            return {"severity": name, "rule": worst.rule, "text": headline(worst)}
    return {"severity": NONE, "rule": None, "text": NOTHING}


def _locks(told: "Diagnosed") -> List[Lock]:
    return told.waiting.locks


def _doing(process: "Process") -> Iterator[Document]:
    """In which functions of the system the threads are that wait for nothing of OpenMP."""
    for thread in process.threads:
        if thread.wait is None and not (thread.target.running or thread.in_runtime):
            found = doing(thread)
            if found.function is not None:
                yield {
                    "thread": thread.target.number,
                    "function": found.function,
                    "in_kernel": found.in_kernel,
                }


def _stacks(process: "Process") -> List[Document]:
    """Those alike once, with the threads that have it."""
    shown = Options()

    def parts(stack: "LogicalStack") -> "List[Part]":
        return shown_parts(stack, shown)

    found: List[Document] = []
    for group in grouped(process.threads, logical_stack, parts):
        stack = group.stack
        told: Document = {"parts": [], "note": "the threads are running"}
        if stack is not None:
            told = json.stack(stack, parts(stack))
        found.append({"threads": [thread.target.number for thread in group.threads], **told})
    return found


def _tasks(process: "Process") -> Document:
    listed: List[Document] = []
    more: List[Document] = []
    total = 0
    damaged = False
    unreached: Optional[int] = 0
    for runtime in process.runtimes:
        pool = TaskPool(runtime, keep=_LISTED_ALIKE)
        total += pool.total
        damaged = damaged or pool.damaged
        unreached = None if unreached is None else unreached + pool.unreached
        for task in pool.tasks:
            dependers = task.dependers if task.info.num_depends else []
            told = json.task(task)
            told["dependers"] = [json.identity(ident) for ident in dependers]
            listed.append(told)
        more += [
            {"like": json.identity(group.first.id), "count": group.number} for group in pool.more
        ]
    return {
        "total": total,
        "listed": listed,
        "more": more,
        "damaged": damaged,
        "unreached": unreached,
    }


def _task_counts(process: "Process") -> List[Document]:
    counts = [row for runtime in process.runtimes for row in count_by_function(runtime)]
    return [json.count(row) for row in sorted(counts, key=lambda row: -row.number)]


def _icvs(process: "Process") -> List[Document]:
    threads = [thread for thread in process.threads if thread.handle is not None]
    return [icv_json(row) for row in merged((thread, icvs.icvs(thread)) for thread in threads)]


def _environment(process: "Process") -> List[Document]:
    return environment_json(
        {name: icvs.control_variables(runtime) for name, runtime in by_runtime(process).items()}
    )
