# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's runtime: at every stop that a fixture's header describes, the threads are as it says, what
OMPD says equals what the program's routines answer, and a core file says the same."""

import json
import re
from pathlib import Path

import pytest

import build  # from fixtures/
from harness import cases, counts, expect, oracle, own_programs, processes, setup, snapshots
from harness.cases import Case
from harness.normal import normal
from harness.snapshots import Snapshot

ALL = cases.llvm_cases()
ASKABLE = [c for c in ALL if c.mode in (cases.LIVE, cases.ATTACHED)]
JSON_PARTS = ("threads", "tasks", "queued", "counts", "stacks")


@pytest.mark.parametrize("case", ALL, ids=str)
def test_threads_are_as_the_header_says(case: Case, snapshot: Snapshot) -> None:
    problems = expect.thread_problems(case, snapshot)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_commands_succeed(case: Case, snapshot: Snapshot) -> None:
    failed = {name: said["error"] for name, said in snapshot.items() if "error" in said}
    assert failed == {}
    runtimes = snapshot["status"]["runtimes"]
    name = "libiomp5" if case.variant == "iomp5" else "libomp"
    assert [runtime["layout"]["runtime"] for runtime in runtimes] == [name]


@pytest.mark.parametrize("case", ASKABLE, ids=str)
def test_every_value_equals_the_programs(case: Case, snapshot: Snapshot) -> None:
    counts.stops["states of fixtures on LLVM's runtime"] += 1
    different = []
    for said in snapshot["oracle"]:
        different += oracle.compare(said, False, "thread {}".format(said["gdb"]))
    assert not different, "\n".join(map(str, different))


@pytest.mark.parametrize("case", [c for c in ALL if c.mode == cases.GCORE], ids=str)
def test_core_says_the_same_as_the_process(
    case: Case, snapshot: Snapshot, live_snapshot: Snapshot
) -> None:
    for name in JSON_PARTS:
        assert normal(name, snapshot) == normal(name, live_snapshot)


STRIPPED = [Case("tasks", ("kinds",), "clang-stripped", m) for m in (cases.LIVE, cases.GCORE)]


@pytest.mark.parametrize("case", STRIPPED, ids=str)
def test_stripped_programs_keep_the_places_of_constructs(case: Case, snapshot: Snapshot) -> None:
    """The text that Clang's code hands to the runtime tells them."""
    lines = [line.split("#")[-1] for line in snapshot["tasks_text"]["text"].splitlines()]
    for mark, count in (("tied-queued", 3), ("untied-queued", 2), ("final-queued", 1)):
        place = r"\d+ task of kinds at tasks\.c:{}, queued".format(build.line_of("tasks", mark))
        assert sum(re.match(place, line) is not None for line in lines) == count
    regions = {
        (frame["function"], frame["construct_at"]["file"].rpartition("/")[2])
        for stack in snapshot["stacks"]["stacks"]
        for frame in stack["parts"][0]["frames"]
        if frame["construct"] == "parallel region"
    }
    assert regions == {("main", "tasks.c")}


def test_threads_that_begin(tmp_path: Path) -> None:
    """LLVM's runtime makes a thread a member of its team before the thread runs."""
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled("steps.c", tmp_path / "steps", flags, "clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    asked = ["omp regions", "omp regions -json", "@python gdb.selected_thread().num"]
    commands = ["break main", "run 4", "break pthread_setcanceltype"]
    for _ in range(3):  # each new thread calls it first
        commands += ["continue", *asked]
    said = processes.run_gdb("session.py", {"commands": commands}, [str(program)]).result
    for text, told, selected in (said[at : at + 3] for at in range(4, len(said), 4)):
        assert not re.search(r"^ +\d+ +\?", text["text"], re.M), text
        regions = json.loads(told["text"])["regions"]
        groups = [group for region in regions for group in region["groups"]]
        if any(selected["value"] in group["threads"] for group in groups):
            assert re.search(r"^ +\d+ +in the runtime ", text["text"], re.M), text


@pytest.mark.parametrize("cancellation", ["false", "true"])
def test_threads_that_may_have_left_their_barrier(cancellation: str) -> None:
    """With cancellation a thread may go on and keep the count of the barrier: libompd does not
    tell that it waits there. The threads' stacks do."""
    changes = {"OMP_CANCELLATION": cancellation, "OMP_TOOL": "disabled"}
    try:
        program = setup.program("hung", "clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with processes.ready_program(program, [], changes) as pid:
        told = {one["state"] for one in snapshots.say_json("thread-info", pid)["inquiries"]}
        seen = {one["state"] for one in snapshots.say_json("threads", pid)["threads"]}
    assert told == ({None, "wait_barrier"} if cancellation == "false" else {None})
    assert {"wait_barrier", "wait_lock"} <= seen
