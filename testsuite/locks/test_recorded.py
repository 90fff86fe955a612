# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of a program that records, every owner is known, certain and right: hung in fifty ways, and
stopped at any moment."""

from pathlib import Path
from typing import List

import pytest
import stops
from conftest import Case

# Many more by hand, with stops.py.
STOPS = 6


def test_every_owner_is_known(recorded_cases: List[Case]) -> None:
    complaints = []
    for case in recorded_cases:
        found = [(lock["owner"], lock["waiters"]) for lock in case.report["locks"]]
        if found != [(case.owner, case.waiters)]:
            complaints.append("{}: {}".format(case.name, case.report["locks"]))
    assert recorded_cases and not complaints, "\n".join(complaints)


def test_the_owner_is_said_with_place_and_time(recorded_cases: List[Case]) -> None:
    """The line is one of the idiom's own file. Whose turn an ordered region is, runtimes know."""
    complaints = []
    for case in recorded_cases:
        if case.truth.kind == "ordered":
            continue
        for lock in case.report["locks"]:
            place = lock.get("recorded", {}).get("location") or {}
            if "/idioms." not in (place.get("file") or "") or lock["recorded"]["age"] < 0:
                complaints.append("{}: {}".format(case.name, lock))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_random_stops(compiler: str, tmp_path: Path) -> None:
    """What the program notes of its own takings is what is said of it."""
    locks, certain, different = stops.stop_often(stops.compiled(compiler, tmp_path), STOPS, 1)
    assert locks >= certain > 0
    assert not different, "\n".join(different)
