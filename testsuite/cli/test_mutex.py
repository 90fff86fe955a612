# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread waits for a mutex of the C library whose owner is no thread of the program."""

import subprocess
import time
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, processes

SOURCE = Path(__file__).resolve().parent / "programs" / "abandoned.c"
FOUND = 1
SECONDS = 60


def _await_futex(pid: int) -> None:
    """Until a thread sleeps on a futex."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        calls = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/syscall")]
        if any(call.startswith("202 ") for call in calls):
            return
        time.sleep(0.01)
    raise AssertionError("no thread waits")


@pytest.mark.parametrize("family", ["gcc", "clang"])
@pytest.mark.parametrize("how", ["ended", "overwritten"])
def test_owner_is_no_thread(ompdbg: Any, tmp_path: Path, family: str, how: str) -> None:
    try:
        program = own_programs.compiled(str(SOURCE), tmp_path / "abandoned", family=family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with subprocess.Popen(
        [str(program), how],
        stdout=subprocess.PIPE,
        text=True,
        env=processes.program_environment(),
    ) as process:
        try:
            assert process.stdout is not None
            owner = int(process.stdout.readline())
            assert process.stdout.readline() == "READY\n"
            processes.await_pause(process.pid)
            _await_futex(process.pid)
            done = ompdbg.run("why", process.pid)
        finally:
            process.kill()
    assert (done.returncode, done.stderr) == (FOUND, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == "Thread 2 waits for mutex abandoned (owner unknown)"
    why_unknown = (
        f"its recorded owner, LWP {owner}, is not among the threads"
        if how == "ended"
        else "it records no owner"
    )
    assert f"Held; {why_unknown}" in lines
    assert (owner == 0) == (how == "overwritten")
