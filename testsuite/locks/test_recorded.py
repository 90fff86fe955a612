# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of a program that records, every owner of a lock is known, certain and right: in hangs, and stopped at
any moment."""

from pathlib import Path
from typing import List

import pytest
import stops
from conftest import Case

# Many more by hand, with stops.py.
STOPS = 6


def test_every_owner_is_known(recorded: List[Case]) -> None:
    complaints = [
        "{}: {}".format(case.name, lock)
        for case in recorded
        for wait, lock in case.locks
        if not lock or lock["owner"] != case.numbers[wait.owner]
    ]
    assert recorded and not complaints, "\n".join(complaints)


def test_the_owner_is_said_with_place_and_time(recorded: List[Case]) -> None:
    """The line is one of the program's own files. Whose turn an ordered region is, runtimes know; a lambda
    jumps to the runtime, and leaves the header that has called it."""
    complaints = []
    for case in recorded:
        for wait, lock in case.locks:
            if "lambda" in case.name:
                continue
            place = lock.get("recorded", {}).get("location") or {}
            name = Path(place.get("file") or "").stem
            if wait.kind != "ordered" and (
                name not in ("idioms", "tables", "criticals") or lock["recorded"]["age"] < 0
            ):
                complaints.append("{}: {}".format(case.name, lock))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_random_stops(compiler: str, tmp_path: Path) -> None:
    """What the program notes of its own takings is what is said of it."""
    locks, certain, different = stops.stop_often(stops.compiled(compiler, tmp_path), STOPS, 1)
    assert locks >= certain > 0
    assert not different, "\n".join(different)
