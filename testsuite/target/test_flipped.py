# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files with bytes flipped at random, through the whole tool: no crash, no hang, no unbounded
memory. All that is in C runs under the sanitizers, where the compiler has them."""

import os
import random
import resource
import subprocess
from pathlib import Path
from typing import Dict

import comparing
import pytest
from harness import processes, setup

CORES = 800 if setup.FULL else 80
SECONDS = 120  # for one of them
MEMORY = 4 << 30
HEADERS = 1 << 14  # where most of what a core file says of itself is
COMMANDS = ("bt --full", "why", "tasks", "regions", "icvs", "locks", "status", "threads")
SANITIZED = comparing.BUILD / "testsuite" / "fuzz" / "ompdbg_sanitized"


def ask(core: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """What is said of the core file."""
    is_sanitized = SANITIZED.exists()

    def limit_memory() -> None:
        if not is_sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    return subprocess.run(
        [str(SANITIZED if is_sanitized else comparing.OMPDBG), *words, str(core)],
        env={**os.environ, "ASAN_OPTIONS": f"hard_rss_limit_mb={MEMORY >> 20}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        preexec_fn=limit_memory,
        timeout=SECONDS,
        check=False,
    )


def test_bytes_flipped_at_random(tmp_path: Path) -> None:
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    core = processes.kernel_core(setup.program("nested", "O2"), ("2", "2", "2"), tmp_path)
    numbers = random.Random(20261121)
    size = core.stat().st_size
    opened = 0
    with core.open("r+b", buffering=0) as file:
        # Of a sparse file only what it holds is worth flipping.
        begin = os.lseek(file.fileno(), HEADERS, os.SEEK_DATA)
        end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
        for index in range(CORES):
            before: Dict[int, bytes] = {}
            for _ in range(numbers.randrange(1, 64)):
                choice = numbers.randrange(3)
                low, high = ((0, HEADERS), (begin, end), (0, size))[choice]
                at = numbers.randrange(low, high)
                before.setdefault(at, os.pread(file.fileno(), 1, at))
                os.pwrite(file.fileno(), bytes([numbers.randrange(256)]), at)
            done = ask(core, *COMMANDS[index % len(COMMANDS)].split())
            assert done.returncode in (0, 1, 3, 4), (index, done)
            assert done.stdout or len(done.stderr.splitlines()) == 1, (index, done)
            opened += done.returncode in (0, 1)
            for at, byte in before.items():
                os.pwrite(file.fileno(), byte, at)
    assert opened > CORES // 4, opened
