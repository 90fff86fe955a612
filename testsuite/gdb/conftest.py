# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of the tests that run GDB. Snapshots of all cases that the chosen tests need are begun
as soon as these are known, and are ready, or nearly so, when their tests come."""

import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import cases, counts, processes, setup, snapshots  # noqa: E402
from harness.cases import Case  # noqa: E402

import build  # noqa: E402  (of the fixtures)

_all_snapshots = snapshots.Snapshots()


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """Without GDB or ompdbg there is nothing to test."""
    missing = setup.missing()
    if missing:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=missing))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begins to work."""
    if setup.missing() or session.config.option.collectonly:
        return
    core_problem = processes.kernel_core_problem()
    wanted: Dict[Case, None] = {}
    for item in session.items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")
        if isinstance(case, Case) and not (case.mode == cases.KERNEL and core_problem):
            wanted[case] = None
    _all_snapshots.order(wanted)


def pytest_sessionfinish() -> None:
    """Ends what is going on."""
    _all_snapshots.close()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was counted."""
    for line in counts.report():
        terminalreporter.write_line(line)


@pytest.fixture
def snapshot(case: Case) -> Iterator[snapshots.Snapshot]:
    """What the commands say at the stop of a case."""
    if case.mode == cases.KERNEL:
        problem = processes.kernel_core_problem()
        if problem:
            pytest.skip(problem)
    try:
        yield _all_snapshots.get(case)
    except build.Skipped as reason:
        pytest.skip("{}/{}: {}".format(case.variant, case.program, reason))


@pytest.fixture
def live_snapshot(case: Case) -> snapshots.Snapshot:
    """The same stop in the live process from which a core file was taken."""
    return _all_snapshots.get(Case(case.program, case.arguments, case.variant, cases.LIVE))
