# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model as JSON, schema "ompdbg/1" (docs/json.md)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional

from ompdbg import SCHEMA
from ompdbg.text import for_json

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.stack import LogicalStack, Part
    from ompdbg.model.pool import TaskCount
    from ompdbg.model.task import Task, TaskFunction
    from ompdbg.model.team import Team
    from ompdbg.model.thread import Location, Thread
    from ompdbg.waits import Wait

Object = Dict[str, Any]


def dumps(value: object, indent: Optional[int] = None) -> str:
    """Return a value as JSON, in ASCII: the way of all text into JSON."""
    return for_json(json.dumps(value, ensure_ascii=False, indent=indent))


def document(**sections: Any) -> List[str]:
    """Return the lines of a whole JSON document."""
    return dumps({"schema": SCHEMA, **sections}, indent=2).split("\n")


def lines(
    name: str,
    objects: Iterable[Object],
    after: Optional[Callable[[], Object]] = None,
    **sections: Any,
) -> Iterator[str]:
    """A whole document, in pieces: its largest list last, one object a line, without keeping
    it. `after` tells what is known only when the list was walked."""
    head = dumps({"schema": SCHEMA, **sections})[:-1]
    yield f'{head}, "{name}": ['
    previous: Optional[str] = None
    for item in objects:
        if previous is not None:
            yield previous + ","
        previous = dumps(item)
    if previous is not None:
        yield previous
    tail = dumps(after())[1:-1] if after is not None else ""
    yield f"], {tail}}}" if tail else "]}"


def identity(ident: Optional[int]) -> Optional[str]:
    """Identities are strings: they have more bits than numbers in JSON."""
    return None if not ident else f"{ident:#x}"


def team(item: "Team") -> Object:
    """One team."""
    return {
        "id": identity(item.id),
        "label": item.label,
        "level": item.level,
        "active_level": item.active_level,
        "size": item.size,
        "parent": None if item.parent is None else identity(item.parent.id),
        "primary": None if item.primary is None else item.primary.target.number,
        "runtime": item.runtime.name,
    }


def thread(item: "Thread") -> Object:
    """One thread."""
    task = item.task
    return {
        "gdb": item.target.number,
        "lwp": item.target.lwp,
        "name": item.runtime.services.thread_name(item.target),
        "selected": item.target.selected,
        "running": item.target.running,
        "openmp": item.openmp,
        "helper": item.is_helper,
        "runtime": item.runtime.name if item.openmp else None,
        "thread_num": item.thread_num,
        "team_size": item.team_size,
        "level": item.level,
        "active_level": item.active_level,
        "team": None if item.team is None else identity(item.team.id),
        "task": None if task is None else identity(task.id),
        "task_kind": None if task is None else task.kind,
        "state": item.state,
        "state_reason": item.state_reason,
        "wait": None if item.wait is None else wait(item.wait),
        "location": None if item.location is None else location(item.location),
    }


def wait(item: "Wait") -> Object:
    """What a thread waits for."""
    return {
        "kind": item.kind,
        "function": item.function,
        "address": identity(item.address),
        "symbol": item.symbol,
    }


def location_or_none(item: "Optional[Location]") -> Optional[Object]:
    """The same, of what may have no place in the user's code."""
    return None if item is None else location(item)


def location(item: "Location") -> Object:
    """Where a thread is."""
    return {
        "function": item.function,
        "symbol": item.symbol,
        "file": item.file,
        "line": item.line,
        "address": identity(item.address),
        "object": item.object_file,
    }


def function(item: "Optional[TaskFunction]") -> Optional[Object]:
    """The code of a task."""
    if item is None:
        return None
    return {"name": item.name, "symbol": item.symbol, "file": item.file, "line": item.line}


def task(item: "Task") -> Object:
    """One task."""
    member = None
    if item.team is not None and item.thread_num is not None:
        member = item.team.member(item.thread_num)
    return {
        "id": identity(item.id),
        "runtime": item.runtime_name,
        "kind": item.kind,
        "status": item.status,
        "team": identity(item.info.parallel_id),
        "thread": None if member is None else member.target.number,
        "thread_num": item.thread_num,
        "parent": identity(item.parent_id),
        "function": function(item.function),
        "flags": item.flags,
        "priority": item.info.priority,
        "taskgroup": identity(item.info.taskgroup),
        "predecessors": item.info.num_predecessors,
        "depends_complete": item.depends_complete,
        "depends": [
            {"address": identity(d.address), "kind": d.kind, "symbol": d.symbol}
            for d in item.depends
        ],
    }


def count(item: "TaskCount") -> Object:
    """Number of tasks of one function."""
    return {
        "function": function(item.function),
        "kind": item.kind,
        "status": item.status,
        "count": item.number,
    }


def stack(item: "LogicalStack", keep: Iterable["Part"]) -> Object:
    """One logical stack."""
    return {"parts": [part(piece) for piece in keep], "note": item.note}


def part(item: "Part") -> Object:
    """The part of a stack that lies on one thread."""
    return {
        "thread": item.thread.target.number,
        "thread_num": item.thread_num,
        "team_size": None if item.team is None else item.team.size,
        "level": None if item.team is None else item.team.level,
        "team": None if item.team is None else identity(item.team.id),
        "frames": [frame(piece) for piece in item.frames],
    }


def frame(item: "LogicalFrame") -> Object:
    """One frame of a stack."""
    place = None
    if item.construct is not None:
        place = {"file": item.construct_file, "line": item.construct_line}
    return {
        "level": item.frame.level,
        "kind": "signal" if item.frame.is_signal else item.kind,
        "function": item.function,
        "symbol": item.frame.symbol,
        "construct": item.construct,
        "construct_at": place,
        "file": item.frame.file,
        "line": item.frame.line,
        "address": identity(item.frame.pc),
        "inlined": item.frame.is_inlined,
    }
