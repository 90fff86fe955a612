# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what OMPD says of a thread with what the program's own routines answer in it.

The program's answers are struct oracle of fixtures/src/oracle.h. OMPD's are control variables,
asked of every handle that answers (process, thread, region, task), as numbers and as text.
"""

import ctypes
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from harness import counts

ABSENT = -9999
MAX_LEVELS = 64
MAX_PLACES = 64

_NUMBERS_1 = (
    "thread_num num_threads level active_level in_parallel in_final max_threads dynamic nested"
    " max_active_levels supported_active_levels sched_kind sched_chunk proc_bind thread_limit"
    " default_device cancellation max_task_priority num_procs num_places place_num"
    " partition_num_places"
).split()
_NUMBERS_2 = "team_num num_teams max_teams teams_thread_limit".split()


class Answers(ctypes.Structure):
    """struct oracle."""

    _fields_ = [
        *((name, ctypes.c_int) for name in _NUMBERS_1),
        ("partition_place_nums", ctypes.c_int * MAX_PLACES),
        *((name, ctypes.c_int) for name in _NUMBERS_2),
        ("default_allocator", ctypes.c_long),
        ("ancestor_thread_num", ctypes.c_int * MAX_LEVELS),
        ("team_size", ctypes.c_int * MAX_LEVELS),
    ]


Value = Any
Get = Callable[[Any], Optional[Value]]

SCHEDULES = ("runtime", "static", "dynamic", "guided", "auto")
_MONOTONIC = 0x80000000
BINDINGS = ("false", "true", "primary", "close", "spread")
ALLOCATORS = (
    "omp_null_allocator",
    "omp_default_mem_alloc",
    "omp_large_cap_mem_alloc",
    "omp_const_mem_alloc",
    "omp_high_bw_mem_alloc",
    "omp_low_lat_mem_alloc",
    "omp_cgroup_mem_alloc",
    "omp_pteam_mem_alloc",
    "omp_thread_mem_alloc",
)


def _name(names: Sequence[str], value: int) -> str:
    """A value that is none of the names is told as a number."""
    return names[value] if 0 <= value < len(names) else str(value)


def _boolean(name: str) -> Get:
    return lambda answers: "true" if getattr(answers, name) else "false"


def _present(name: str) -> Get:
    def get(answers: Any) -> Optional[int]:
        value: int = getattr(answers, name)
        return None if value == ABSENT else value

    return get


def _schedule(answers: Any) -> str:
    kind = answers.sched_kind & 0xFFFFFFFF
    text = "monotonic:" if kind & _MONOTONIC else ""
    text += _name(SCHEDULES, kind & ~_MONOTONIC)
    return text if answers.sched_chunk <= 0 else "{},{}".format(text, answers.sched_chunk)


def _allocator(answers: Any) -> Optional[str]:
    value: int = answers.default_allocator
    return None if value == ABSENT else _name(ALLOCATORS, value)


def _places(answers: Any) -> Optional[str]:
    count: int = answers.partition_num_places
    if count == 0 or count > MAX_PLACES:
        return None
    numbers = list(answers.partition_place_nums[:count])
    assert numbers == list(range(numbers[0], numbers[0] + count))
    return str(numbers[0]) if count == 1 else "{}-{}".format(numbers[0], numbers[-1])


def _place(answers: Any) -> Optional[int]:
    return None if answers.num_places == 0 else int(answers.place_num)


class Row(NamedTuple):
    """How one control variable is compared. None: not compared in that form."""

    number: Optional[Get]
    text: Optional[Get]


def _plain(name: str) -> Row:
    get = _present(name)
    return Row(get, lambda answers: None if get(answers) is None else str(get(answers)))


def _truth(name: str) -> Row:
    return Row(_present(name), _boolean(name))


# Of lists, the program tells the first element.
_FIRST_OF_LIST = ("nthreads-var", "bind-var")

ROWS: Dict[str, Row] = {
    "thread-num-var": _plain("thread_num"),
    "ompd-thread-num-var": _plain("thread_num"),
    "team-size-var": _plain("num_threads"),
    "ompd-team-size-var": _plain("num_threads"),
    "levels-var": _plain("level"),
    "active-levels-var": _plain("active_level"),
    "final-task-var": _truth("in_final"),
    "ompd-final-var": _truth("in_final"),
    "nthreads-var": _plain("max_threads"),
    "dyn-var": _truth("dynamic"),
    "max-active-levels-var": _plain("max_active_levels"),
    "run-sched-var": Row(lambda answers: answers.sched_kind & 0xFFFFFFFF, _schedule),
    "bind-var": Row(_present("proc_bind"), lambda answers: _name(BINDINGS, answers.proc_bind)),
    "thread-limit-var": _plain("thread_limit"),
    "default-device-var": _plain("default_device"),
    "cancel-var": _truth("cancellation"),
    "max-task-priority-var": _plain("max_task_priority"),
    "num-procs-var": _plain("num_procs"),
    "ompd-num-procs-var": _plain("num_procs"),
    "place-partition-var": Row(None, _places),
    "place-assignment-var": Row(
        _place, lambda answers: None if _place(answers) is None else str(_place(answers))
    ),
    "team-num-var": _plain("team_num"),
    "league-size-var": _plain("num_teams"),
    "nteams-var": _plain("max_teams"),
    "teams-thread-limit-var": _plain("teams_thread_limit"),
    "def-allocator-var": Row(_present("default_allocator"), _allocator),
}

# What OMPD may call unavailable, and why. Anything else that is not answered is a failure.
# Variables are answered from handles of their home scope only.
HOMES = {
    "thread": (
        "thread-num-var ompd-thread-num-var nthreads-var dyn-var default-device-var"
        " place-partition-var place-assignment-var team-num-var league-size-var"
        " def-allocator-var"
    ).split(),
    "region": "team-size-var ompd-team-size-var levels-var active-levels-var".split(),
    "task": (
        "run-sched-var thread-limit-var max-active-levels-var bind-var final-task-var"
        " ompd-final-var"
    ).split(),
    "process": (
        "cancel-var max-task-priority-var num-procs-var ompd-num-procs-var nteams-var"
        " teams-thread-limit-var"
    ).split(),
}


class Difference(NamedTuple):
    """Something that OMPD says otherwise, or does not say without a reason that is allowed."""

    what: str
    ompd: Any
    program: Any


def compare(said: Dict[str, Any], moving: bool, where: str) -> List[Difference]:
    """Compares what was collected in one thread, and counts. moving: the thread may be in the
    middle of the start or end of a team, of which OMPD may say nothing at all."""
    if "skip" in said:
        counts.skipped[said["skip"]] += 1
        return []
    if "crash" in said:
        # In the middle of a team's start a thread may lack what its routines look at.
        counts.skipped["could not call their routines"] += 1
        return [] if moving else [Difference(where, None, said["crash"])]
    answers = Answers.from_buffer_copy(bytes.fromhex(said["program"]))
    if "unavailable" in said:
        counts.unavailable["everything: " + said["unavailable"]] += 1
        return [] if moving else [Difference(where, said["unavailable"], answers.level)]
    found = []
    for what, ompd, program in _pairs(said, answers):
        difference = _one(what, ompd, program, moving)
        if difference is not None:
            found.append(difference._replace(what="{}: {}".format(where, difference.what)))
    return found


def _one(what: str, ompd: Dict[str, Any], program: Any, moving: bool) -> Optional[Difference]:
    if program is None:
        return None
    if "missing" in ompd:
        counts.unavailable["{}: {}".format(what, ompd["missing"])] += 1
        if moving or is_allowed(what, ompd["missing"]):
            return None
        return Difference(what, ompd["missing"], program)
    counts.compared[what] += 1
    return None if ompd["value"] == program else Difference(what, ompd["value"], program)


def _pairs(said: Dict[str, Any], answers: Any) -> Iterator[Tuple[str, Dict[str, Any], Any]]:
    """Name, what OMPD says, and what the program says."""
    for key, forms in said["icvs"].items():
        name, scope = key.split("@")
        row = ROWS.get(name)
        if row is None:
            continue
        for form, get in (("number", row.number), ("text", row.text)):
            told = forms[form]
            if get is None or ("missing" in told and name not in HOMES[scope]):
                continue
            if name in _FIRST_OF_LIST:
                told = _first_of_list(form, told, forms["text"])
            yield key + " " + form, told, get(answers)
    yield from _levels(said, answers)
    yield from _derived(said, answers)


def _first_of_list(form: str, told: Dict[str, Any], text: Dict[str, Any]) -> Dict[str, Any]:
    """A list has no number; omp_get_max_threads() and its like tell the first element."""
    if "value" in told:
        return {"value": told["value"].split(",")[0]} if form == "text" else told
    first, comma, _ = text.get("value", "").partition(",")
    if told["missing"] == "the value is a list" and comma and first.isdigit():
        return {"value": int(first)}
    return told


# enum ompd_ext_parallel_kind
_PARALLEL, _INITIAL, _LEAGUE = range(3)


def _levels(said: Dict[str, Any], answers: Any) -> Iterator[Tuple[str, Dict[str, Any], Any]]:
    kinds = said["kinds"]
    yield "number of enclosing regions", {"value": kinds.count(_PARALLEL)}, answers.level
    # Regions do not count that surround a thread of the program, or of a league.
    around = kinds[answers.level :]
    yield "what is around all regions", {"value": around}, [_LEAGUE] * (_LEAGUE in kinds) + [
        _INITIAL
    ]
    for index in range(answers.level + 1):
        level = answers.level - index
        if 0 <= level < MAX_LEVELS:
            yield "level of region", said["levels"][index], level
            yield "ancestor's number", said["thread_nums"][index], answers.ancestor_thread_num[
                level
            ]
            yield "team size", said["team_sizes"][index], answers.team_size[level]


def _derived(said: Dict[str, Any], answers: Any) -> Iterator[Tuple[str, Dict[str, Any], Any]]:
    """What OMPD tells otherwise than the routine does."""
    active = said["icvs"]["active-levels-var@region"]["number"]
    # While LLVM's runtime makes or ends a team, its two routines contradict each other.
    agree = bool(answers.in_parallel) == (answers.active_level > 0)
    if "value" in active and agree:
        yield "in parallel", {"value": int(active["value"] > 0)}, answers.in_parallel
    flags = said["task"].get("value")
    if flags is not None and flags["flags_known"] & 1:
        yield "final flag", {"value": flags["flags"] & 1}, answers.in_final


# Reasons for which a value may be unavailable, by name of the variable.
ALLOWED: Tuple[Tuple[str, str], ...] = (
    # The standard wants no number for what has more items (ompd_rc_incomplete); the text is compared.
    ("run-sched-var@task number", "the schedule has a chunk size"),
    ("bind-var@task number", "the value is a list"),
    # A stripped libgomp does not tell where it keeps the list of OMP_NUM_THREADS=4,3,2.
    ("nthreads-var", "the list of values for inner levels cannot be found"),
    # LLVM's runtime decides these when it is asked, or when the first region begins: before, as
    # the program was stopped, they are not decided.
    ("num-procs-var", "the runtime has not counted them yet"),
    ("ompd-num-procs-var", "the runtime has not counted them yet"),
    ("nthreads-var", "the runtime has not chosen a number yet"),
    ("place-partition-var", "the thread is not bound to a place yet"),
    ("place-assignment-var", "the thread is not bound to a place yet"),
)


def is_allowed(what: str, reason: str) -> bool:
    """Whether a value may be unavailable for this reason."""
    return any(what.startswith(name) and text in reason for name, text in ALLOWED)
