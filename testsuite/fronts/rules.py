# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an old tool must be told about a program that has counted what it does: sums of events, by the
numbers that the program knows. docs/ompt-fronts.md has the differences of the runtimes."""

import re
from typing import Dict, List, Optional, Tuple

from oracle import Run, Runtime

# Numbers that both documents have events for, in terms of testsuite/ompt/programs/counts.def. A minus
# subtracts. Those of LLVM's runtime are the same where nothing else is said.
NUMBERS: Dict[str, str] = {
    "threads": "1 foreign worker",
    "regions": "parallel",
    "implicit": "implicit",
    "tasks": "task taskloop_task",
    "runs": "task_run",
    "loops": "loop_empty loop_memory loop_dynamic loop_guided loop_runtime loop_ordered",
    "sections": "sections",
    "single": "single_run",
    "others": "single -single_run",
    "master": "",
    "distribute": "",
    "barriers": "barrier barrier_static barrier_scan barrier_single barrier_copy copy_run"
    " barrier_loop barrier_sections implicit",
    "taskwaits": "taskwait",
    "taskgroups": "taskgroup taskloop_group",
    "lock_waits": "lock",
    "locks": "lock_set",
    "nest_waits": "nest_first",
    "nests": "nest_first nest_test_first",
    "nested": "nest_again",
    "critical": "critical",
    "ordered": "ordered",
    "atomic": "atomic",
    "lock_init": "lock_init",
    "nest_init": "nest_init",
    "lock_destroy": "lock_destroy",
    "nest_destroy": "nest_destroy",
    "in": "depend_in -taskwait_depend",
    "out": "depend_out depend_inout depend_mutexinoutset",
}
KMP = {
    "regions": "parallel team",
    "implicit": "implicit team",
    "loops": "loop_static loop_dynamic loop_guided loop_runtime loop_ordered",
    "master": "masked",
    "distribute": "distribute",
    "barriers": "barrier barrier_cancelled implicit -alone team reduction barrier_copy"
    " barrier_cancelled barrier_dropped barrier_static barrier_loop barrier_sections"
    " barrier_single barrier_copy",
    "atomic": "",
}

# Events of each document that are the sum of a number. A star stands for both ends.
RULES: Dict[str, List[Tuple[str, str]]] = {
    "2013": [
        ("thread_create", "threads"),
        ("parallel_create", "regions"),
        ("parallel_exit", "regions"),
        ("implicit_task_create", "implicit"),
        ("task_create", "tasks"),
        ("task_exit", "tasks"),
        ("task_switch", "runs runs"),
        ("loop_*", "loops"),
        ("section_*", "sections"),
        ("single_in_block_*", "single"),
        ("single_others_*", "others"),
        ("master_*", "master"),
        ("barrier_begin", "barriers"),
        ("wait_barrier_begin", "barriers"),
        ("taskwait_*", "taskwaits"),
        ("wait_taskwait_*", "taskwaits"),
        ("taskgroup_*", "taskgroups"),
        ("wait_taskgroup_*", "taskgroups"),
        ("wait_lock", "lock_waits"),
        ("acquired_lock", "locks"),
        ("release_lock", "locks"),
        ("wait_nest_lock", "nest_waits"),
        ("acquired_nest_lock_first", "nests"),
        ("release_nest_lock_last", "nests"),
        ("acquired_nest_lock_next", "nested"),
        ("release_nest_lock_prev", "nested"),
        ("init_lock", "lock_init"),
        ("init_nest_lock", "nest_init"),
        ("destroy_lock", "lock_destroy"),
        ("destroy_nest_lock", "nest_destroy"),
    ]
    + [
        (which + kind, kind)
        for kind in ("critical", "ordered", "atomic")
        for which in ("wait_", "acquired_", "release_")
    ],
    "tr2": [
        ("thread_begin.initial thread_begin.other thread_begin.worker", "threads"),
        ("parallel_*", "regions"),
        ("implicit_task.begin", "implicit"),
        ("task_create.explicit", "tasks"),
        ("task_schedule.completed", "tasks"),
        ("task_schedule.suspended", "runs"),
        ("task_dependences.in", "in"),
        ("task_dependences.out task_dependences.inout", "out"),  # the same to runtimes
        ("worksharing.loop.*", "loops"),
        ("worksharing.sections.*", "sections"),
        ("worksharing.single_executor.*", "single"),
        ("worksharing.single_other.*", "others"),
        ("worksharing.distribute.*", "distribute"),
        ("master.*", "master"),
        ("sync_region.barrier.begin", "barriers"),
        ("sync_region_wait.barrier.begin", "barriers"),
        ("mutex_acquire.lock", "lock_waits"),
        ("mutex_acquired.lock", "locks"),
        ("mutex_release.lock", "locks"),
        ("mutex_acquire.nest_lock", "nest_waits"),
        ("mutex_acquired.nest_lock", "nests"),
        ("mutex_release.nest_lock", "nests"),
        ("nested_lock.*", "nested"),
        ("init_lock.lock", "lock_init"),
        ("init_lock.nest_lock", "nest_init"),
        ("destroy_lock.lock", "lock_destroy"),
        ("destroy_lock.nest_lock", "nest_destroy"),
    ]
    + [
        ("sync_region{}.{}.*".format(wait, kind), kind + "s")
        for wait in ("", "_wait")
        for kind in ("taskwait", "taskgroup")
    ]
    + [
        ("mutex_{}.{}".format(which, kind), kind)
        for kind in ("critical", "ordered", "atomic")
        for which in ("acquire", "acquired", "release")
    ],
}

# Ends that workers tell late, and perhaps never; each with its begin.
LATE = {
    "2013": [
        ("implicit_task_create", "implicit_task_exit"),
        ("barrier_begin", "barrier_end"),
        ("wait_barrier_begin", "wait_barrier_end"),
        ("idle_begin", "idle_end"),
        ("thread_create", "thread_exit"),
    ],
    "tr2": [
        ("implicit_task.begin", "implicit_task.end"),
        ("sync_region.barrier.begin", "sync_region.barrier.end"),
        ("sync_region_wait.barrier.begin", "sync_region_wait.barrier.end"),
        ("idle.begin", "idle.end"),
    ],
}
# Numbers that no program knows.
FREE = re.compile(
    r"(set|state|mutex_kind|control|target)\.|(idle_begin|idle\.begin|thread_end|flush|control"
    r"|runtime_shutdown|task_dependence_pair)$"
)

# What the tools find fault with in LLVM's runtime, each by the difference's name in docs/ompt.md.
KMP_COMPLAINTS = {
    "league": r"on_parallel_(begin|create):\d+: not frame && is_around\(.*\)",
}


def _number(name: str, runtime: Runtime, counted: Dict[str, int]) -> Optional[int]:
    """The sum that a number is."""
    if name == "threads" and runtime.family == "kmp" and counted["league"]:
        return None
    terms = NUMBERS[name]
    if runtime.family == "kmp":
        terms = KMP.get(name, terms)
    total = 0
    for term in terms.split():
        if term.isdigit():
            total += int(term)
        else:
            total += -counted[term[1:]] if term.startswith("-") else counted[term]
    return total


def _expanded(events: str) -> List[List[str]]:
    """Names of events, for each end."""
    if "*" not in events:
        return [events.split()]
    return [[name.replace("*", end) for name in events.split()] for end in ("begin", "end")]


def differences(document: str, run: Run, runtime: Runtime) -> List[str]:
    """Where a tool was told other numbers than the program counted."""
    but = "$."
    if run.counted.get("cancel_taskgroup") or run.counted.get("cancel_parallel"):
        but = "task_"  # some are cancelled before they are made
    if runtime.family == "kmp" and run.counted.get("cancel_parallel"):
        but += "|.*barrier"
    if runtime.family == "kmp":
        but += "|task_switch|task_schedule.suspended"  # it may come back to a task several times
    if run.counted.get("detached"):
        but += "|task_schedule.suspended"  # once more, unless its event comes first
    found, known = [], set()
    if not run.told:
        return ["the tool was told nothing: {} {}".format(run.status, run.output[-300:])]
    for events, numbers in RULES[document]:
        parts = [_number(name, runtime, run.counted) for name in numbers.split()]
        for names in _expanded(events):
            known.update(names)
            told = sum(run.told.get(name, 0) for name in names)
            number = None if None in parts else sum(part or 0 for part in parts)
            if number is not None and told != number and not re.match(but, names[0]):
                found.append("{}: {}, not {}".format(" + ".join(names), told, number))
    workers = run.counted["worker"] + run.counted["foreign"] + run.counted["team"]
    for begin, end in LATE[document]:
        known.add(end)
        begun, ended = (run.told.get(event, 0) for event in (begin, end))
        if not begun - workers <= ended <= begun:
            found.append("{}: {} begun, {} ended".format(end, begun, ended))
    if run.told.get("runtime_shutdown") != 1:
        found.append("runtime_shutdown: not once")
    for name, number in run.told.items():
        if name.startswith("no_code.") and runtime.family == "kmp":
            continue
        if name not in known and not FREE.match(name):
            found.append("{}: {}, unexpected".format(name, number))
    return found


def complaints(run: Run, runtime: Runtime) -> List[str]:
    """What a tool found fault with, but for what is known of LLVM's runtime."""
    known = "|".join(KMP_COMPLAINTS.values()) if runtime.family == "kmp" else "$."
    return [text for text in run.complaints if not re.fullmatch(known, text)]
