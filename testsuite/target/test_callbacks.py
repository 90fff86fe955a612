# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often libompd asks its debugger for memory and symbols. A count is the same on any machine."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

import build  # noqa: E402  (of the fixtures)

COUNT = ROOT / "build" / "testsuite" / "api" / "callback_counts"
# For the handle of a thread, its region and its state, however deep it is: each of the three looks anew
# at the thread, and at the first thread of its team, which tells whether the region is over.
MOST_READS = 8
QUESTIONS = ("handle", "region", "state")

Program = Tuple[str, ...]
PROGRAMS: Tuple[Program, ...] = (("nested", "2", "2", "2"), ("waits",), ("many", "16"))
THREADS = {"nested": 8, "waits": 9, "many": 16}
VARIANTS = ("O2", "clang", "ompd23")
TOOLS = ("enabled", "disabled")  # OMP_DEBUG


def count(program: Program, variant: str, tool: str) -> Dict[str, Any]:
    """Ask about every thread of a fixture in its state."""
    try:
        path = setup.program(program[0], variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with processes.ready_program(path, program[1:], {"OMP_DEBUG": tool}) as pid:
        done = subprocess.run(
            [str(COUNT), str(setup.LIBRARY), str(pid)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("program", PROGRAMS, ids="-".join)
def test_reads_per_thread(program: Program, variant: str, tool: str) -> None:
    counted = count(program, variant, tool)
    threads = [row for row in counted["again"] if "state" in row]
    assert len(threads) >= THREADS[program[0]]
    assert {row["handle"]["rc"] for row in threads} == {0}
    reads = [sum(row[name]["reads"] for name in QUESTIONS) for row in threads]
    assert max(reads) <= MOST_READS, reads
    # A kernel's id is looked at, and the first look finds those of all threads.
    rows = counted["again_by_lwp"]
    reads = [sum(row[name]["reads"] for name in QUESTIONS if name in row) for row in rows]
    assert max(reads) <= MOST_READS + 1, reads
    first = sum(row["handle"]["reads"] for row in counted["first_by_lwp"])
    again = sum(row["handle"]["reads"] for row in rows)
    assert first - again <= len(rows) + 2, (first, again)
    symbols = [sum(row[name]["symbols"] for name in QUESTIONS) for row in threads]
    assert max(symbols) == 0, symbols


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("program", PROGRAMS[:1], ids="-".join)
def test_no_read_fails(program: Program, variant: str) -> None:
    """In a healthy program."""
    counted = count(program, variant, "enabled")
    rows = [row[name] for row in counted["first"] for name in QUESTIONS if name in row]
    rows += [counted[name] for name in ("process", "icvs", "variables")]
    assert [row for row in rows if row["failed_reads"]] == []
