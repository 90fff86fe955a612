# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's own OMPD library beside ours, on a runtime of LLVM's that is built with its symbols: both
answer alike, but for what docs/llvm-libompd.md explains."""

from collections import Counter
from typing import Set

import pytest

from harness import agreement, cases, counts
from harness.agreement import Row
from harness.cases import Case
from harness.snapshots import Snapshot

import build  # from fixtures/

# One process sees all of them, for what it counts.
pytestmark = pytest.mark.xdist_group("llvm_ompd")

ALL = cases.asked_cases()
TABLE = agreement.rows()
# Values that ours tells and LLVM's does not are many; of these it must be some.
AGREED_AT_LEAST = 40

_used: "Counter[Row]" = Counter()
_compared: Set[Case] = set()


@pytest.mark.parametrize("case", ALL, ids=str)
def test_answers_agree(case: Case, snapshot: Snapshot) -> None:
    (ours, unanswered), (theirs, crashed_at) = snapshot["ours"], snapshot["theirs"]
    assert unanswered is None
    found = agreement.compare(ours, theirs)
    release = build.VARIANTS[case.variant].release
    left, used = agreement.unexplained(found, release, TABLE)
    _used.update(used)
    _compared.add(case)
    counts.agreed.update(found.agreed)
    counts.numbers["explained"] += sum(used.values())
    assert not left, "\n".join(map(str, left[:20]))
    assert sum(found.agreed.values()) >= AGREED_AT_LEAST
    assert not snapshot["crash"], "LLVM's library, asked for {}: {}".format(
        crashed_at, snapshot["crash"]
    )


def test_every_row_of_the_table_happens() -> None:
    """Those of releases and states that were not compared cannot, and moments may not come."""
    if not _compared.issuperset(case for case in ALL if case.program != "fortran"):
        pytest.skip("not all states were compared")
    happen = [row for row in TABLE if set(row.releases).issubset(build.OMPD_RELEASES)]
    assert [row for row in happen if not row.momentary and not _used[row]] == []


def test_a_difference_without_a_row_is_found() -> None:
    ours = {"omp version": {"value": 1}, "thread 1: region: levels-var": {"value": 2}}
    theirs = {"omp version": {"value": 1}, "thread 1: region: levels-var": {"value": 3}}
    found = agreement.compare(ours, theirs)
    assert found.agreed == {"omp version": 1}
    left, used = agreement.unexplained(found, 16, TABLE)
    assert [(d.kind, d.ours, d.theirs) for d in left] == [("region: levels-var", "2", "3")]
    assert not used
