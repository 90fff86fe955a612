# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp regions: every region with all of its threads, where it was opened, and what the runtime
counts at its barrier."""

from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import cases
from harness.cases import Case
from harness.normal import normal
from harness.snapshots import Snapshot

ALL = [case for case in cases.all_cases() + cases.llvm_cases() if case.variant != "stripped"]
GOMP = {case for case in cases.all_cases()}

# By state: for each region its label, where it was opened, its size, and how many threads have
# arrived at its barrier and at its end. A thread that runs a task in a barrier has arrived.
EXPECTED: Dict[str, List[Tuple[str, str, int, Tuple[int, int]]]] = {
    "hung": [("1", "solve", 8, (6, 0))],
    "waits locks": [("1", "locks", 9, (1, 0))],
    "nested 2 2 2": [
        ("1", "outer", 2, (0, 0)),
        ("1.0", "middle", 2, (0, 0)),
        ("1.0.0", "inner", 2, (1, 0)),
        ("1.0.1", "inner", 2, (1, 0)),
        ("1.1", "middle", 2, (0, 0)),
        ("1.1.0", "inner", 2, (1, 0)),
        ("1.1.1", "inner", 2, (1, 0)),
    ],
}


def of(name: str, known: List[Case]) -> List[Case]:
    """The cases of a state whose code was not moved about."""
    return [case for case in known if case.name == name]


@pytest.mark.parametrize("case", ALL, ids=str)
def test_every_thread_of_every_region(case: Case, snapshot: Snapshot) -> None:
    rows = snapshot["threads"]["threads"]
    teams = snapshot["threads"]["teams"]
    regions = snapshot["regions"]["regions"]
    assert [region["id"] for region in regions] == [team["id"] for team in teams]
    for region in regions:
        told: Dict[int, Any] = {}
        for group in region["groups"]:
            assert len(group["thread_nums"]) == len(group["threads"])
            for number in group["threads"]:
                told[number] = group
        for row in rows:
            if row["team"] != region["id"]:
                continue
            group = told.pop(row["gdb"])
            assert row["thread_num"] in group["thread_nums"]
            assert (group["state"], group["region"]) == (row["state"], None)
        for group in told.values():
            assert group["region"] is not None  # the thread is in a region within this one
        alike = [_what_is_told(group) for group in region["groups"]]
        assert len(set(alike)) == len(alike)
        progress = region["progress"]
        if progress is not None:
            assert 0 < progress["total"] == region["size"]
            assert progress["arrived"] + progress["arrived_end"] <= progress["total"]
            assert progress["source"] == ("runtime" if case in GOMP else "stacks")


@pytest.mark.parametrize(
    "case", [c for name in EXPECTED for c in of(name, sorted(GOMP, key=str))], ids=str
)
def test_where_and_how_far(case: Case, snapshot: Snapshot) -> None:
    found = []
    wanted = EXPECTED[case.name]
    for region, expected in zip(snapshot["regions"]["regions"], wanted):
        progress = region["progress"] or {"arrived": 0, "arrived_end": 0}
        function = region["opened"] and region["opened"]["function"]
        # A function may be inlined into its only caller.
        if case.variant not in ("O0", "clang-O0"):
            stripped = build.VARIANTS[case.variant].stripped
            assert function in (expected[1], "main", None if stripped else "main")
            function = expected[1]
        found.append((region["label"], function, region["size"], _arrived(progress)))
    assert found == wanted
    assert len(snapshot["regions"]["regions"]) == len(wanted)


def _what_is_told(group: Dict[str, Any]) -> Tuple[Any, ...]:
    wait = group["wait"] and (group["wait"]["kind"], group["wait"]["address"])
    place = group["location"]
    if place is not None:
        place = (place["file"], place["line"], place["function"] or place["address"])
    return (group["state"], wait, place, group["region"])


def _arrived(progress: Dict[str, int]) -> Tuple[int, int]:
    return progress["arrived"], progress["arrived_end"]


@pytest.mark.parametrize("case", [c for c in ALL if c.mode == cases.GCORE], ids=str)
def test_core_says_the_same_as_the_process(
    case: Case, snapshot: Snapshot, live_snapshot: Snapshot
) -> None:
    assert normal("regions", snapshot) == normal("regions", live_snapshot)


@pytest.mark.parametrize("case", [c for c in ALL if c.mode == cases.LIVE], ids=str)
def test_every_region_has_its_line(case: Case, snapshot: Snapshot) -> None:
    lines = snapshot["regions_text"]["text"].splitlines()
    labels = [region["label"] for region in snapshot["regions"]["regions"]]
    heads = [line for line in lines if line.lstrip().startswith("Region")]
    for label in labels:
        assert any(label in head.replace(":", ",").split(":")[0] for head in heads)
