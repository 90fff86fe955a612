# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files with bytes flipped at random, through the whole tool: no crash, no hang, no unbounded
memory. All that is in C runs under the sanitizers, where the compiler has them."""

import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict

import comparing
import pytest
from harness import processes, setup

CORES = 200
SECONDS = 30  # for one of them
MEMORY = 4 << 30
HEADERS = 1 << 14  # where most of what a core file says of itself is
COMMANDS = ("bt --full", "why", "tasks", "regions", "icvs", "locks", "status", "threads")
SANITIZED = comparing.BUILD / "testsuite" / "fuzz"
RUNTIME = "libasan.so"


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
            command = COMMANDS[index % len(COMMANDS)]
            status, out, err = comparing.ask(*command.split(), core)
            signal.alarm(0)
            assert status in (0, 1, 3, 4), (index, status, err)
            assert out or len(err.splitlines()) == 1, (index, err)
            opened += status in (0, 1)
            for at, byte in before.items():
                os.pwrite(file.fileno(), byte, at)
    assert opened > CORES // 4, opened


def sanitizers() -> Dict[str, str]:
    """The environment in which the modules that are built with them run; nothing without them."""
    if not (SANITIZED / "libompd.so").exists():
        return {}
    found = subprocess.run(
        [setup.CC, f"-print-file-name={RUNTIME}"],
        stdout=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    ).stdout.strip()
    if found == RUNTIME:
        return {}
    return {
        "LD_PRELOAD": found,
        "ASAN_OPTIONS": f"detect_leaks=0:hard_rss_limit_mb={MEMORY >> 20}",
        "PYTHONMALLOC": "malloc",
    }


def test_bytes_flipped_at_random(tmp_path: Path) -> None:
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    core = processes.kernel_core(setup.program("nested", "O2"), ("2", "2", "2"), tmp_path)
    found = sanitizers()
    done = subprocess.run(
        [sys.executable, __file__, core, *([SANITIZED] if found else [])],
        env={**os.environ, **found},
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.path.insert(0, sys.argv[2])
        setup.LIBRARY = Path(sys.argv[2]) / "libompd.so"
        import _ompd
        import _target

        assert all(one.__file__.startswith(sys.argv[2]) for one in (_ompd, _target))
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    flip_and_ask(Path(sys.argv[1]))
    assert str(setup.LIBRARY) in Path("/proc/self/maps").read_text(encoding="utf-8")
