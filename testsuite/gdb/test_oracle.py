# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program is the oracle: in every thread, what OMPD says equals what the program's own
OpenMP routines answer when GDB calls them there."""

from dataclasses import dataclass
from typing import Any, Tuple

import build  # from fixtures/
import pytest

from harness import cases, counts, oracle, processes, setup
from harness.cases import FAILURES, Case
from harness.snapshots import Snapshot

AT_STATES = [c for c in cases.all_cases() if c.mode in (cases.LIVE, cases.ATTACHED)]


@pytest.mark.parametrize("case", AT_STATES, ids=str)
def test_every_value_equals_the_programs(case: Case, snapshot: Snapshot) -> None:
    counts.stops["states of fixtures"] += 1
    different = []
    for said in snapshot["oracle"]:
        different += oracle.compare(said, False, "thread {}".format(said["gdb"]))
    assert not different, "\n".join(map(str, different))


@dataclass(frozen=True)
class Restless:
    """A program that is stopped where it happens to be."""

    program: str
    arguments: Tuple[str, ...]
    variant: str
    seed: int
    breakpoints: Tuple[str, ...]  # "" is a signal at a random time

    def __str__(self) -> str:
        return "-".join((self.program,) + self.arguments + (self.variant, str(self.seed)))


# Seconds for which the programs run unless GDB ends them, which it does however busy the machine is.
LIFE = "14000"
STOPS = 300 if setup.FULL else 30
LONGEST_STEP = 700
SIGNAL = ""
# Starts of teams in stress; starts and ends of teams in team_edges. In thread 1: a worker may end
# while it is stepped, and GDB would wait for it.
STARTS = (SIGNAL, SIGNAL, "GOMP_parallel thread 1")
EDGES = (
    SIGNAL,
    "GOMP_parallel thread 1",
    "'region._omp_fn.0' thread 1",
    "'nested_region._omp_fn.0' thread 1",
)

RESTLESS = [
    Restless("stress", ("1", LIFE), "O2", 11, STARTS),
    Restless("stress", ("2", LIFE), "O0", 12, STARTS),
    Restless("stress", ("3", LIFE), "static", 13, STARTS),
    Restless("team_edges", (LIFE,), "O2", 14, EDGES),
    Restless("team_edges", (LIFE,), "O3fp", 15, EDGES),
    Restless("team_edges", (LIFE,), "nopie", 16, EDGES),
]


def _run(case: Restless) -> Any:
    task = {
        "arguments": list(case.arguments),
        "seed": case.seed,
        "stops": STOPS,
        "breakpoints": list(case.breakpoints),
        "longest_step": LONGEST_STEP,
    }
    program = setup.program(case.program, case.variant)
    return processes.run_gdb("random_stops.py", task, [str(program)]).result


@pytest.mark.parametrize("restless", RESTLESS, ids=str)
def test_no_value_differs_at_random_stops(restless: Restless) -> None:
    try:
        stops = _run(restless)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    assert len(stops) == STOPS
    problems = []
    for number, stop in enumerate(stops):
        counts.stops[stop["kind"]] += 1
        problems += ["stop {}: {}".format(number, stop["errors"])] if stop["errors"] else []
        problems += stop["stacks"]["different"]
        for said in stop["threads"]:
            where = "stop {} ({}), thread {} at {}".format(
                number, stop["kind"], said["gdb"], said.get("at")
            )
            problems += [str(difference) for difference in oracle.compare(said, True, where)]
    assert not problems, "\n".join(problems)


@dataclass(frozen=True)
class Sweep:
    """A program of which one thread is stopped at every instruction."""

    program: str
    arguments: Tuple[str, ...]
    variant: str
    thread: int
    functions: Tuple[str, ...]
    known: float = 0.8  # share of the instructions at which something must be

    def __str__(self) -> str:
        words = (self.program,) + self.arguments + (self.variant, str(self.thread))
        return "-".join(words)


STEPS = 4000 if setup.FULL else 450
# Through the end of a team, through that of a nested one, and through the start of one.
TEAMS = ("region._omp_fn.0", "nested_region._omp_fn.0", "GOMP_parallel")
TASKS = ("GOMP_task", "GOMP_taskwait", "GOMP_barrier", "GOMP_taskgroup_end")

# The same, of programs that Clang compiled: since release 16 names tell the function around it.
REGIONS = (
    "region.omp_outlined|.omp_outlined.",
    "nested_region.omp_outlined|.omp_outlined..2",
    "__kmpc_fork_call",
)
LLVM_TASKS = (
    "__kmpc_omp_task_alloc",
    "__kmpc_omp_taskwait",
    "__kmpc_barrier",
    "__kmpc_end_taskgroup",
)

SWEEPS = [
    Sweep("team_edges", (LIFE,), "O2", 1, TEAMS),
    Sweep("team_edges", (LIFE,), "static", 1, TEAMS),
    Sweep("team_edges", (LIFE,), "O2", 2, TEAMS[:2]),
    Sweep("stress", ("1", LIFE), "O2", 1, TASKS),
    Sweep("team_edges", (LIFE,), "clang", 1, REGIONS),
    Sweep("team_edges", (LIFE,), "omp19", 1, REGIONS[2:]),
    # While its primary thread frees a nested team, it has its number of the team around it already:
    # the program's own routines mix both, and OMPD says that they change.
    Sweep("team_edges", (LIFE,), "clang", 2, REGIONS[:2], 0.3),
    Sweep("stress", ("1", LIFE), "clang", 1, LLVM_TASKS),
]


def _sweep(sweep: Sweep) -> Any:
    task = {
        "arguments": list(sweep.arguments),
        "thread": sweep.thread,
        "functions": list(sweep.functions),
        "steps": STEPS,
        "failures": FAILURES.get((sweep.program, sweep.variant), 0),
    }
    program = setup.program(sweep.program, sweep.variant)
    passive = {
        "OMP_WAIT_POLICY": "passive",
        "KMP_BLOCKTIME": "0",
    }  # else most instructions are those of spinning
    return processes.run_gdb("every_step.py", task, [str(program)], passive).result


@pytest.mark.parametrize("sweep", SWEEPS, ids=str)
def test_no_value_differs_at_any_instruction(sweep: Sweep) -> None:
    try:
        found = _sweep(sweep)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    failures = found["failures"]
    assert len(failures) <= FAILURES.get((sweep.program, sweep.variant), 0), failures
    assert [len(steps) for steps in found["steps"]] == [STEPS] * len(sweep.functions)
    problems = []
    for function, steps in zip(sweep.functions, found["steps"]):
        answered, known = 0, False
        for number, said in enumerate(steps):
            if said is None:  # as after the instruction before
                answered += known
                continue
            known = "unavailable" not in said
            answered += known
            where = "instruction {} from {}, at {}".format(number, function, said.get("at"))
            problems += [str(difference) for difference in oracle.compare(said, True, where)]
        assert answered > STEPS * sweep.known, "of most, something must be known"
    assert not problems, "\n".join(problems)
