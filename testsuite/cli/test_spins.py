# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait awake: for which variable, and which element; and none that works."""

import re
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, rest
from test_waits import PROGRAMS

LOOKS = 8
AWAITED = {1: r" on done\[2\]\.sweep", 2: r" on stages\[8\]", 3: r" on stages\[2\]"}


@pytest.mark.parametrize("family", ("gcc", "clang"))
@pytest.mark.parametrize("level", ("-O0", "-O1", "-O2"))
def test_elements(ompdbg: Any, tmp_path: Path, family: str, level: str) -> None:
    """Wherever in its loop a thread is, what it waits for is named, and who works does not wait."""
    try:
        program = own_programs.compiled(
            str(PROGRAMS / "neighbours.cpp"),
            tmp_path / "program",
            (level, "-g", "-fopenmp", "-Wno-psabi"),
            family,
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    awaited = dict(AWAITED)
    if family == "clang" and level != "-O0":
        awaited[1] = r"(?: on done\[2\]\.sweep)?"  # the pointer is in a register, without a name
    with rest.hanging([str(program)], 4, tmp_path) as process:
        for _ in range(LOOKS):
            text = ompdbg.run("threads", process.pid).stdout
            for number, variable in awaited.items():
                row = rf"^[ *]*\d+ +{number}/4 .* spins{variable} +implicit"
                assert re.search(row, text, re.M), (number, text)
            assert re.search(r"^[ *]*\d+ +0/4 .* works +implicit", text, re.M), text
