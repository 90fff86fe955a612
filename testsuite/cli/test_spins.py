# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait awake: for which variable, and which element; and none that works."""

import re
import subprocess
import time
from pathlib import Path
from typing import Any, Tuple

import build  # from fixtures/
import pytest
from harness import own_programs, rest
from test_waits import PROGRAMS

LOOKS = 8
AWAITED = {1: r" on done\[2\]\.sweep", 2: r" on stages\[8\]", 3: r" on stages\[2\]"}


def threads_of(pid: int) -> int:
    """How many threads a process has."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


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


@pytest.mark.parametrize("family", ("gcc", "clang"))
@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("options", ((), ("-DYIELDS",)))
def test_threads_that_go_on_by_turns(
    ompdbg: Any, tmp_path: Path, family: str, level: str, options: Tuple[str, ...]
) -> None:
    """Each is in a loop that only reads at most moments. What one of them reads lets it go."""
    try:
        program = own_programs.compiled(
            str(PROGRAMS / "handover.c"),
            tmp_path / "program",
            (level, "-g", "-fopenmp", *options),
            family,
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with subprocess.Popen([str(program)]) as process:
        try:
            while threads_of(process.pid) < 2:
                time.sleep(0.01)
            for _ in range(LOOKS):
                said = ompdbg.run("why", process.pid)
                assert said.returncode == 0, said.stdout
        finally:
            process.kill()
