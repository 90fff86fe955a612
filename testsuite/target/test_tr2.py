# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OMPD interface of 2016 and the later one, by a debugger of each in one program, on the same
target: what one says of it, the other says."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

import build  # noqa: E402  (of the fixtures)

WALK = ROOT / "build" / "testsuite" / "api" / "tr2_walk"
LIBRARY = ROOT / "build" / "libompd" / "libompd.so"
LIBRARY_2016 = ROOT / "build" / "libompd-tr2" / "libompd-tr2.so"

Program = Tuple[str, ...]
PROGRAMS: Tuple[Program, ...] = (("nested",), ("icvs", "env"), ("tasks",), ("teams",))
VARIANTS = ("O2", "clang")


def fixture(name: str, variant: str) -> Path:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def compare(target: object, least: int) -> None:
    """At least so many values are compared, and none differs."""
    command = [WALK, "compare", LIBRARY, LIBRARY_2016, target]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, check=False
    )
    said = re.search(r"^(\d+) values, 0 lines differ, 0 blocks not freed$", done.stdout, re.M)
    assert said is not None and done.returncode == 0, done.stdout + done.stderr
    assert int(said.group(1)) >= least


@pytest.mark.parametrize("program", PROGRAMS, ids="-".join)
@pytest.mark.parametrize("variant", VARIANTS)
def test_process(program: Program, variant: str) -> None:
    with processes.ready_program(fixture(program[0], variant), program[1:]) as pid:
        compare(pid, 200)


@pytest.mark.parametrize("program", PROGRAMS, ids="-".join)
@pytest.mark.parametrize("variant", VARIANTS)
def test_core_file(program: Program, variant: str, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    compare(processes.kernel_core(fixture(program[0], variant), program[1:], tmp_path), 200)


@pytest.mark.parametrize("variant", ("static", "stripped", "gcc-omp14", "omp19", "ompd19"))
def test_variants(variant: str) -> None:
    """Programs without a dynamic linker, without symbols, on another library's file name."""
    with processes.ready_program(fixture("nested", variant), ()) as pid:
        compare(pid, 1000)
