# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that hang with locks, and programs that work with them: nothing false is said of any, each wait
is named, and of most the owner of the lock."""

import re
from typing import List

import corpus
import pytest
from conftest import Case
from harness import processes

WAITS_AT_LEAST = 0.99
OWNERS_AT_LEAST = 0.9


def _assert_none(cases: List[Case], complaints: List[List[str]], share: float = 0) -> None:
    """Complaints about each of the cases; so many may be."""
    lines = [line for some in complaints for line in some]
    waits = sum(len(case.truth.waits) for case in cases)
    print("{} of {}: {}".format(len(lines), waits, lines))
    assert cases and len(lines) <= share * waits, "\n".join(lines)


def test_no_wait_is_wrong(hangs: List[Case], healthy: List[Case]) -> None:
    """Kind, waiters, address and name."""
    every = hangs + healthy
    _assert_none(every, [case.false_waits() for case in every])


def test_no_owner_is_wrong(hangs: List[Case], healthy: List[Case]) -> None:
    """An owner that is said to be so, and a lone candidate."""
    every = hangs + healthy
    _assert_none(every, [case.false_owners() for case in every])


def test_who_stands_by_is_no_candidate(hangs: List[Case], healthy: List[Case]) -> None:
    """A thread at a barrier behind the code that takes the lock and gives it back has not taken it."""
    every = hangs + healthy
    _assert_none(every, [case.named_bystanders() for case in every])


def test_nothing_false_is_found(hangs: List[Case], healthy: List[Case]) -> None:
    """No deadlock of those that are in none, or about a lock that is free."""
    every = hangs + healthy
    _assert_none(every, [case.false_findings() for case in every])


def test_exit_status_of_healthy(healthy: List[Case]) -> None:
    """Never 1: somebody works, or will."""
    _assert_none(healthy, [case.false_status() for case in healthy])


def test_exit_status_of_hangs(hangs: List[Case]) -> None:
    """Always 1."""
    _assert_none(hangs, [case.false_status() for case in hangs])


def test_deadlocks_are_found(hangs: List[Case]) -> None:
    """Where each thread is said to wait for one other."""
    _assert_none(hangs, [case.missed_deadlocks() for case in hangs])


def test_waits_are_named(hangs: List[Case]) -> None:
    """With the lock."""
    _assert_none(hangs, [case.unnamed_waits() for case in hangs], 1 - WAITS_AT_LEAST)


def test_owners_are_named(hangs: List[Case]) -> None:
    """Surely or perhaps."""
    _assert_none(hangs, [case.unnamed_owners() for case in hangs], 1 - OWNERS_AT_LEAST)


def test_core_files_say_what_processes_say(hangs: List[Case]) -> None:
    """Each lock, its owner or suspects, and the findings. Threads that spin go on before the core file is
    written: those are compared with the truth alone."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    pairs = [
        (live, core)
        for live, core in zip(hangs[::2], hangs[1::2])
        if not live.program.idiom.startswith(("tested_", "spin_"))
    ]
    different = [
        "{}: {}, not {}".format(core.name, core.answers, live.answers)
        for live, core in pairs
        if core.answers != live.answers
    ]
    assert pairs and not different, "\n".join(different)


def test_documented_table() -> None:
    """The table of docs/cases.md is of a whole sample, and tells of nothing false."""
    text = (corpus.ROOT / "docs" / "cases.md").read_text(encoding="utf-8")
    pattern = r"\| (\S+ -O[02], |all of these)"
    rows = [line.split("|") for line in text.splitlines() if re.match(pattern, line)]
    assert sum(int(row[2]) for row in rows) == 2 * corpus.HANGS + corpus.HEALTHY
    assert all(row[5].strip() == "0" and row[6].strip() == "0" for row in rows)
