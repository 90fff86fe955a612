# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files with bytes flipped at random, through the whole tool: no crash, no hang, no unbounded
memory. testsuite/fuzz does the same to libtarget under the sanitizers."""

import os
import random
import resource
import signal
import traceback
from pathlib import Path

import comparing
import pytest
from harness import processes, setup

CORES = 200
SECONDS = 30  # for one of them
MEMORY = 4 << 30
HEADERS = 1 << 14  # where most of what a core file says of itself is
COMMANDS = ("bt", "why", "tasks", "regions", "icvs", "locks", "status", "threads")


def flip_and_ask(core: Path) -> None:
    """Raises what goes wrong."""
    numbers = random.Random(20261121)
    size = core.stat().st_size
    opened = 0
    with core.open("r+b", buffering=0) as file:
        # Of a sparse file only what it holds is worth flipping.
        begin = os.lseek(file.fileno(), HEADERS, os.SEEK_DATA)
        end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
        for index in range(CORES):
            before = {}
            for _ in range(numbers.randrange(1, 64)):
                choice = numbers.randrange(3)
                low, high = ((0, HEADERS), (begin, end), (0, size))[choice]
                at = numbers.randrange(low, high)
                before.setdefault(at, os.pread(file.fileno(), 1, at))
                os.pwrite(file.fileno(), bytes([numbers.randrange(256)]), at)
            signal.alarm(SECONDS)
            status, out, err = comparing.ask(COMMANDS[index % len(COMMANDS)], core)
            signal.alarm(0)
            assert status in (0, 1, 3, 4), (index, status, err)
            assert out or len(err.splitlines()) == 1, (index, err)
            opened += status in (0, 1)
            for at, byte in before.items():
                os.pwrite(file.fileno(), byte, at)
    assert opened > CORES // 4, opened


def test_bytes_flipped_at_random(tmp_path: Path) -> None:
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    core = processes.kernel_core(setup.program("nested", "O2"), ("2", "2", "2"), tmp_path)
    report = tmp_path / "report"
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        try:
            flip_and_ask(core)
            os._exit(0)
        except BaseException:
            report.write_text(traceback.format_exc(), encoding="utf-8")
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert status == 0, report.read_text(encoding="utf-8") if report.exists() else status
