# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs all of whose threads sleep: the exit status says whether somebody may still wake them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest
from conftest import OMPDBG
from harness import own_programs, processes, rest

PROGRAMS = Path(__file__).resolve().parent / "programs"
BOTH = pytest.mark.parametrize("family", ("gcc", "clang"))
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}

# Where and in which calls only another thread of the process can wake the sleepers, and how many of
# them sleep for a reason that is unknown.
STUCK = {
    ("condition", "region"): 2,
    ("condition", "after"): 1,
    ("condition", "joined"): 1,
    ("semaphore", "after"): 1,
}
# In which calls something else may: another process, the clock, who is at the other end. With their numbers
# on x86-64.
FUTEX = 202
OPEN = {
    "semaphore_shared": FUTEX,
    "timed": FUTEX,
    "read": 0,
    "write": 1,
    "poll": 7,
    "sleep": 230,
}


def compiled(family: str, folder: Path) -> str:
    """Compile the program."""
    try:
        source = str(PROGRAMS / "sleepers.c")
        return str(own_programs.compiled(source, folder / "program", family=family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


@BOTH
def test_nobody_can_wake_them(
    ompdbg: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    """That is a finding, with the same exit status in all commands, also of a core file."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    program = compiled(family, tmp_path)
    for (call, place), unknown in STUCK.items():
        threads = 3 if place == "joined" else 2
        with rest.hanging([program, call, place], threads, tmp_path) as process:
            documents: List[Dict[str, Any]] = [
                ompdbg.json(command, process.pid, status=1) for command in ("why", "report")
            ]
            text = ompdbg.run("why", process.pid)
        for document in documents:
            (finding,) = document["findings"]
            assert (finding["rule"], finding["severity"]) == ("asleep", "held_up"), finding
            assert len(finding["waiters"]) == unknown, finding
        assert documents[1]["verdict"]["rule"] == "asleep"
        assert "asleep, reason unknown: no thread is awake" in text.stdout
        assert text.returncode == 1


@BOTH
def test_something_else_may_wake_them(
    ompdbg: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    program = compiled(family, tmp_path)
    for call, number in OPEN.items():
        command = [program, call, "after"]
        with subprocess.Popen(command, env=processes.program_environment()) as process:
            try:
                _await_sleep(process.pid, number)
                findings = ompdbg.json("why", process.pid, status=0)["findings"]
                report = ompdbg.json("report", process.pid, status=0)
            finally:
                process.kill()
        assert findings == report["findings"] == [], call


def _await_sleep(pid: int, number: int) -> None:
    """Wait until the first thread is in a system call, and the other one sleeps."""
    if number == FUTEX:
        rest.await_rest(pid, 2)
        return
    calls: List[str] = []
    while not (len(calls) == 2 and calls[0] == str(number) and calls[1] == str(FUTEX)):
        names = sorted(os.listdir(f"/proc/{pid}/task"))
        calls = [Path(f"/proc/{pid}/task/{name}/syscall").read_text().split()[0] for name in names]


def test_a_hang_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`run --on-hang` has the same rule."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    report = tmp_path / "report"
    command = [str(OMPDBG), "run", "--on-hang", "--report", str(report), "--"]
    done = subprocess.run(
        [*command, compiled("gcc", tmp_path), "condition", "after"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=processes.environment(),
    )
    assert done.returncode == 124, done.stderr
    (document,) = report.glob("*.json")
    assert json.loads(document.read_text())["verdict"]["rule"] == "asleep"
