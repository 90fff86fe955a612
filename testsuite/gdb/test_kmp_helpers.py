# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hidden helper threads of LLVM's runtime, which execute target tasks that are not waited for: they
are shown as what they are, and are no members of teams. Tasks with dependences of other kinds."""

from typing import Any, Dict, List, Optional, Set, Tuple

import pytest

import build  # from fixtures/
from harness import cases
from harness.cases import Case
from harness.snapshots import Snapshot

CASES = [
    Case("helpers", (), variant, mode)
    for variant in ("clang", "omp13", "omp19")
    for mode in (cases.LIVE, cases.GCORE)
]
Told = Tuple[str, int, str, Set[str], int]


def line(mark: str) -> int:
    return build.line_of("helpers", mark)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_helpers_are_no_members_of_teams(case: Case, snapshot: Snapshot) -> None:
    threads = snapshot["threads"]["threads"]
    assert [team["size"] for team in snapshot["threads"]["teams"]] == [2]
    members = sorted((t["thread_num"], t["team_size"]) for t in threads if t["team"])
    assert members == [(0, 2), (1, 2)]
    helpers = [t for t in threads if t["helper"]]
    assert len(helpers) == len(threads) - 2 >= 3
    assert all(t["openmp"] and not t["team"] and t["thread_num"] is None for t in helpers)
    found = sorted((t["state"], t["task_kind"] or "") for t in helpers)
    at_work = [("work_parallel", "target")] * 2
    assert found == [("idle", "")] * (len(helpers) - 2) + at_work
    rows = snapshot["threads_text"]["text"].splitlines()
    assert sum(" helper " in row for row in rows) == len(helpers)
    assert snapshot["status"]["teams"] == {"total": 1, "nesting": 1}


def described(task: Dict[str, Any], implicit: Set[Optional[str]]) -> Told:
    parent = "implicit" if task["parent"] in implicit else str(task["parent"])
    kinds = {"{} {}".format(one["kind"], one["symbol"]) for one in task["depends"]}
    return (task["status"], task["function"]["line"], parent, kinds, task["predecessors"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tasks_of_helpers(case: Case, snapshot: Snapshot) -> None:
    """All tasks are met, each once, though the team counts those that helpers have."""
    tasks = snapshot["tasks"]["tasks"]
    assert snapshot["tasks"]["unreached"] == 0
    implicit = {task["id"] for task in tasks if task["kind"] == "implicit"}
    assert len(implicit) == 2

    def of(kind: str) -> List[Told]:
        found = [described(task, implicit) for task in tasks if task["kind"] == kind]
        return sorted(found, key=lambda one: one[1])

    assert [one[:3] + one[4:] for one in of("target")] == [
        ("running", line("free"), "implicit", 0),
        ("running", line("writer"), "implicit", 0),
        ("blocked", line("reader"), "implicit", 1),
    ]
    assert of("explicit") == [
        ("running", line("exclusive"), "implicit", {"mutexinoutset b"}, 0),
        ("queued", line("excluded"), "implicit", {"mutexinoutset b"}, 0),
        ("queued", line("queued"), "implicit", set(), 0),
    ]
    flags = {task["kind"]: task["flags"] for task in tasks}
    assert flags["target"] == ["untied"] and flags["explicit"] == []
