# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg` on processes, and on what is no target."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

import build  # noqa: E402  (of the fixtures)

OMPDBG = ROOT / "build" / "ompdbg"
UNREADABLE, NO_OPENMP, USAGE = 3, 4, 2
WAITS = {"barrier", "lock"}


def run(*words: object) -> "subprocess.CompletedProcess[str]":
    """Runs the command line."""
    command = [str(OMPDBG), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def hung() -> Iterator[int]:
    """A program in a known state: eight threads, three of which wait for locks."""
    with processes.ready_program(setup.program("hung", "O2"), ()) as pid:
        yield pid


def answer(*words: object) -> Dict[str, Any]:
    """What a command prints as JSON."""
    done = run(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


def states_of(pid: int) -> List[str]:
    """State and tracer of every thread, as the kernel tells them."""
    found = []
    for status in sorted(Path(f"/proc/{pid}/task").glob("*/status")):
        fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
        found.append(fields["State"][0] + fields["TracerPid"])
    return found


def test_threads_of_a_process(hung: int) -> None:
    threads = answer("threads", hung)["threads"]
    workers = [thread for thread in threads if thread["openmp"]]
    assert sorted(thread["thread_num"] for thread in workers) == list(range(8))
    assert {thread["wait"]["kind"] for thread in workers} == WAITS
    assert sum(thread["wait"]["kind"] == "lock" for thread in workers) == 3
    assert threads[0]["lwp"] == hung


def test_stacks_end_in_main(hung: int) -> None:
    stacks = answer("bt", hung)["stacks"]
    workers = [stack for stack in stacks if stack["parts"][0]["team"] is not None]
    assert len(workers) == 8
    for stack in workers:
        assert stack["parts"][-1]["frames"][-1]["function"] == "main"


def test_process_goes_on(hung: int) -> None:
    """No thread stays stopped or traced; which of them runs at a moment differs."""
    for _ in range(5):
        assert run("threads", hung).returncode == 0
    states = states_of(hung)
    assert not [state for state in states if state[0] in "Tt" or state[1:] != "0"], states


def core_file(folder: Path, program: str = "hung") -> Path:
    """A core file of a program."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    return Path(processes.kernel_core(setup.program(program, "O2"), (), folder))


def test_core_file(tmp_path: Path) -> None:
    core = core_file(tmp_path)
    threads = answer("threads", core)["threads"]
    assert sum(thread["openmp"] for thread in threads) == 8
    assert answer("status", core)["runtimes"][0]["name"] == "libgomp"


def test_libraries_mapped_in_several_places(tmp_path: Path) -> None:
    """Of this program's libraries single pages are mapped elsewhere, too, at lower addresses."""
    try:
        core = core_file(tmp_path, "fortran")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    found = answer("tasks", core)
    kinds = [task["kind"] for task in found["tasks"]]
    assert kinds.count("implicit") == found["teams"][0]["size"] == 5
    assert kinds.count("initial") == 1


def test_truncated_core_files(tmp_path: Path) -> None:
    core = core_file(tmp_path)
    size = core.stat().st_size
    for length in (size - 4096, size // 2, size // 100, 5000, 1000, 65, 64, 63, 1, 0):
        os.truncate(core, length)
        done = run("threads", core)
        assert done.returncode in (0, UNREADABLE, NO_OPENMP), done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert len(done.stderr.splitlines()) == 1


def test_not_the_program(tmp_path: Path) -> None:
    done = run("threads", core_file(tmp_path), "--exe", "/bin/true")
    assert "has build id" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "target, said",
    [
        ("/bin/sh", "not a core file but a program or library"),
        ("/etc/passwd", "not a core file"),
        ("/dev/null", "not a regular file"),
        ("/nowhere", "No such file or directory"),
        ("/", "Is a directory"),
        (4194304, "there is no process 4194304"),
    ],
)
def test_no_target(target: object, said: str) -> None:
    done = run("threads", target)
    assert done.returncode == UNREADABLE
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_zombie() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        done = run("threads", child.pid)
    assert done.returncode == UNREADABLE
    assert "has ended already" in done.stderr


def test_traced_already() -> None:
    with processes.ready_program(setup.program("hung", "O2"), ()) as pid:
        tracer = subprocess.Popen(
            [setup.GDB, "-q", "-nx", "-batch", "-p", str(pid), "-ex", "shell cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + processes.READY_SECONDS
        while states_of(pid)[0][1:] == "0" and time.monotonic() < deadline:
            time.sleep(0.02)
        try:
            assert states_of(pid)[0][1:] != "0", "the debugger did not attach"
            done = run("threads", pid)
        finally:
            # The end of its input is the end of `cat`.
            tracer.communicate(timeout=processes.READY_SECONDS)
    assert done.returncode == UNREADABLE
    assert "is traced already" in done.stderr


def test_usage() -> None:
    assert run("nothing").returncode == USAGE
    assert run().returncode == USAGE
