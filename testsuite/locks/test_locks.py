# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fifty ways to hold a lock: what is waited for is right in all, nothing false is said of any, and
in most the owner is named."""

from typing import Any, Dict, List

from conftest import Case

NAMED_AT_LEAST = 0.8
UNKNOWN_AT_MOST = 0.1


def _failures(cases: List[Case], complaints: List[str]) -> str:
    return "{} of {} programs:\n{}".format(len(complaints), len(cases), "\n".join(complaints))


def _lock(case: Case) -> Dict[str, Any]:
    """The one lock; empty if there is none, or more."""
    locks: List[Dict[str, Any]] = case.report["locks"]
    return locks[0] if len(locks) == 1 else {}


def test_the_lock_is_right(cases: List[Case]) -> None:
    """Kind, waiters, address and name. LLVM's runtime does not record for which lock a thread
    waits: where the code does not tell, the address is left out, and never another one."""
    complaints, unknown = [], []
    for case in cases:
        lock, truth = _lock(case), case.truth
        # Of an address alone it may not be known whether it is a lock or a critical construct.
        kinds = (truth.kind, "mutex" if truth.symbol is None else truth.kind)
        is_right = lock.get("kind") in kinds and lock.get("waiters") == case.waiters
        if is_right and lock["address"] is None and lock["runtime"] == "libomp" and truth.address:
            unknown.append(case.name)
            continue
        is_right = is_right and lock["symbol"] == truth.symbol
        if not is_right or (truth.address and lock["address"] != truth.address):
            complaints.append("{}: {}, not {}".format(case.name, lock, truth))
    print("address unknown: {}".format(unknown))
    assert not complaints, _failures(cases, complaints)
    assert len(unknown) <= UNKNOWN_AT_MOST * len(cases), _failures(cases, unknown)


def test_no_owner_is_wrong(cases: List[Case]) -> None:
    """An owner that is said to be so is the owner, and a lone candidate, too: nobody would look at
    another thread."""
    complaints = []
    for case in cases:
        for lock in case.report["locks"]:
            threads = {one["thread"] for one in lock["candidates"]}
            is_wrong = len(threads) == 1 and threads != {case.owner}
            if lock["owner"] not in (None, case.owner) or is_wrong:
                complaints.append("{}: {}, not {}".format(case.name, lock, case.owner))
    assert not complaints, _failures(cases, complaints)


def test_who_stands_by_is_no_candidate(cases: List[Case]) -> None:
    """A thread at a barrier behind the code that takes the lock and gives it back has not taken it."""
    complaints = [case.name for case in cases if case.bystander in case.named]
    assert not complaints, _failures(cases, complaints)


def test_nothing_false_is_found(cases: List[Case]) -> None:
    """There is a finding about each wait; none is a deadlock, or about a lock that is free."""
    complaints = []
    for case in cases:
        findings = case.report["findings"]
        waiters = {one for finding in findings for one in finding["waiters"]}
        rules = {finding["rule"] for finding in findings}
        text = " ".join(str(finding) for finding in findings)
        if (
            not waiters.issuperset(case.waiters)
            or case.owner in waiters
            or not rules <= {"lock", "ordered", "barrier"}
            or "free at this moment" in text
        ):
            complaints.append("{}: {}".format(case.name, findings))
    assert not complaints, _failures(cases, complaints)


def test_the_owner_is_named(cases: List[Case]) -> None:
    """Surely or perhaps."""
    unnamed = [case.name for case in cases if case.owner not in case.named]
    share = 1 - len(unnamed) / len(cases)
    print("{:.0%} named; not: {}".format(share, unnamed))
    assert share >= NAMED_AT_LEAST, _failures(cases, unnamed)
