# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tool (OMPT) could ask of a thread in the process, asked from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional

import _ompd

from ompdbg.model.runtime import Runtime

if TYPE_CHECKING:
    from ompdbg.model.thread import Thread

# enum ompd_ext_ompt_member
_TASK_DATA, _PARALLEL_DATA, _FRAME, _THREAD_NUM, _TYPE = 1, 2, 4, 8, 16
# ompt_task_flag_t
_TYPES = {1: "initial", 2: "implicit", 4: "explicit", 8: "target", 16: "taskwait"}
_DETAILS = {1 << 27: "undeferred", 1 << 28: "untied", 1 << 29: "final", 1 << 30: "mergeable"}
_MAX_LEVEL = 4096  # more are taken for damage


class Inquiry(NamedTuple):
    """The answers of one thread, at one level. What is not known is None, and has a reason."""

    thread: "Thread"
    level: Optional[int]
    values: Dict[str, Any]
    reasons: Dict[str, str]


def of_thread(thread: "Thread") -> Inquiry:
    """State, tool data, places and processor."""
    found = Inquiry(thread, None, {}, {})
    handle = thread.handle
    assert handle is not None
    state = _ask(found, ("state", "wait_id"), handle.state)
    if state is not None:
        found.values.update(state=_state_name(thread.runtime, state[0]), wait_id=state[1])
    data = _ask(found, ("data",), handle.tool_data)
    if data is not None:
        found.values.update(data=data[0])
    place = _ask(found, ("place",), handle.place_num)
    if place is not None:
        found.values.update(place=place)
    places = _ask(found, ("partition",), handle.place_nums)
    if places is not None:
        found.values.update(partition=list(places))
    processor = _ask(found, ("processor",), handle.proc_id)
    if processor is not None:
        found.values.update(processor=processor)
    return found


def of_tasks(thread: "Thread", level: Optional[int] = None) -> List[Inquiry]:
    """The thread's task, and those below it; or the one at that level."""
    return _levels(thread, level, _task)


def of_regions(thread: "Thread", level: Optional[int] = None) -> List[Inquiry]:
    """The thread's region, and those around it; or the one at that level."""
    return _levels(thread, level, _region)


_Asked = Callable[["Thread", int], Inquiry]


def _levels(thread: "Thread", level: Optional[int], ask: _Asked) -> List[Inquiry]:
    if level is not None:
        try:
            return [ask(thread, level)]
        except _ompd.Unavailable as error:
            return [Inquiry(thread, level, {}, {"level": error.reason})]
    found: List[Inquiry] = []
    while len(found) < _MAX_LEVEL:
        try:
            found.append(ask(thread, len(found)))
        except _ompd.Unavailable as error:
            if not found:
                found.append(Inquiry(thread, 0, {}, {"level": error.reason}))
            elif "initial" not in (found[-1].values.get("type") or ["initial"]):
                found[-1].reasons["next"] = error.reason
            break
    return found


def _task(thread: "Thread", level: int) -> Inquiry:
    assert thread.handle is not None
    known, kind, number, data, parallel, leave, enter = thread.handle.ompt_task(level)
    found = Inquiry(thread, level, {}, {})
    for bit, name, value in (
        (_TYPE, "type", _type_names(kind)),
        (_THREAD_NUM, "thread_num", number),
        (_TASK_DATA, "data", data),
        (_PARALLEL_DATA, "parallel_data", parallel),
        (_FRAME, "exit_frame", leave),
        (_FRAME, "enter_frame", enter),
    ):
        found.values[name] = value if known & bit else None
    if not known & _TASK_DATA:
        _ask(found, (), thread.handle.tool_data)
    if level == 0:  # only an explicit task has some of its own
        explicit = "explicit" in (found.values["type"] or ())
        memory = _ask(found, ("memory",), thread.handle.task_memory) if explicit else None
        found.values["memory"] = memory
    return found


def _region(thread: "Thread", level: int) -> Inquiry:
    assert thread.handle is not None
    known, size, data = thread.handle.ompt_parallel(level)
    found = Inquiry(thread, level, {"team_size": size, "data": None}, {})
    if known & _PARALLEL_DATA:
        found.values["data"] = data
    else:
        _ask(found, (), thread.handle.tool_data)
    return found


def _ask(found: Inquiry, names: Any, question: Callable[[], Any]) -> Any:
    try:
        return question()
    except _ompd.Error as error:
        for name in names:
            found.values[name] = None
        found.reasons[names[0] if names else "data"] = error.reason
        return None


def _state_name(runtime: Runtime, state: int) -> str:
    name = runtime.space.states().get(state, str(state))
    return name[len("ompt_state_") :] if name.startswith("ompt_state_") else name


def _type_names(kind: int) -> List[str]:
    return [name for bit, name in {**_TYPES, **_DETAILS}.items() if kind & bit]
