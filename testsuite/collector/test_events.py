# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of events are those of the program, which counts what it does; each event is reported,
or is a row of docs/collector.md."""

import re
import subprocess
from typing import Dict, List, Set, Tuple

import oracle
import pytest
from conftest import EVENTS, PROGRAMS, Laboratory, Told

CASES = [
    ("libgomp", "constructs.c", "gcc"),
    ("libgomp", "fortran.f90", "gfortran"),
    ("libomp-14", "constructs.c", "clang"),
    ("libomp-19", "constructs.c", "clang"),
]
# These need a tool of their own, or end within a region.
SKIPPED = {"control", "exit_inside"}

# Numbers of events that must be a sum of the program's own counts, on each family.
COMMON = {
    "LKWT": "lock nest",
    "CTWT": "critical",
    "ODWT": "ordered",
    "ORDERED": "ordered",
    "SINGLE": "single_run",
    "SUSPEND_TASK": "taskwait taskwait_depend taskgroup taskloop_group",
}
SUMS = {
    "gomp": {
        "ATWT": "atomic",
        "EBAR": "barrier barrier_static barrier_scan barrier_single barrier_copy",
        "IBAR": "implicit barrier_loop barrier_sections copy_run",
        "MASTER": "",
    },
    "kmp": {
        "ATWT": "",
        "EBAR": "barrier barrier_cancelled",
        "IBAR": "implicit -alone reduction barrier_copy barrier_cancelled barrier_dropped"
        " barrier_static barrier_loop barrier_sections barrier_single barrier_copy",
        "MASTER": "masked",
    },
}


def total(terms: str, counted: Dict[str, int]) -> int:
    """The sum of some counts; a minus subtracts."""
    return sum(-counted[one[1:]] if one[0] == "-" else counted[one] for one in terms.split())


def differences(told: Told, family: str) -> List[str]:
    """Where the tool was told other numbers than the program counted."""
    counted, events = told.counted, told.events
    found: List[str] = []

    def check(event: str, low: int, high: int) -> None:
        if not low <= events[event] <= high:
            found.append("{}: {}, not {} to {}".format(event, events[event], low, high))

    teams = counted["team"] if family == "kmp" else 0
    for name in ("FORK", "JOIN"):
        check(name, counted["parallel"] + teams, counted["parallel"] + teams)
    workers = counted["implicit"] - counted["parallel"]
    check("END_IDLE", workers, workers + teams)
    for name, terms in {**COMMON, **SUMS[family]}.items():
        number = total(terms, counted)
        # Of the barrier at a region's end, the last end of each worker may be missing.
        late = counted["worker"] + teams if name == "IBAR" else 0
        check("BEGIN_" + name, number, number)
        check("END_" + name, number - late, number)
    prompt = events["END_IBAR"] - told.late
    if prompt < events["BEGIN_IBAR"] - workers or told.late > workers:
        found.append("{} of {} ends of barriers late".format(told.late, events["END_IBAR"]))
    made = counted["task"] + counted["taskloop_task"]
    if not counted["cancel_taskgroup"]:  # some are cancelled before they are made
        check("END_CREATE_TASK_IMM", counted["undeferred"], counted["undeferred"])
        check("END_CREATE_TASK_DEL", made - counted["undeferred"], made - counted["undeferred"])
    begun = counted["task"] + counted["taskloop"] if family == "gomp" else 0
    check("BEGIN_CREATE_TASK", begun, begun)
    run = counted["task_run"]
    for name in ("BEGIN_EXEC_TASK", "BEGIN_FINISH_TASK"):
        check(name, run, run)
    check("END_FINISH_TASK", run - counted["worker"], run)
    created = events["END_CREATE_TASK_IMM"] + events["END_CREATE_TASK_DEL"]
    if len(told.parents) != created:
        found.append("{} ids of {} tasks".format(len(told.parents), created))
    return found


def documented(heading: str) -> Dict[str, Tuple[str, str]]:
    """The first columns of a table of docs/collector.md: an event, libgomp, libomp."""
    text = (oracle.ROOT / "docs" / "collector.md").read_text("utf-8")
    section = text.split("## " + heading)[1].split("\n## ")[0]
    rows: Dict[str, Tuple[str, str]] = {}
    for names, gomp, kmp in re.findall(r"^\| (`.*?`) \| (.*?) \| (.*?) \|", section, re.M):
        for name in re.findall(r"`(\w+)`", names):
            rows[name] = (gomp, kmp)
    return rows


NAMES = dict(zip(("gomp", "kmp"), (0, 1)))
seen: Dict[str, Set[str]] = {"gomp": set(), "kmp": set()}


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_programs(laboratory: Laboratory, case: Tuple[str, str, str]) -> None:
    name, source, compiler = case
    runtime = laboratory.runtime(name)
    program = laboratory.program(oracle.PROGRAMS / source, compiler, runtime)
    listed = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    which = listed.stdout.split() if source == "constructs.c" else [""]
    wrong: List[str] = []
    rows = documented("What is not reported")
    unsupported = {row for row, cells in rows.items() if cells[NAMES[runtime.family]] == "no"}
    assert which
    for one in which:
        if one in SKIPPED:
            continue
        told = laboratory.run([str(program), *([one] if one else [])], runtime)
        found = told.complaints + differences(told, runtime.family)
        if told.status:
            found.append("status {}: {}".format(told.status, told.output[-300:]))
        refused = {event for event, error in told.errors.items() if error == 3}
        if refused != unsupported or any(error not in (0, 3) for error in told.errors.values()):
            found.append("registrations: {}".format(told.errors))
        wrong += ["{}: {}".format(one, what) for what in found]
        seen[runtime.family] |= {event for event, number in told.events.items() if number}
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["libgomp", "libomp-14"])
def test_late_ends(laboratory: Laboratory, name: str) -> None:
    """Workers leave the barrier of a region with their next one: docs/collector.md."""
    runtime = laboratory.runtime(name)
    compiler = "gcc" if runtime.family == "gomp" else "clang"
    program = laboratory.program(oracle.PROGRAMS / "constructs.c", compiler, runtime)
    told = laboratory.run([str(program), "parallel"], runtime)
    workers = told.counted["implicit"] - told.counted["parallel"]
    assert workers == 40
    least = workers - told.counted["worker"] if runtime.family == "gomp" else 1
    assert least <= told.late <= workers


@pytest.mark.parametrize("name", ["libomp-14", "libomp-19"])
def test_gcc_on_llvm(laboratory: Laboratory, name: str) -> None:
    """What Clang's programs never do, GCC's do on LLVM's runtime, too."""
    runtime = laboratory.runtime(name)
    program = laboratory.program(PROGRAMS / "atomic.c", "gcc", runtime)
    library = laboratory.folder / ("gcc-on-" + name)
    library.mkdir()
    (library / "libgomp.so.1").symlink_to(runtime.folder + "/libomp.so.5")
    told = laboratory.run([str(program)], runtime, {"LD_LIBRARY_PATH": str(library)})
    assert (told.status, told.output) == (0, "40\n")
    assert not told.complaints
    assert told.events["BEGIN_ATWT"] == told.events["END_ATWT"] == 40
    seen["kmp"] |= {"BEGIN_ATWT", "END_ATWT"}


@pytest.mark.parametrize("family", ["gomp", "kmp"])
def test_every_event_is_seen(family: str) -> None:
    """In the tests above, or it is a row of docs/collector.md. No row is of an event that is seen."""
    if not seen[family]:
        pytest.skip("there is no runtime, or its tests did not run")
    rows = documented("What is not reported")
    never = {row for row, cells in rows.items() if cells[NAMES[family]] == "no"}
    assert seen[family] | never == set(EVENTS.values())
    assert not seen[family] & never
