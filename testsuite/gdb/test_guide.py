# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions of the README and of the user guide are what GDB prints. `tools/guide-sessions` renews them."""

import re
import subprocess
from pathlib import Path
from typing import Callable, List

import build  # from fixtures/
import pytest

from harness import guide, setup


def made_with() -> bool:
    """They are of one release of GDB and of the compiler: others call the same another way."""
    commands = ([setup.GDB, "--version"], [setup.CC, "-dumpversion"])
    gdb, cc = (subprocess.run(c, stdout=subprocess.PIPE).stdout.decode() for c in commands)
    return re.search(r" 13\.\d", gdb.splitlines()[0]) is not None and cc.startswith("12")


@pytest.mark.skipif(bool(setup.missing()) or not made_with(), reason="not GDB 13 and GCC 12")
@pytest.mark.parametrize(
    "file, least, fits",
    [(guide.README, 1, guide.fits_other_threads), (guide.GUIDE, 8, guide.fits)],
    ids=["readme", "guide"],
)
def test_sessions_are_true(
    file: Path, least: int, fits: Callable[[List[str], List[str]], bool], tmp_path: Path
) -> None:
    text = file.read_text(encoding="utf-8")
    found = list(guide.blocks(text))
    assert len(found) >= least and all(block.said for block in found)
    told = [said for block in found for said in block.said]
    try:
        now = [said for block in guide.run_all(found, tmp_path) for said in block]
    except build.Skipped as reason:
        pytest.skip(str(reason))
    for before, after in zip(told, now):
        assert fits(before.lines, after.lines), (before, after)
    assert len(told) == len(now)


def test_other_threads() -> None:
    told = ["Threads 1-3 wait at a.c:10", "thread 4  lock v, held by 1", "..."]
    assert guide.fits_other_threads(
        told, ["thread 1  lock v, held by 3", "x", "Threads 2, 4 wait at a.c:10"]
    )
    assert not guide.fits_other_threads(told[:2], [*told[:2], "more"])
    assert not guide.fits_other_threads(told, [told[0], "thread 4  lock w, held by 1"])
    assert not guide.fits_other_threads(told, ["Threads 1-3 wait at a.c:11", told[1]])
