# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests on recorded targets: no GDB, no program, only the module _ompd (../ompd) and the OMPD library.

OMPDBG_BUILD in the environment names another build folder than build/.
"""

import os
import sys
from pathlib import Path
from typing import Any, Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OMPDBG_BUILD", str(ROOT / "build")))
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(BUILD / "testsuite" / "ompd"), str(ROOT / "fixtures"), str(HERE)]

import _ompd  # noqa: E402
import recording  # noqa: E402
import replay  # noqa: E402

RELEASES: List[recording.Release] = [recording.load(path) for path in recording.paths()]


class Opened:
    """A recorded target that the library has opened."""

    def __init__(
        self, library: _ompd.Library, release: recording.Release, target: recording.Target
    ) -> None:
        self.release = release
        self.target = target
        self.services = replay.Replay(target)
        if not release.is_llvm:
            self.services.tell_newest_gcc(release.major)
        services: Any = self.services
        self.space: _ompd.AddressSpace = library.open(services)

    def thread(self, thread: recording.Thread) -> _ompd.Thread:
        """The handle of a thread. Raises _ompd.Unavailable for one that is not of OpenMP."""
        return self.space.thread(_ompd.THREAD_ID_PTHREAD, thread.pthread)


def _all_targets() -> List[Any]:
    return [
        pytest.param((release, target), id="{}-{}".format(release.name, target.name))
        for release in RELEASES
        for target in release.targets
    ]


@pytest.fixture(scope="session")
def library() -> _ompd.Library:
    """The OMPD library."""
    return _ompd.Library(str(BUILD / "libompd" / "libompd.so"))


def _opened(library: _ompd.Library, param: Any) -> Iterator[Opened]:
    opened = Opened(library, *param)
    yield opened
    opened.space.close()
    assert opened.services.outside == []


@pytest.fixture(params=_all_targets())
def opened(request: Any, library: _ompd.Library) -> Iterator[Opened]:
    """Each recorded target."""
    yield from _opened(library, request.param)


@pytest.fixture(
    params=[release for release in RELEASES if not release.is_llvm],
    ids=lambda release: release.name,
)
def release(request: Any) -> recording.Release:
    """Each recorded release of libgomp."""
    found: recording.Release = request.param
    return found
