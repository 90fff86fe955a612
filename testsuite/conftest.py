# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of all folders: a test that was skipped for a reason that nobody expects fails the run, if
OMPDBG_EXPECTED_SKIPS is set (expected_skips.py)."""

import sys
from pathlib import Path
from typing import Any, List, Tuple

import pytest

sys.path.append(str(Path(__file__).resolve().parent))

import expected_skips  # noqa: E402

_unexpected: List[Tuple[str, str]] = []


def _note(report: Any) -> None:
    """Looks at the report of a test or of a whole file."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.partition("Skipped: ")[2] or reason
    problem = expected_skips.problem(expected_skips.suite_of(report.nodeid), reason)
    if problem:
        _unexpected.append((report.nodeid, reason))


def pytest_runtest_logreport(report: Any) -> None:
    """A test."""
    _note(report)


def pytest_collectreport(report: Any) -> None:
    """A file."""
    _note(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails."""
    if _unexpected and session.exitstatus in (
        pytest.ExitCode.OK,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for each."""
    for test, reason in _unexpected:
        terminalreporter.write_line(f"UNEXPECTED SKIP {test}: {reason}", red=True)
