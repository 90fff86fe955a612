# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Internal control variables by scope, their initial values, and what set these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import _ompd

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Thread

PROCESS, THREAD, REGION, TASK = "process", "thread", "region", "task"
_SCOPES = {
    _ompd.SCOPE_GLOBAL: PROCESS,
    _ompd.SCOPE_ADDRESS_SPACE: PROCESS,
    _ompd.SCOPE_THREAD: THREAD,
    _ompd.SCOPE_PARALLEL: REGION,
    _ompd.SCOPE_IMPLICIT_TASK: TASK,
    _ompd.SCOPE_TASK: TASK,
}
# Older names of variables that have another one too.
_ALIAS = "ompd-"

# The environment variable of each (OpenMP 5.2, table 2.1), and what else sets it in a runtime.
_VARIABLES: Dict[str, Tuple[str, ...]] = {
    "affinity-format-var": ("OMP_AFFINITY_FORMAT",),
    "bind-var": ("OMP_PROC_BIND",),
    "cancel-var": ("OMP_CANCELLATION",),
    "debug-var": ("OMP_DEBUG",),
    "def-allocator-var": ("OMP_ALLOCATOR",),
    "default-device-var": ("OMP_DEFAULT_DEVICE",),
    "display-affinity-var": ("OMP_DISPLAY_AFFINITY",),
    "dyn-var": ("OMP_DYNAMIC",),
    "max-active-levels-var": ("OMP_MAX_ACTIVE_LEVELS", "OMP_NESTED"),
    "max-task-priority-var": ("OMP_MAX_TASK_PRIORITY",),
    "nteams-var": ("OMP_NUM_TEAMS",),
    "nthreads-var": ("OMP_NUM_THREADS",),
    "place-partition-var": ("OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"),
    "run-sched-var": ("OMP_SCHEDULE",),
    "stacksize-var": ("OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"),
    "target-offload-var": ("OMP_TARGET_OFFLOAD",),
    "teams-thread-limit-var": ("OMP_TEAMS_THREAD_LIMIT",),
    "thread-limit-var": ("OMP_THREAD_LIMIT",),
    "tool-libraries-var": ("OMP_TOOL_LIBRARIES",),
    "tool-var": ("OMP_TOOL",),
    "tool-verbose-init-var": ("OMP_TOOL_VERBOSE_INIT",),
    "wait-policy-var": ("OMP_WAIT_POLICY", "KMP_LIBRARY"),
}
# What the library answers for a variable whose value it does not know.
_NO_VALUES = ("undefined", "unknown")

_Handle = Union[_ompd.AddressSpace, _ompd.Thread, _ompd.Parallel, _ompd.Task]


class Setting(NamedTuple):
    """An environment variable, and what it was set to when the process started."""

    name: str
    value: str


class Icv(NamedTuple):
    """One variable, of one thread where it is not one of the process."""

    name: str
    scope: str  # PROCESS, THREAD, REGION or TASK
    value: Optional[str]
    reason: Optional[str]  # why the value is not known
    initial: Optional[str]  # that the process began with; None: known by `setting` at most
    setting: Optional[Setting]


class ControlVariable(NamedTuple):
    """An environment variable that steers the runtime."""

    name: str
    value: Optional[str]  # in force, or as it was set; None: neither is known
    setting: Optional[Setting]


def setting(runtime: "Runtime", name: str) -> Optional[Setting]:
    """What a variable was set to."""
    try:
        value = runtime.space.environment(name)
    except _ompd.Error:
        return None
    return None if value is None else Setting(name, value)


def control_variables(runtime: "Runtime") -> List[ControlVariable]:
    """What steers the runtime, as it took effect."""
    found: List[ControlVariable] = []
    for line in runtime.space.display_control_vars():
        name, _, value = line.partition("=")
        known = None if value in _NO_VALUES else value
        found.append(ControlVariable(name, known, setting(runtime, name)))
    return found


class Origin(NamedTuple):
    """What is the same of a variable for all threads."""

    ident: int
    name: str
    scope: str
    value: Optional[str]  # of a variable of the process
    reason: Optional[str]
    initial: Optional[str]
    setting: Optional[Setting]


def icvs(thread: "Thread") -> List[Icv]:
    """All variables as they are for a thread and its task, by scope."""
    runtime = thread.runtime
    if runtime.icv_origins is None:
        runtime.icv_origins = _origins(runtime)
    handles = _handles(thread)
    found: List[Icv] = []
    for one in runtime.icv_origins:
        value, reason = one.value, one.reason
        if one.scope != PROCESS:
            handle, reason = handles[one.scope]
            if handle is not None:
                value, reason = _told(handle, one.ident)
        if value is None and reason is None:
            continue
        found.append(Icv(one.name, one.scope, value, reason, one.initial, one.setting))
    return found


def _handles(thread: "Thread") -> Dict[str, Tuple[Optional[_Handle], Optional[str]]]:
    """Whom to ask for the variables of each scope, or why there is nobody."""
    known = thread.handle
    if known is None:
        return {scope: (None, "no OpenMP thread") for scope in (THREAD, REGION, TASK)}
    found: Dict[str, Tuple[Optional[_Handle], Optional[str]]] = {THREAD: (known, None)}
    asked: Dict[str, Callable[[], _Handle]] = {REGION: known.parallel, TASK: known.task}
    for scope, ask in asked.items():
        try:
            found[scope] = (ask(), None)
        except _ompd.Error as error:
            found[scope] = (None, error.reason)
    return found


def _origins(runtime: "Runtime") -> List[Origin]:
    initial = {one.name: one.value for one in control_variables(runtime)}
    found: List[Origin] = []
    for icv in runtime.space.icvs():
        if icv.name.startswith(_ALIAS):
            continue
        scope = _SCOPES.get(icv.scope, PROCESS)
        value, reason = _told(runtime.space, icv.id) if scope == PROCESS else (None, None)
        names = _VARIABLES.get(icv.name, ())
        settings = [one for one in (setting(runtime, name) for name in names) if one]
        began = next((initial[name] for name in names if initial.get(name) is not None), None)
        if any(began == one.value for one in settings):
            began = None  # a runtime that does not keep it may have made something else of it
        first = settings[0] if settings else None
        found.append(Origin(icv.id, icv.name, scope, value, reason, began, first))
    order = list(dict.fromkeys(_SCOPES.values()))
    return sorted(found, key=lambda one: order.index(one.scope))


def _told(handle: _Handle, icv: int) -> Tuple[Optional[str], Optional[str]]:
    """The value, or why there is none; neither of a variable that the runtime does not have."""
    try:
        return handle.icv_string(icv), None
    except _ompd.Error as error:
        reason = error.reason
    # Other libraries than ours tell numbers as such only.
    try:
        return str(handle.icv(icv)), None
    except _ompd.Error as error:
        return None, None if error.code == _ompd.RC_UNSUPPORTED else reason
