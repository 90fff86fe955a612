# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's runtime: at every stop that a fixture's header describes, the threads are as it says, what
OMPD says equals what the program's routines answer, and a core file says the same."""

import pytest

import build  # from fixtures/
from harness import cases, counts, expect, oracle
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
    lines = snapshot["tasks_text"]["text"].splitlines()
    for mark, count in (("tied-queued", 3), ("untied-queued", 2), ("final-queued", 1)):
        place = "task of kinds at tasks.c:{}, queued".format(build.line_of("tasks", mark))
        assert sum(line.strip().startswith(place) for line in lines) == count
    regions = {
        (frame["function"], frame["construct_at"]["file"].rpartition("/")[2])
        for stack in snapshot["stacks"]["stacks"]
        for frame in stack["parts"][0]["frames"]
        if frame["construct"] == "parallel region"
    }
    assert regions == {("main", "tasks.c")}
