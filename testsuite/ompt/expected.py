# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tool must be told about a program that has counted what it does: the same on both
families of runtimes, but for the differences of docs/ompt.md. Each has a name, here and there."""

import re
from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from oracle import Run, Runtime

Counts = Dict[str, int]


class Rule(NamedTuple):
    """The sum of some events is a number that the program knows."""

    events: Tuple[str, ...]
    number: Callable[[Counts], Optional[int]]


def rule(events: str, *terms: str) -> Rule:
    """Names of events, and those of counts that are added, or with a minus subtracted."""

    def number(counts: Counts) -> int:
        total = 0
        for term in terms:
            if term.isdigit():
                total += int(term)
            elif term.startswith("-"):
                total -= counts[term[1:]]
            else:
                total += counts[term]
        return total

    return Rule(tuple(events.split()), number)


def both(events: str, *terms: str) -> List[Rule]:
    """Two rules: for the beginning and for the end."""
    names = events.split()
    return [
        rule(" ".join(name.replace("*", end, 1) for name in names), *terms)
        for end in ("begin", "end")
    ]


def sync(kinds: str, *terms: str) -> List[Rule]:
    """Four rules: a wait begins and ends within each."""
    return [
        one
        for which in ("sync_*.", "wait_*.")
        for one in both(" ".join(which + kind for kind in kinds.split()), *terms)
    ]


LOOPS = " ".join(
    "work_*." + kind for kind in "loop loop_static loop_dynamic loop_guided loop_other".split()
)
DYNAMIC = ("loop_dynamic", "loop_guided", "loop_runtime", "loop_ordered")

COMMON = [
    rule("thread_begin.initial thread_begin.other", "1", "foreign"),
    *both("parallel_*.league", "league"),
    rule("implicit_begin.initial", "1", "foreign", "team"),
    rule("task_create.explicit", "task", "taskloop_task"),
    rule("task_begin.explicit", "task_run"),
    rule("schedule.complete schedule.cancel schedule.detach", "task", "taskloop_task"),
    rule("schedule.detach schedule.early_fulfill", "detached"),
    rule("task_flag.undeferred", "undeferred"),
    rule("task_flag.final", "final"),
    rule("task_flag.untied", "untied"),
    rule("dependences.in", "depend_in"),
    rule("dependences.out dependences.inout", "depend_out", "depend_inout"),
    rule("dependences.mutexinoutset", "depend_mutexinoutset"),
    *both("work_*.sections", "sections"),
    *both("work_*.single_executor", "single_run"),
    *both("work_*.single_other", "single", "-single_run"),
    *both("work_*.taskloop", "taskloop"),
    *sync("taskgroup", "taskgroup", "taskloop_group"),
    rule("lock_init.lock", "lock_init"),
    rule("lock_destroy.lock", "lock_destroy"),
    rule("lock_init.nest_lock", "nest_init"),
    rule("lock_destroy.nest_lock", "nest_destroy"),
    rule("acquire.lock acquire.test_lock", "lock", "test"),
    rule("acquired.lock acquired.test_lock", "lock_set"),
    rule("released.lock released.test_lock", "lock_set"),
    rule("acquire.nest_lock acquire.test_nest_lock", "nest", "nest_test"),
    rule("acquired.nest_lock acquired.test_nest_lock", "nest_first", "nest_test_first"),
    rule("released.nest_lock released.test_nest_lock", "nest_first", "nest_test_first"),
    *both("nest_*.all", "nest_again"),
    *(
        rule("{}.{}".format(event, kind), kind)
        for event in ("acquire", "acquired", "released")
        for kind in ("critical", "ordered")
    ),
    rule("cancel.parallel_activated", "cancel_parallel"),
    rule("cancel.sections_activated", "cancel_sections"),
    rule("cancel.loop_activated", "cancel_loop"),
    rule("cancel.taskgroup_activated", "cancel_taskgroup"),
    *sync("taskwait", "taskwait"),
    rule("task_create.taskwait", "taskwait_depend"),
    rule("control.all", "control"),
    rule("error.all"),
]

WORKSHARED = (
    "barrier_static",
    "barrier_loop",
    "barrier_sections",
    "barrier_single",
    "barrier_copy",
)

# Each difference by its name in docs/ompt.md: what there is instead of common rules.
DIFFERENCES: Dict[str, Dict[str, List[Rule]]] = {
    "static-loop": {
        "gomp": both(LOOPS, "loop_empty", "loop_memory", *DYNAMIC),
        "kmp": both(LOOPS, "loop_static", *DYNAMIC),
    },
    "league": {
        "gomp": [
            rule("thread_begin.worker", "worker"),
            *both("parallel_*.parallel", "parallel"),
            rule("implicit_begin.implicit", "implicit"),
        ],
        "kmp": [
            Rule(
                ("thread_begin.worker",),
                lambda counts: None if counts["league"] else counts["worker"],
            ),
            *both("parallel_*.parallel", "parallel", "team"),
            rule("implicit_begin.implicit", "implicit", "team"),
        ],
    },
    "distribute": {
        "gomp": both("work_*.distribute"),
        "kmp": both("work_*.distribute", "distribute"),
    },
    "masked": {"gomp": both("masked_*.all"), "kmp": both("masked_*.all", "masked")},
    "atomic": {
        "gomp": [rule(one + ".atomic", "atomic") for one in ("acquire", "acquired", "released")],
        "kmp": [rule(one + ".atomic") for one in ("acquire", "acquired", "released")],
    },
    "barriers": {
        "gomp": [
            *sync(
                "barrier_explicit",
                *("barrier", "barrier_static", "barrier_scan", "barrier_single", "barrier_copy"),
            ),
            *sync("barrier_implementation", "copy_run"),
            *sync("barrier_implicit_workshare", "barrier_loop", "barrier_sections"),
            rule("sync_begin.barrier_implicit_parallel", "implicit"),
            rule("wait_begin.barrier_implicit_parallel", "implicit"),
        ],
        "kmp": [
            *sync("barrier_explicit", "barrier", "barrier_cancelled"),
            *sync(
                "barrier_implicit barrier_implicit_workshare barrier_implicit_parallel"
                " barrier_implementation barrier_teams",
                *(
                    "implicit",
                    "-alone",
                    "team",
                    "reduction",
                    "barrier_copy",
                    "barrier_cancelled",
                    "barrier_dropped",
                ),
                *WORKSHARED,
            ),
        ],
    },
}

# What the tool finds fault with in LLVM's runtime, each by the difference's name in docs/ompt.md.
KMP_COMPLAINTS = {
    "code-pointers": r"\w+: the code pointer is in the runtime",
    "failed-tests": r"acquire: the thread waits for another one",
    "league": r"parallel_end: \d+ implicit tasks began, of \d+",
    "inner-regions": r"parallel_end: the innermost scope is not this region|"
    r"parallel_end: the region ended before|implicit_begin: the region has ended",
}
# Those that show only if threads meet.
KMP_BY_CHANCE = {"inner-regions"}


def complaints(run: Run, runtime: Runtime) -> List[str]:
    """What the tool found fault with, but for what is known of LLVM's runtime."""
    known = "|".join(KMP_COMPLAINTS.values()) if runtime.family == "kmp" else "$."
    return [text for text in run.complaints if not re.fullmatch(known, text)]


