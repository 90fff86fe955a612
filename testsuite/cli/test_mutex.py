# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutexes of the C library: owners, also such as are no threads of the program, and names."""

import subprocess
import time
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, processes, rest

PROGRAMS = Path(__file__).resolve().parent / "programs"
SOURCE = PROGRAMS / "abandoned.c"
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


@pytest.mark.parametrize("family", ["gcc", "clang"])
@pytest.mark.parametrize("kind", ["mutex", "lock"])
def test_members_of_objects(ompdbg: Any, tmp_path: Path, family: str, kind: str) -> None:
    """Locks in objects are called as their waiters know them, and all commands have the same locks."""
    options = ("-O0", "-g", "-fopenmp")
    source = PROGRAMS / "accounts.cpp"
    try:
        program = own_programs.compiled(str(source), tmp_path / "accounts", options, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with rest.hanging([str(program), kind], 3, tmp_path) as process:
        first, second = (tmp_path / "addresses").read_text().split()
        why = ompdbg.run("why", process.pid).stdout
        table = ompdbg.run("locks", process.pid).stdout
        threads = ompdbg.json("threads", process.pid)["threads"]
        locks = {one["address"]: one for one in ompdbg.json("locks", process.pid)["locks"]}
    assert set(locks) == {first, second}
    lines = source.read_text().splitlines()
    numbers = {thread["thread_num"]: thread["gdb"] for thread in threads}
    for thread in threads:
        number = thread["thread_num"]
        address = second if number == 0 else first
        name = "this->lock_"  # the frame of a class that the program itself has
        if kind == "mutex":  # the frames of std::mutex are the library's
            name = "this->guard_" if number == 2 else "other.guard_"
            mark = "close" if number == 2 else "transfer"
            assert lines[thread["location"]["line"] - 1].endswith(f"// LINE: {mark}")
            assert locks[address]["owner"] == numbers[1 if number == 0 else 0]
        title = f"{kind} {name} ({address})"
        assert (thread["wait"]["variable"], thread["does"]) == (name, title)
        assert f"  {title}" in why or number == 2, why
        assert thread["gdb"] in locks[address]["waiters"]
    for address, lock in locks.items():
        assert f"\n{kind} {lock['variable']} ({address}) " in table
