# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A child of fork() has one thread; libgomp counts on those of the parent's pool, LLVM's runtime does
not."""

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Tuple

import pytest
from harness import own_programs, processes, rest

PROGRAM = Path(__file__).resolve().parent / "programs" / "forked.c"
FOUND = 1


@contextmanager
def _child(folder: Path, compiler: str, how: str) -> "Iterator[Tuple[int, subprocess.Popen[str]]]":
    """The child of a program, and its parent."""
    program = folder / f"forked-{compiler}"
    command = [compiler, "-g", "-O1", "-fopenmp", str(PROGRAM), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    environment = dict(processes.environment(), GOMP_SPINCOUNT="0", KMP_BLOCKTIME="0")
    with subprocess.Popen(
        [str(program), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as parent:
        try:
            assert parent.stdout is not None
            child = int(parent.stdout.readline())
            yield child, parent
        finally:
            if parent.poll() is None:
                os.kill(child, signal.SIGKILL)
                parent.kill()


def _wait_for_sleep(pid: int) -> None:
    """Until every thread sleeps in the kernel: on a futex, or for input."""
    while True:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks]
        if len(states) > 2 and set(states) == {"S"}:
            return


@pytest.mark.parametrize("how", ["at once", "asleep"])
def test_lost_threads_of_libgomp(ompdbg: Any, tmp_path: Path, how: str) -> None:
    """One of the new threads has the stack of the lost one, and with it the memory of its record. The
    primary thread waits for the lost one where the region begins, or at its end."""
    with _child(tmp_path, "gcc", how) as (pid, parent):
        assert parent.stdin is not None
        parent.stdin.write("\n")
        parent.stdin.flush()
        for _ in range(20):  # threads may wake between two looks
            _wait_for_sleep(pid)
            found = ompdbg.run("why", pid)
            if found.returncode == FOUND:
                break
        lines = found.stdout.splitlines()
        assert found.returncode == FOUND
        assert lines[0] == "Region 1: 1 of its 4 threads does not exist"
        assert "or fork() left it in the parent process" in " ".join(lines)
        assert lines[-1].split()[:2] == ["After", "fork(),"]
        (finding,) = ompdbg.json("why", pid, status=FOUND)["findings"]
        assert (finding["rule"], finding["certain"]) == ("lost_threads", True)
        assert finding["severity"] == "stuck"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_parent_of_a_child_that_hangs(ompdbg: Any, tmp_path: Path, compiler: str) -> None:
    """It waits for the child, and is told what that waits for."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with _child(tmp_path, compiler, "asleep") as (pid, parent):
        assert parent.stdin is not None
        if compiler == "gcc":
            parent.stdin.write("\n")
            parent.stdin.flush()
        for _ in range(20):  # threads may wake between two looks
            _wait_for_sleep(pid)
            found = ompdbg.run("why", pid)
            text = ompdbg.run("why", parent.pid)
            if found.returncode == text.returncode == FOUND:
                break
        reason = found.stdout.splitlines()[0]
        lines = text.stdout.splitlines()
        how = "cannot go on" if compiler == "gcc" else "is held up"
        assert lines[0] == f"Thread 1 waits for child process {pid}, which {how}"
        assert f"  Process {pid}: {reason}" in lines
        assert ("After fork()," in text.stdout) == (compiler == "gcc")
        (finding,) = ompdbg.json("why", parent.pid, status=FOUND)["findings"]
        assert (finding["rule"], finding["waiters"]) == ("children", [1])
        assert finding["severity"] == ("stuck" if compiler == "gcc" else "held_up")
        # Of one thread only that is told for which it waits.
        assert ompdbg.json("why", "--thread=1", parent.pid)["findings"] == []


def test_thread_of_a_region_that_waits_for_a_child(ompdbg: Any, tmp_path: Path) -> None:
    """The child holds up those that wait for the thread, too: it comes first."""
    program = own_programs.case("helper.c", tmp_path, ("-O2", "-g", "-fopenmp"))
    parent = rest.Hanging([str(program)], tmp_path)
    try:
        child = rest.await_child(parent.pid, 1)
        rest.await_rest(parent.pid, 4)
        found = ompdbg.json("why", parent.pid, status=FOUND)["findings"]
    finally:
        parent.end()
    assert [one["rule"] for one in found] == ["children", "barrier"]
    assert f"for child process {child}, which cannot go on" in found[0]["text"]
    assert found[0]["waiters"] == found[1]["waits_for"]


def test_parent_that_waits_for_something_else(ompdbg: Any, tmp_path: Path) -> None:
    """Whether it waits for its child is unknown: nothing else is wrong, and the child hangs."""
    with _child(tmp_path, "gcc", "elsewhere") as (pid, parent):
        assert parent.stdin is not None
        parent.stdin.write("\n")
        parent.stdin.flush()
        for _ in range(20):  # threads may wake between two looks
            _wait_for_sleep(pid)
            if ompdbg.run("why", parent.pid).returncode == FOUND:
                break
        (finding,) = ompdbg.json("why", parent.pid, status=FOUND)["findings"]
    assert finding["text"] == f"No thread works, and child process {pid} cannot go on"
    assert (finding["certain"], finding["waiters"]) == (False, [])


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_parent_of_a_child_that_works(ompdbg: Any, tmp_path: Path, compiler: str) -> None:
    """Nothing is wrong."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with _child(tmp_path, compiler, "works") as (_, parent):
        done = ompdbg.run("why", parent.pid)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "No thread was found waiting for another.\n"


def test_llvm_forgets_the_threads(ompdbg: Any, tmp_path: Path) -> None:
    """Its child starts new ones: they wait for the primary thread, and go on after it."""
    if not shutil.which("clang"):
        pytest.skip("no clang")
    with _child(tmp_path, "clang", "asleep") as (pid, parent):
        assert parent.stdin is not None
        _wait_for_sleep(pid)
        findings = ompdbg.json("why", pid, status=FOUND)["findings"]
        assert [finding["rule"] for finding in findings] == ["barrier"]
        parent.stdin.write("\n")
        parent.stdin.flush()
        assert parent.wait(60) == 0
