# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's tests for OMPT, built with GCC, on libgomp with libompt-gomp.so: all pass but those of which
docs/ompt.md says why they cannot."""

import re
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterator, Tuple

import pytest

import ompt_suite

TABLE = ompt_suite.ROOT / "docs" / "ompt.md"
HEADING = "## LLVM's own tests"
WORKERS = 4  # which sleep, mostly
# Some order their threads by short sleeps.
ATTEMPTS = 4
# Which thread comes first decides whether each gets a section.
EITHER = ("worksharing/sections_dispatch.c",)


def rows() -> Dict[str, Tuple[str, str]]:
    """What each test misses that cannot pass, and why."""
    text = TABLE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([\w/.-]+)` \| `([^`]+)` \| (.+) \|$", text, re.M)
    return {name: (missing, why) for name, missing, why in found}


def _run(where: Path, name: str) -> ompt_suite.Outcome:
    """Run a test; once more where it may depend on which thread sleeps longer."""
    for _ in range(1 if name in rows() else ATTEMPTS):
        with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
            outcome = ompt_suite.run_test(where, name, Path(scratch))
        if outcome.passed:
            break
    return outcome


@pytest.fixture(scope="module")
def where() -> Path:
    """The folder with LLVM's tests."""
    try:
        return ompt_suite.folder()
    except ompt_suite.Skipped as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def outcomes(where: Path) -> Iterator[Dict[str, "Future[ompt_suite.Outcome]"]]:
    """How each test ends, once it has."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        names = ompt_suite.names(where)
        yield {name: pool.submit(_run, where, name) for name in names}


def test_rows_are_of_tests(outcomes: Dict[str, "Future[ompt_suite.Outcome]"]) -> None:
    assert len(outcomes) > 90
    assert rows() and set(rows()) <= set(outcomes)


def test_all_others_pass(outcomes: Dict[str, "Future[ompt_suite.Outcome]"]) -> None:
    failed = {
        name: future.result().output[:2000]
        for name, future in outcomes.items()
        if name not in rows() and not future.result().passed
    }
    assert failed == {}


def test_those_with_a_row_miss_what_it_says(
    outcomes: Dict[str, "Future[ompt_suite.Outcome]"],
) -> None:
    for name, (missing, _) in rows().items():
        outcome = outcomes[name].result()
        if name in EITHER and outcome.passed:
            continue
        assert not outcome.passed, name
        assert missing in outcome.complaint, (name, outcome.complaint)
