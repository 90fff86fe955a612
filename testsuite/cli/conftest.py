# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in known states, and the command line on them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "testsuite" / "gdb"), str(ROOT / "python")]

from harness import processes, setup  # noqa: E402

OMPDBG = ROOT / "build" / "ompdbg"


class CommandLine:
    """Runs `ompdbg`."""

    def run(self, *words: object, seconds: float = 120) -> "subprocess.CompletedProcess[str]":
        """What it does with these arguments."""
        command = [str(OMPDBG), *map(str, words)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env=processes.environment(),
        )

    def json(self, *words: object, status: int = 0) -> Dict[str, Any]:
        """What a command prints as JSON."""
        done = self.run(*words, "--json")
        assert (done.returncode, done.stderr) == (status, "")
        found: Dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="session")
def ompdbg() -> CommandLine:
    """The command line."""
    return CommandLine()


@pytest.fixture(scope="session")
def hung() -> Iterator[int]:
    """Eight threads: three wait for locks, the others at a barrier."""
    with processes.ready_program(setup.program("hung", "O2"), ()) as pid:
        yield pid
