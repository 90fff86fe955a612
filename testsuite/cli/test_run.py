# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg run`: exit statuses, what it reports, and that it leaves nothing behind."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from conftest import OMPDBG
from harness import processes

TIMED_OUT, USAGE = 124, 2
PROGRAM = Path(__file__).resolve().parent / "programs" / "crash.c"
MARK = "OMPDBG_TEST_MARK"


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that ends in several ways."""
    target = tmp_path_factory.mktemp("programs") / "crash"
    command = ["gcc", "-g", "-O1", "-fopenmp", str(PROGRAM), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


class Running:
    """Commands under `ompdbg run` in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = f"{folder.name}-{os.getpid()}"

    def start(self, *words: object) -> "subprocess.Popen[str]":
        """Begins."""
        environment = processes.environment({MARK: self._mark})
        return subprocess.Popen(
            [str(OMPDBG), "run", *map(str, words)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Runs one to its end."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=100)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def reports(self) -> List[Dict[str, Any]]:
        """What it has written."""
        found = sorted(self.folder.glob("ompdbg-report/*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in found]

    def most_threads(self) -> int:
        """Of one of its processes."""
        return max(
            (len(list(Path(f"/proc/{pid}/task").glob("*"))) for pid in self.left()), default=0
        )

    def left(self) -> List[str]:
        """Processes that were started here and are still there."""
        sign = f"{MARK}={self._mark}\0".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if sign in path.read_bytes():
                    found.append(path.parent.name)
            except OSError:
                continue
        return found


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """Runs commands; afterwards none of their processes is left."""
    found = Running(tmp_path)
    yield found
    assert found.left() == []


@pytest.mark.parametrize(
    "command, status",
    [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -KILL $$", 128 + signal.SIGKILL),
        ("kill -TERM $$", 128 + signal.SIGTERM),
        # Many processes, whose ends their parent is told of.
        ("for i in $(seq 100); do (exit $((i % 3))); done; printf 12345 | wc -c | grep -q 5", 0),
    ],
)
def test_status_of_the_command(running: Running, command: str, status: int) -> None:
    done = running.run("--", "sh", "-c", command)  # no other process may outlive a killed one
    assert (done.returncode, done.stderr) == (status, "")
    assert running.reports() == []


def test_command_that_cannot_be_run(running: Running) -> None:
    done = running.run("--", "/nowhere/program")
    assert done.returncode == 127
    assert done.stderr == "ompdbg run: /nowhere/program: No such file or directory.\n"
    assert running.run("--", "/etc/passwd").returncode == 126
    assert running.run("--timeout", "5").returncode == USAGE
    assert running.run("--timeout", "no", "--", "true").returncode == USAGE


@pytest.mark.parametrize("how, number", [("segv", signal.SIGSEGV), ("abort", signal.SIGABRT)])
def test_crash(running: Running, crash: Path, how: str, number: signal.Signals) -> None:
    done = running.run("--", crash, how)
    assert done.returncode == 128 + number
    (report,) = running.reports()
    found = report["about"]["crash"]
    (thread,) = [one for one in report["threads"] if one["lwp"] == found["lwp"]]
    assert (thread["gdb"], found["signal"]) == (found["thread"], number.name)
    assert (thread["thread_num"], thread["location"]["function"]) == (2, "work")
    assert (found["address"], found["sender"]) == ("0x8" if how == "segv" else None, None)
    assert f"{number.name} in thread {thread['gdb']} (OpenMP thread 2 of 4)" in done.stderr
    waits = [one["wait"] and one["wait"]["kind"] for one in report["threads"]]
    assert waits.count("barrier") == 3
    names = {path.suffix for path in (running.folder / "ompdbg-report").iterdir()}
    assert names == {".html", ".json", ".txt"}


def test_crash_below_a_script(running: Running, crash: Path) -> None:
    """The command goes on, and its own status is told."""
    done = running.run("--", "sh", "-c", f"{crash} segv; {crash} abort; echo $?; exit 5")
    assert (done.returncode, done.stdout) == (5, f"{128 + signal.SIGABRT}\n")
    assert len(running.reports()) == 2
    assert (running.folder / "ompdbg-report" / "all.html").exists()


def test_signal_with_a_handler(running: Running, crash: Path) -> None:
    assert running.run("--", crash, "caught").returncode == 3
    assert running.reports() == []


def test_not_traced(running: Running, crash: Path) -> None:
    """The program may be traced by others."""
    script = "grep -q 'TracerPid:.0$' /proc/self/status && exec " + str(crash) + " segv"
    assert running.run("--no-trace", "--", "sh", "-c", script).returncode == 128 + signal.SIGSEGV
    assert running.reports() == []


@pytest.mark.parametrize("option", ["", "--no-trace"])
def test_time_out(running: Running, crash: Path, option: str) -> None:
    begin = time.monotonic()
    words = [option] if option else []
    command = f"{crash} stop & {crash} stop; echo no"
    done = running.run(*words, "--timeout", 3, "--", "sh", "-c", command)
    assert (done.returncode, done.stdout) == (TIMED_OUT, "")
    assert 3 <= time.monotonic() - begin < 30
    reports = running.reports()
    assert len(reports) == 2
    for report in reports:
        assert report["verdict"]["severity"] == "held_up"
        assert report["about"]["cause"] == "time-out after 3 s"
        assert report["verdict"]["text"].startswith("Region 1: 3 of 4 threads have come")


def test_hang_ends_before_the_time_out(running: Running, crash: Path) -> None:
    begin = time.monotonic()
    done = running.run("--timeout", 90, "--on-hang", "--", crash, "stop")
    assert done.returncode == TIMED_OUT
    assert time.monotonic() - begin < 60
    (report,) = running.reports()
    assert report["about"]["cause"].startswith("hangs")


def test_core_file(running: Running, crash: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    assert running.run("--timeout", 2, "--core", "--", crash, "stop").returncode == TIMED_OUT
    (core,) = running.folder.glob("*core*")
    assert core.read_bytes()[:4] == b"\x7fELF"


def test_processes_that_are_left(running: Running, crash: Path) -> None:
    done = running.run("--", crash, "leave")
    assert (done.returncode, done.stderr) == (0, "ompdbg run: ended what was left: 1 process\n")


@pytest.mark.parametrize("whom", ["run", "all"])
def test_report_before_the_end_is_asked_for(running: Running, crash: Path, whom: str) -> None:
    """Schedulers send SIGTERM to the command that they know, or to all processes."""
    with running.start("--on-term", "--", crash, "stop") as run:
        deadline = time.monotonic() + 60
        while running.most_threads() < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(2)  # until they have begun
        if whom == "all":
            for pid in map(int, running.left()):
                os.kill(pid, signal.SIGTERM)
        else:
            run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 128 + signal.SIGTERM
    (report,) = running.reports()
    assert report["about"]["cause"] == "asked to end by SIGTERM"
    assert report["about"]["crash"] is None
    assert sorted(one["thread_num"] for one in report["threads"]) == [0, 1, 2, 3]


def test_signals_that_are_passed_on(running: Running) -> None:
    """Launchers of MPI programs send them."""
    script = "trap 'echo got; exit 4' USR1; kill -USR1 $PPID; while :; do sleep 0.1; done"
    done = running.run("--timeout", 60, "--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (4, "got\n")


def test_nothing_to_report(running: Running) -> None:
    done = running.run("--timeout", 1, "--", "sleep", 60)
    assert done.returncode == TIMED_OUT
    assert "no OpenMP program is running: nothing to report" in done.stderr


def test_rank_of_a_job(running: Running, crash: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch script of Slurm has a number of a process, too, but is no rank."""
    monkeypatch.setenv("SLURM_PROCID", "5")
    running.run("--", crash, "abort")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "8")
    done = running.run("--", crash, "abort")
    assert "ompdbg run: rank 5: crash-rank5-" in done.stderr
    ranks = [report["about"]["rank"] for report in running.reports()]
    assert ranks == [None, {"variable": "SLURM_PROCID", "value": "5", "of": 8}] or ranks[1] is None


def test_ended_from_outside(running: Running, crash: Path) -> None:
    with running.start("--", "sh", "-c", f"{crash} stop & {crash} stop") as run:
        deadline = time.monotonic() + 30
        while len(running.left()) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 128 + signal.SIGTERM
    assert running.reports() == []