def rules(runtime: Runtime) -> List[Rule]:
    """All that hold for a runtime."""
    found = list(COMMON)
    for name in DIFFERENCES:
        found += DIFFERENCES[name].get(runtime.family, [])
    return found


# Events that no rule knows: how many there are depends on the course of events.
FREE = re.compile(
    r"thread_end|implicit_end|\w+_end\.barrier_implicit_parallel|"
    r"schedule\.(switch|yield|late_fulfill|taskwait_complete)|task_begin\.(taskwait|target)|"
    r"task_dependence|dispatch|flush|reduction|cancel\.\w+_detected|task_flag\.merg|"
    r"frames|no_code|complaints"
)


# What a generated program does not know: which threads come to the runtime, what makes a task
# undeferred, and which of several cancellations comes first.
UNKNOWN = r"thread_begin|implicit_begin\.initial|task_flag|cancel|dependences\.(source|sink)"


def unknown(run: Run, runtime: Runtime) -> str:
    """Events of a generated program that no rule is about."""
    found = UNKNOWN
    if runtime.family == "kmp" and run.counted["cancel_parallel"]:
        found += r"|(sync|wait)_\w+\.barrier"
    return found


# Ends that workers tell only when they begin something else, and so perhaps never.
LATE = (
    "implicit_*.implicit",
    "sync_*.barrier_implicit_parallel",
    "wait_*.barrier_implicit_parallel",
)


def _unpaired(told: Counts) -> List[str]:
    """What was begun, and never ended; nothing of this is known by the program."""
    found = []
    workers = told.get("thread_begin.worker", 0)
    for event in LATE:
        begun, ended = (told.get(event.replace("*", end), 0) for end in ("begin", "end"))
        if not begun - workers <= ended <= begun:
            found.append("{}: {} begun, {} ended".format(event, begun, ended))
    if told.get("implicit_begin.initial") != told.get("implicit_end.initial"):
        found.append("implicit_*.initial: not all ended")
    made = told.get("task_create.explicit", 0)
    over = sum(told.get("schedule." + how, 0) for how in ("complete", "cancel", "detach"))
    if made != over:
        found.append("{} tasks were created, {} ended".format(made, over))
    return found


def differences(run: Run, runtime: Runtime, but: str = "$.") -> List[str]:
    """Where the tool was told other numbers than the program counted."""
    if run.counted.get("cancel_taskgroup") or run.counted.get("cancel_parallel"):
        but += r"|task_create|schedule|dependences"  # some are cancelled before they are made
    counted = dict(run.counted)
    known: Set[str] = set()
    found: List[str] = []
    if not run.told:
        return ["the tool was told nothing: {} {}".format(run.status, run.output[-300:])]
    for one in rules(runtime):
        known.update(one.events)
        told, number = sum(run.told.get(name, 0) for name in one.events), one.number(counted)
        if number is not None and told != number and not re.match(but, one.events[0]):
            found.append("{}: {}, not {}".format(" + ".join(one.events), told, number))
    found += _unpaired(run.told)
    for name, number in run.told.items():
        if name not in known and not re.match(FREE.pattern + "|" + but, name):
            found.append("{}: {}, unexpected".format(name, number))
    return found
