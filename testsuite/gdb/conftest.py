# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of the tests that run GDB, and which tests several processes (pytest-xdist) must not
part: those of a case, whose snapshot is taken once, and those that share a fixture of a module."""

import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import cases, counts, processes, recorded, releases, setup, snapshots  # noqa: E402
from harness.cases import Case  # noqa: E402

import build  # noqa: E402  (of the fixtures)

_all_snapshots = snapshots.Snapshots()


def pytest_addoption(parser: Any) -> None:
    """`--release`."""
    parser.addoption(
        "--release",
        action="store_true",
        help="only what depends on the releases of GDB, compilers and runtimes",
    )


def parameters_of(item: pytest.Item) -> Dict[str, Any]:
    """With what a test is run."""
    found: Dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    return found


def case_of(item: pytest.Item) -> Optional[Case]:
    """The case of which a test is."""
    case = parameters_of(item).get("case")
    return case if isinstance(case, Case) else None


def _shared(item: pytest.Item) -> str:
    """What a test shares with others that are best run by the same process."""
    case = case_of(item)
    if case is not None:
        return case.group
    known = getattr(item, "_fixtureinfo").name2fixturedefs
    if any(found[-1].scope == "module" for found in known.values()):
        return item.path.stem
    return ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: List[pytest.Item]) -> None:
    """Without GDB or ompdbg there is nothing to test."""
    missing = setup.missing()
    if config.getoption("release"):
        chosen = [
            item for item in items if releases.matter_to(item.path.stem, parameters_of(item))
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
    for item in items:
        if missing:
            item.add_marker(pytest.mark.skip(reason=missing))
        different = recorded.difference(item.nodeid) if setup.PRELOAD else None
        if different:
            item.add_marker(pytest.mark.skip(reason="recorded: " + different))
        group = _shared(item)
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Which core files will be wanted."""
    _all_snapshots.announce(case for case in map(case_of, session.items) if case is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tells what was counted."""
    told = counts.told()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["counts"] = told


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What another process counted."""
    if "counts" in getattr(node, "workeroutput", {}):
        counts.add(node.workeroutput["counts"])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was counted."""
    for line in counts.report():
        terminalreporter.write_line(line)


@pytest.fixture
def snapshot(case: Case) -> Iterator[snapshots.Snapshot]:
    """What the commands say at the stop of a case."""
    if case.mode in cases.KERNEL_CORES:
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
