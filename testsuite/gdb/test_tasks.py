# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp tasks` at every stop at which a fixture's header lists the tasks."""

import re
from collections import Counter
from typing import Any, Dict, Tuple

import build  # from fixtures/
import pytest

from harness import cases, expect_tasks
from harness.cases import Case
from harness.normal import ageless
from harness.snapshots import Snapshot

ALL = cases.all_cases() + cases.llvm_cases()
WITH_TASKS = [case for case in ALL if case.state.tasks]
# Numbers of tasks of the others depend on arguments: see the tests of these programs.
COUNTED = [case for case in WITH_TASKS if all(row.count.isdigit() for row in case.state.tasks)]
# Of each state one stop, for what does not depend on how the program was built.
ONCE = [case for case in WITH_TASKS if case.variant in ("O2", "clang") and case.mode == cases.LIVE]
SOME_DEPENDS = [
    case
    for case in WITH_TASKS
    if not expect_tasks.knows_all_depends(case)
    and case.name in ("hung", "tasks depend")
    and case.variant != "clang-stripped"
]
DETACHED = [
    case
    for case in cases.in_gdb(WITH_TASKS)
    if "llvm" in build.VARIANTS[case.variant].traits and case.name == "tasks detach"
]


def has_lines(case: Case) -> bool:
    return not build.VARIANTS[case.variant].stripped


# Without symbols the functions have no lines.
QUEUE = [case for case in WITH_TASKS if case.program == "queue" and has_lines(case)]


@pytest.mark.parametrize("case", COUNTED, ids=str)
def test_tasks_are_as_the_header_says(case: Case, snapshot: Snapshot) -> None:
    lines = has_lines(case)
    assert expect_tasks.found(case, snapshot, lines) == expect_tasks.expected(case, lines)
    assert snapshot["tasks"]["damaged"] is False


@pytest.mark.parametrize("case", SOME_DEPENDS, ids=str)
def test_depends_that_are_told_are_those_of_the_source(case: Case, snapshot: Snapshot) -> None:
    by_line = {row.line: expect_tasks.clauses(row) for row in case.state.tasks}
    told = 0
    for task in expect_tasks.explicit(snapshot):
        found = expect_tasks.depends_of(task)
        expected = by_line[task["function"]["line"]]
        assert set(found) <= set(expected)
        assert task["depends_complete"] is (not expected)
        told += len(found)
    # The last task that names a variable is known to do so.
    assert told >= len({variable for rows in by_line.values() for _, variable in rows})


@pytest.mark.parametrize("case", DETACHED, ids=str)
def test_tasks_that_no_list_leads_to_are_counted(case: Case, snapshot: Snapshot) -> None:
    assert snapshot["tasks"]["unreached"] == 1
    assert ", and 1 in no list (" in snapshot["tasks_text"]["text"]


@pytest.mark.parametrize("case", WITH_TASKS, ids=str)
def test_every_thread_has_its_implicit_task(case: Case, snapshot: Snapshot) -> None:
    implicit = Counter(
        (task["team"], task["thread_num"])
        for task in snapshot["tasks"]["tasks"]
        if task["kind"] == "implicit"
    )
    teams = snapshot["tasks"]["teams"]
    assert implicit == Counter(
        (team["id"], number) for team in teams for number in range(team["size"])
    )


@pytest.mark.parametrize("case", WITH_TASKS, ids=str)
def test_running_tasks_are_those_of_the_threads(case: Case, snapshot: Snapshot) -> None:
    running = {
        task["id"]: task["thread"]
        for task in snapshot["tasks"]["tasks"]
        if task["status"] == "running"
    }
    current = {row["task"]: row["gdb"] for row in snapshot["threads"]["threads"] if row["task"]}
    assert running == current


@pytest.mark.parametrize("case", WITH_TASKS, ids=str)
def test_numbers_are_the_same_in_all_commands(case: Case, snapshot: Snapshot) -> None:
    numbers = {task["id"]: task["number"] for task in snapshot["tasks"]["tasks"]}
    explicit = [
        task["number"] for task in snapshot["tasks"]["tasks"] if task["kind"] == "explicit"
    ]
    assert sorted(explicit) == list(range(1, len(explicit) + 1))
    assert all(task["number"] == numbers[task["id"]] for task in snapshot["queued"]["tasks"])
    assert sum(number is not None for number in numbers.values()) == len(explicit)
    for row in snapshot["threads"]["threads"]:
        assert row["task_number"] == (numbers[row["task"]] if row["task"] else None)
    for stack in snapshot["stacks"]["stacks"]:
        assert stack["parts"][0]["task_number"] in numbers.values()
    if "tasks_text" in snapshot:
        said = re.findall(r"^ *#(\d+) task", snapshot["tasks_text"]["text"], re.MULTILINE)
        assert {int(number) for number in said} <= set(explicit)
        assert len(said) == len(set(said)) and bool(said) is bool(explicit)


@pytest.mark.parametrize("case", WITH_TASKS, ids=str)
def test_queued_are_the_tasks_that_have_not_begun(case: Case, snapshot: Snapshot) -> None:
    waiting = [
        task for task in snapshot["tasks"]["tasks"] if task["status"] in ("queued", "blocked")
    ]
    assert ageless(snapshot["queued"]["tasks"]) == ageless(waiting)


@pytest.mark.parametrize("case", WITH_TASKS, ids=str)
def test_counts_add_up(case: Case, snapshot: Snapshot) -> None:
    def key(item: Dict[str, Any]) -> Tuple[Any, ...]:
        function = item["function"] or {}
        return (function.get("symbol"), function.get("line"), item["kind"], item["status"])

    counted = {key(row): row["count"] for row in snapshot["counts"]["counts"]}
    assert counted == Counter(key(task) for task in snapshot["tasks"]["tasks"])
    numbers = [row["count"] for row in snapshot["counts"]["counts"]]
    assert numbers == sorted(numbers, reverse=True)


@pytest.mark.parametrize("case", QUEUE, ids=str)
def test_counts_of_a_large_pool(case: Case, snapshot: Snapshot) -> None:
    by_line = {
        (row["function"]["line"], row["status"]): row["count"]
        for row in snapshot["counts"]["counts"]
        if row["kind"] == "explicit"
    }
    line = {row.mark: row.line for row in case.state.tasks}
    assert by_line == {
        (line["gate-task"], "running"): 1,
        (line["head-task"], "blocked"): 100,
        (line["assemble-task"], "blocked"): 500,
        (line["smooth-task"], "blocked"): 300,
        (line["exchange-task"], "blocked"): 200,
    }
    chained = [task for task in expect_tasks.explicit(snapshot) if task["status"] == "blocked"]
    assert {task["predecessors"] for task in chained} == {1}
    if expect_tasks.knows_all_depends(case):
        assert Counter(len(task["depends"]) for task in chained) == {1: 1000, 2: 100}


@pytest.mark.parametrize("case", ONCE, ids=str)
def test_text_sums_up(case: Case, snapshot: Snapshot) -> None:
    total = len(snapshot["tasks"]["tasks"])
    lines = snapshot["tasks_text"]["text"].splitlines()
    assert lines[-1].partition(",")[0] == "{} tasks".format(total)
