# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs on core files: how long the command line takes, and how long GDB."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes  # noqa: E402

ROUNDS = 9


class Seconds(NamedTuple):
    """Medians of one command."""

    elapsed: float
    processor: float


def commands(gdb: str, ompdbg: Path, program: Path, core: Path) -> Dict[str, List[str]]:
    """What is compared: everything that we know, with GDB's stacks."""
    debugger = [gdb, "-nx", "-q", "-batch", "-iex", "set auto-load off", str(program), str(core)]
    return {
        "report": [str(ompdbg), "report", "--json", str(core)],
        "gdb": [*debugger, "-ex", "thread apply all bt"],
    }


def measured(words: Sequence[str]) -> Seconds:
    """One run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(
        words,
        env={**os.environ, "DEBUGINFOD_URLS": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    elapsed = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{words[0]} failed with {done.returncode}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(elapsed, used)


def on_core(gdb: str, ompdbg: Path, program: Path, threads: int) -> Dict[str, Seconds]:
    """The commands in turn, on a core file of a team of that size."""
    with tempfile.TemporaryDirectory(prefix="ompdbg-bench-") as scratch:
        core = processes.kernel_core(program, [str(threads)], Path(scratch))
        runs: Dict[str, List[Seconds]] = {}
        for _ in range(ROUNDS):
            for name, words in commands(gdb, ompdbg, program, core).items():
                runs.setdefault(name, []).append(measured(words))
    return {
        name: Seconds(*(statistics.median(column) for column in zip(*found)))
        for name, found in runs.items()
    }
