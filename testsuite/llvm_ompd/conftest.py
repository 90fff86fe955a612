# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the chosen tests of LLVM's, two at a time, before the first outcome is asked for."""

import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import suite  # noqa: E402

WORKERS = 2
Outcomes = Callable[[str], suite.Outcome]


def _run(where: Path, name: str) -> suite.Outcome:
    for _ in range(suite.ATTEMPTS.get(name, 1)):
        with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
            outcome = suite.run_test(where, name, suite.setup.LIBRARY, Path(scratch))
        if outcome.passed or not outcome.gdb_survived:
            break
    return outcome


@pytest.fixture(scope="session")
def where() -> Path:
    """The folder with LLVM's tests, its plug-in and the runtime."""
    missing = suite.setup.missing()
    if missing:
        pytest.skip(missing)
    try:
        return suite.folder()
    except suite.build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def outcome_of(request: pytest.FixtureRequest, where: Path) -> Iterator[Outcomes]:
    """How a test of LLVM's ended."""
    parameters = (getattr(item, "callspec", None) for item in request.session.items)
    names = [found.params["name"] for found in parameters if found is not None]
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        futures: "Dict[str, Future[suite.Outcome]]" = {
            name: pool.submit(_run, where, name) for name in names
        }
        yield lambda name: futures[name].result()
        for future in futures.values():
            future.cancel()
