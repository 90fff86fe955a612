# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg run`: exit statuses, what it reports, and that it leaves nothing behind."""

import json
import os
import resource
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest
from conftest import OMPDBG
from harness import processes, setup

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

    def start(
        self,
        *words: object,
        stderr: Any = subprocess.PIPE,
        before: Optional[Callable[[], None]] = None,
    ) -> "subprocess.Popen[str]":
        """Begins; `before`: what it does first."""
        environment = processes.environment({MARK: self._mark})
        return subprocess.Popen(
            [str(OMPDBG), "run", *map(str, words)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
            preexec_fn=before,
            text=True,
        )

    def run(self, *words: object, **how: Any) -> "subprocess.CompletedProcess[str]":
        """Runs one to its end."""
        with self.start(*words, **how) as process:
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
    assert f"{number.name} in thread {thread['gdb']} (2/4)" in done.stderr
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


def test_handlers_of_several_threads(running: Running, tmp_path: Path) -> None:
    """The signal that ends the program is seen, though it came while there was a handler."""
    program = tmp_path / "handlers"
    source = PROGRAM.with_name("handlers.c")
    subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    done = running.run("--no-record", "--", program, "mended")
    assert (done.returncode, done.stderr, running.reports()) == (0, "", [])
    line = 1 + next(
        at for at, text in enumerate(source.read_text().splitlines()) if "LINE: access" in text
    )
    for number in range(1, 6):
        done = running.run("--no-record", "--", program, "once")
        assert done.returncode == 128 + signal.SIGSEGV
        assert len(running.reports()) == number, done.stderr
        assert f": main at handlers.c:{line}, invalid write at " in done.stderr


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
        assert report["verdict"]["text"].startswith("Region 1: 3 of 4 threads have ")


def test_hang_ends_before_the_time_out(running: Running, crash: Path) -> None:
    begin = time.monotonic()
    done = running.run("--timeout", 90, "--on-hang", "--", crash, "stop")
    assert done.returncode == TIMED_OUT
    assert time.monotonic() - begin < 60
    (report,) = running.reports()
    assert report["about"]["cause"].startswith("hangs")


def test_printed_diagnosis(running: Running) -> None:
    """A log has the cause, and reports are not cut at the width of a terminal."""
    program = setup.program("hangs", "O2")
    done = running.run("--timeout", 1, "--print", "--", program, "lock_pair")
    assert done.returncode == TIMED_OUT
    lines = [line.partition("ompdbg run: ")[2] for line in done.stderr.splitlines()]
    begin = next(i for i, line in enumerate(lines) if line.endswith(":"))
    assert lines[begin + 1] == "  Deadlock: 2 threads wait for one another"
    assert any("lock first, held by" in line for line in lines[begin + 2 :])
    assert lines[-1].startswith("report: ")
    (text,) = (running.folder / "ompdbg-report").glob("*.txt")
    widest = max(len(line) for line in text.read_text(encoding="utf-8").splitlines())
    assert 80 < widest < 200


def test_core_file(running: Running, crash: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    assert running.run("--timeout", 2, "--core", "--", crash, "stop").returncode == TIMED_OUT
    (core,) = running.folder.glob("*core*")
    assert core.read_bytes()[:4] == b"\x7fELF"


def test_processes_that_are_left(running: Running, crash: Path) -> None:
    done = running.run("--", crash, "leave")
    assert (done.returncode, done.stderr) == (
        0,
        "ompdbg run: ended what was still running: 1 process\n",
    )


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


# ---- Whatever becomes of the reports ---------------------------------------------------------


def states(name: str, pids: List[str]) -> str:
    """A letter for each thread of the program of that name."""
    found = ""
    for pid in pids:
        for path in Path(f"/proc/{pid}/task").glob("*/stat"):
            text = path.read_text(encoding="utf-8")
            if f"({name})" in text:
                found += text.rpartition(")")[2].split()[0]
    return found


def is_stopped(letters: str) -> bool:
    """All of them."""
    return letters != "" and not letters.strip("tT")


def wait_until(is_so: Callable[[], object]) -> None:
    """Fails if it does not become so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2, 0.5])
def test_killed_while_it_reports(running: Running, crash: Path, seconds: float) -> None:
    """What it has stopped ends with it."""
    with running.start("--timeout", 0.5, "--", crash, "stop") as run:
        wait_until(lambda: is_stopped(states("crash", running.left())))
        time.sleep(seconds)
        run.kill()
    wait_until(lambda: running.left() == [])


def test_killed_while_it_reports_without_tracing(running: Running, crash: Path) -> None:
    """What it has stopped goes on."""
    with running.start("--no-trace", "--timeout", 0.5, "--", crash, "stop") as run:
        wait_until(lambda: is_stopped(states("crash", running.left())))
        run.kill()
    wait_until(lambda: len(running.left()) == 1)
    (program,) = running.left()
    wait_until(lambda: len(states("crash", [program])) == 4)
    assert not set(states("crash", [program])) & set("tT")
    os.kill(int(program), signal.SIGTERM)
    wait_until(lambda: running.left() == [])


@pytest.mark.parametrize("how, status", [("segv", 128 + signal.SIGSEGV), ("stop", TIMED_OUT)])
def test_report_that_takes_too_long(running: Running, crash: Path, how: str, status: int) -> None:
    done = running.run("--timeout", 3, "--report-timeout", 1e-6, "--", crash, how)
    assert done.returncode == status
    assert "ompdbg run: no report of crash (" in done.stderr
    assert "): not finished after 1e-06 s\n" in done.stderr
    assert list(running.folder.glob("ompdbg-report/*")) == []


@pytest.mark.parametrize("folder", ["/dev/null", "/proc/no", "/dev/full/x"])
def test_report_that_cannot_be_written(running: Running, crash: Path, folder: str) -> None:
    done = running.run("--report", folder, "--", "sh", "-c", f"{crash} abort; exit 6")
    assert done.returncode == 6
    assert f"ompdbg run: {folder}: " in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("files", [6, 12])
def test_report_without_files(running: Running, crash: Path, files: int) -> None:
    """No more can be opened than the run itself needs."""
    done = running.run(
        "--",
        *("sh", "-c", f"{crash} segv; exit 5"),
        before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert done.returncode == 5
    assert "Too many open files" in done.stderr and "Traceback" not in done.stderr


def test_nobody_reads_what_it_says(running: Running, crash: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert running.run("--", crash, "segv", stderr=full).returncode == 128 + signal.SIGSEGV
    assert len(running.reports()) == 1
    closed = running.run("--", crash, "abort", before=lambda: os.close(2))
    assert closed.returncode == 128 + signal.SIGABRT
    assert len(running.reports()) == 2


def test_stopped_process_stays_stopped(running: Running) -> None:
    """One that stops itself is neither lost nor woken."""
    script = "(kill -STOP $BASHPID; echo woken) & sleep 0.5; kill -CONT $!; wait; exit 3"
    done = running.run("--timeout", 60, "--", "bash", "-c", script)
    assert (done.returncode, done.stdout) == (3, "woken\n")


# ---- Rights of their own ---------------------------------------------------------------------

NOBODY = 65534
RIGHTS = PROGRAM.parent / "rights.c"
CAP_NET_RAW = 1 << 13


@pytest.fixture(name="folder_of_all")
def _folder_of_all() -> Iterator[Path]:
    """A folder that every user can enter."""
    if os.getuid() != 0:
        pytest.skip("only root can give rights to a file")
    closed = [folder for folder in OMPDBG.parents if not folder.stat().st_mode & 0o001]
    if closed:
        pytest.skip(f"other users may not enter {closed[0]}")
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as name:
        if os.statvfs(name).f_flag & os.ST_NOSUID:
            pytest.skip(f"{name} is mounted without set-user-id programs")
        os.chmod(name, 0o777)
        yield Path(name)


def as_nobody() -> None:
    """Give up all rights."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def run_as_nobody(
    folder: Path, mode: int, capabilities: int, script: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Runs a program with rights below a shell."""
    program = folder / "rights"
    subprocess.run(["gcc", str(RIGHTS), "-o", str(program)], check=True)
    program.chmod(mode)
    if capabilities:
        value = struct.pack("<5I", 0x02000001, capabilities, 0, 0, 0)  # struct vfs_cap_data
        os.setxattr(program, "security.capability", value)
    return subprocess.run(
        [str(OMPDBG), "run", "--", "sh", "-c", script or f"TELL=that {program} one two; exit $?"],
        cwd=folder,
        env=processes.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=as_nobody,
    )


@pytest.mark.parametrize(
    "mode, capabilities, seen, told",
    [
        (0o4755, 0, f"0 {NOBODY}", "set-user-id"),
        (0o2755, 0, f"{NOBODY} 0", "set-group-id"),
        (0o755, CAP_NET_RAW, f"{NOBODY} {NOBODY}", "privileged by file capabilities"),
        (0o755, 0, f"{NOBODY} {NOBODY}", ""),
    ],
)
def test_program_with_rights(
    folder_of_all: Path, mode: int, capabilities: int, seen: str, told: str
) -> None:
    """It has them, and is the only one that is not traced."""
    done = run_as_nobody(folder_of_all, mode, capabilities)
    tracer, effective, last = done.stdout.splitlines()
    assert (done.returncode, last) == (9, f"{seen} two that")
    if mode != 0o4755:
        assert int(effective.split()[1], 16) == capabilities
    assert (tracer.split()[1] == "0") == bool(told)
    said = [f"is {told}: not traced, no report\n"] if told else []
    assert [line.partition(") ")[2] for line in done.stderr.splitlines(True)] == said


def test_program_with_rights_that_a_descriptor_names(folder_of_all: Path) -> None:
    """The descriptor is closed when the program is executed; a script is run by another program."""
    program = str(folder_of_all / "rights")
    opened = f"os.open({program!r}, os.O_RDONLY)"
    call = f"import os; os.execve({opened}, ['one', 'two'], os.environ)"
    script = folder_of_all / "script"
    script.write_text(f"#!{program}\n", encoding="utf-8")
    script.chmod(0o755)
    for command, last in (
        (f'exec /usr/bin/python3 -c "{call}"', "two"),
        (str(script), str(script)),
    ):
        done = run_as_nobody(folder_of_all, 0o4755, 0, f"TELL=that {command}; exit $?")
        assert (done.returncode, done.stderr.count("not traced, no report")) == (9, 1)
        assert done.stdout.splitlines()[-1] == f"0 {NOBODY} {last} that"


def test_program_with_rights_that_may_not_be_read(folder_of_all: Path) -> None:
    done = run_as_nobody(folder_of_all, 0o4711, 0)
    assert done.stderr.endswith(
        ") may not be read: rights of its own are withheld (use --no-trace)\n"
    )


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_ignored_signals(running: Running, number: signal.Signals) -> None:
    """What nohup or a shell told us to ignore ends nothing."""

    def ignore() -> None:
        signal.signal(number, signal.SIG_IGN)

    script = f"kill -{number.value} $PPID; exit 7"
    assert running.run("--", "sh", "-c", script, before=ignore).returncode == 7


def test_long_program_name(running: Running, crash: Path) -> None:
    """A report has a name of at most 255 bytes."""
    program = running.folder / ("p" * 250)
    program.write_bytes(crash.read_bytes())
    program.chmod(0o755)
    done = running.run("--", program, "abort")
    assert "too long" not in done.stderr
    assert list(running.folder.glob("**/p*.json")), done.stderr
