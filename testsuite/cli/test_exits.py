# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exit statuses where files, output or arguments are not what they should be. 1 is kept for what
was found in a program."""

import copy
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest
from conftest import OMPDBG
from harness import processes, setup

FINE, FOUND, USAGE, UNREADABLE, NO_OPENMP, NOT_WRITTEN = range(6)
MEGABYTE = 1 << 20


def run(
    *words: object, stdout: Any = subprocess.PIPE, before: Optional[Callable[[], None]] = None
) -> "subprocess.CompletedProcess[str]":
    """A command, whose standard error is never a traceback."""
    done = subprocess.run(
        [str(OMPDBG), *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        env=processes.environment(),
        preexec_fn=before,
    )
    assert "Traceback" not in done.stderr
    return done


def shortly(text: str) -> str:
    """For the name of a test."""
    return ascii(text[:8])


# ---- Output ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["threads", "why", "bt", "report", "status"])
def test_output_that_cannot_be_written(hung: int, command: str) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(command, hung, stdout=full)
    assert done.returncode == NOT_WRITTEN
    assert done.stderr.endswith("standard output: No space left on device.\n")
    assert len(done.stderr.splitlines()) == 1
    done = run(command, hung, before=lambda: os.close(1))
    assert done.returncode == NOT_WRITTEN
    assert done.stderr.endswith("standard output: Bad file descriptor.\n")


def test_help_that_cannot_be_written() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert run("--help", stdout=full).returncode == NOT_WRITTEN
        assert run("why", "--help", stdout=full).returncode == NOT_WRITTEN


def test_nobody_reads_on(hung: int) -> None:
    """The reader has seen enough."""
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as end:
        assert run("threads", hung, stdout=end).returncode == FINE


def test_no_standard_error(hung: int, tmp_path: Path) -> None:
    """What is written does not go where messages should."""
    page = tmp_path / "page.html"
    done = run("report", hung, "--html", page, before=lambda: os.closerange(0, 3))
    assert done.returncode == FOUND
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert run("why", "/etc/passwd", before=lambda: os.close(2)).returncode == UNREADABLE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_ended_while_nobody_reads(hung: int, tmp_path: Path, number: signal.Signals) -> None:
    """The process goes on, and no half file is left."""
    fifo, whole = tmp_path / "fifo", tmp_path / "report.json"
    os.mkfifo(fifo)
    words = [str(OMPDBG), "report", str(hung), "--json", str(whole), "--text", str(fifo)]
    with subprocess.Popen(
        words,
        env=processes.environment(),
        start_new_session=True,
        # It may be ignored in who runs the tests, and that is inherited.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        deadline = time.monotonic() + 10  # where the system does not tell, that is enough
        while "wait_for_partner" not in waits_in(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        try:
            assert process.wait(60) == 128 + number
        finally:
            process.kill()
    states = {path.read_text().rpartition(")")[2].split()[0] for path in stats_of(hung)}
    assert not states & set("tT")
    assert {path.name for path in tmp_path.iterdir()} <= {"fifo", "report.json"}


def test_killed(hung: int, tmp_path: Path) -> None:
    """Nothing is left of a file that is not whole, where files can do without a name."""
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
    except OSError as error:
        pytest.skip(f"the file system has no files without a name: {error.strerror}")
    words = [str(OMPDBG), "report", str(hung), "--json", str(tmp_path / "report.json")]
    for _ in range(10):  # it may have finished before it is stopped
        with subprocess.Popen(words, env=processes.environment()) as process:
            try:
                while process.poll() is None and not opened_below(tmp_path, process.pid):
                    time.sleep(0.001)
                process.send_signal(signal.SIGSTOP)
                is_writing = process.poll() is None and opened_below(tmp_path, process.pid)
            finally:
                process.kill()
        if is_writing:
            break
        (tmp_path / "report.json").unlink()
    assert is_writing and not list(tmp_path.iterdir())


def opened_below(folder: Path, pid: int) -> bool:
    """Tell whether a process has a file of a folder open."""
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
        return any(os.readlink(link).startswith(f"{folder}/") for link in links)
    except FileNotFoundError:
        return False  # closed meanwhile


@pytest.mark.parametrize("plant", ["ln -s ../victim", "mkfifo"])
def test_planted_name(hung: int, tmp_path: Path, plant: str) -> None:
    """A name that somebody can know before is not opened, and what it leads to is not changed."""
    folder, victim = tmp_path / "folder", tmp_path / "victim"
    folder.mkdir()
    victim.write_text("mine")
    reports = " ".join(f"--{kind} r.{kind}" for kind in ("json", "html", "text"))
    for command in (f"report {hung} {reports}", f"merge r.json {reports.replace('r.', 'm.')}"):
        outputs = command.split()[3::2]
        script = "".join(f"{plant} {name}.$$.new; " for name in outputs)
        done = subprocess.run(
            ["sh", "-c", f"{script} exec {OMPDBG} {command}"],
            cwd=folder,
            env=processes.environment(),
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == FOUND
        assert all((folder / name).stat().st_size > 100 for name in outputs)
    assert victim.read_text() == "mine"


def stats_of(pid: int) -> List[Path]:
    """What the system tells of the threads of a process."""
    return list(Path(f"/proc/{pid}/task").glob("*/stat"))


def waits_in(pid: int) -> str:
    """The function of the kernel in which a process sleeps: of one that opens a FIFO, this."""
    return Path(f"/proc/{pid}/wchan").read_text()


# ---- What is named ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["why", "report", "merge"])
def test_no_regular_file(command: str, tmp_path: Path) -> None:
    """Nobody writes into the FIFO, and the device has no end."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, why in (
        (fifo, "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (tmp_path, "Is a directory"),
    ):
        done = run(command, path)
        assert (done.returncode, done.stdout) == (UNREADABLE, "")
        assert done.stderr == f"ompdbg {command}: {path}: {why}.\n"


@pytest.mark.parametrize("word", ["²", "٣", "1" * 5000, "0", str(1 << 31)], ids=shortly)
def test_no_process(word: str) -> None:
    done = run("why", word)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (UNREADABLE, "", 1)


@pytest.mark.parametrize("option", ["--level", "--num"])
@pytest.mark.parametrize("word", ["²", "1" * 5000, "-1", ""], ids=shortly)
def test_no_number(hung: int, option: str, word: str) -> None:
    done = run("threads", hung, f"{option}={word}")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (USAGE, "", 1)


# ---- Core files ------------------------------------------------------------------------------


@pytest.fixture(name="core", scope="module")
def _core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    folder = tmp_path_factory.mktemp("core")
    return Path(processes.kernel_core(setup.program("hung", "O2"), (), folder))


def test_truncated_core(core: Path, tmp_path: Path) -> None:
    """That a part has no runtime says nothing about the whole."""
    cut = tmp_path / "core"
    subprocess.run(["cp", "--sparse=always", str(core), str(cut)], check=True)
    size = cut.stat().st_size
    seen = set()
    for part in (0.99, 0.5, 0.0001):
        os.truncate(cut, int(size * part))
        for command in ("thread-info", "why"):
            done = run(command, cut)
            assert done.returncode in (FINE, FOUND, UNREADABLE), (part, done.stderr)
            seen.add(done.returncode)
    assert UNREADABLE in seen


def limited(size: int) -> Callable[[], None]:
    """No file may become larger."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_compressed_file_that_is_no_core(tmp_path: Path) -> None:
    """It is not expanded."""
    packed = tmp_path / "noise.gz"
    for begin in (b"", setup.program("hung", "O2").read_bytes()[:4096]):
        with gzip.open(packed, "wb", 1) as file:
            file.write(begin + os.urandom(4 * MEGABYTE))
        done = run("why", packed, before=limited(MEGABYTE))
        assert done.returncode == UNREADABLE
        assert done.stderr == f"ompdbg why: {packed}: not a core file.\n"


def test_more_than_a_core_file(core: Path, tmp_path: Path) -> None:
    """What follows it is left out."""
    size = core.stat().st_size
    packed = tmp_path / "core.gz"
    with gzip.open(packed, "wb", 1) as file:
        file.write(core.read_bytes() + os.urandom(4 * MEGABYTE))
    expected = run("threads", core)
    assert run("threads", packed, before=limited(size + MEGABYTE)).stdout == expected.stdout != ""


def test_core_file_of_coredumpctl(
    core: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `coredumpctl dump` writes for a name or for none, and where it fails or is missing."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    if not shutil.which("coredumpctl"):
        done = run("why", "--coredump")
        assert done.returncode == UNREADABLE
        assert done.stderr == (
            "ompdbg why: newest core file cannot be read without coredumpctl "
            "(install systemd-coredump).\n"
        )
    tool = tmp_path / "coredumpctl"
    tool.write_text(
        f'#!/bin/sh\ncase "$*" in dump | "dump hung") exec cat "{core}" ;; *) exit 1 ;; esac\n',
        encoding="utf-8",
    )
    tool.chmod(0o755)
    expected = run("why", core).stdout
    assert "deadlock" in expected
    for words in (["--coredump"], ["--coredump", "hung"], ["hung", "--coredump"]):
        done = run("why", *words)
        assert (done.returncode, done.stdout, done.stderr) == (FOUND, expected, "")
    done = run("why", "--coredump", "4711")
    assert done.returncode == UNREADABLE
    assert done.stderr == "ompdbg why: 4711 cannot be read: coredumpctl failed.\n"


# ---- Reports ---------------------------------------------------------------------------------


@pytest.fixture(name="report", scope="module")
def _report(hung: int) -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads(run("report", hung, "--json").stdout)
    return found


def rank(value: object, of: object = 4) -> Dict[str, object]:
    """As the report has it."""
    return {"variable": "PMI_RANK", "value": value, "of": of}


@pytest.mark.parametrize(
    "value", ["²", "٣", "9" * 5000, "-1", "1e3", "", "\n", "9" * 20], ids=shortly
)
def test_rank_that_is_no_number(report: Dict[str, Any], tmp_path: Path, value: str) -> None:
    """Nor is it taken for one."""
    changed = copy.deepcopy(report)
    changed["about"]["rank"] = rank(value)
    path, merged = tmp_path / "one.json", tmp_path / "all.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    done = run("merge", path, "--json", merged, "--html", tmp_path / "all.html", "--text", "-")
    assert (done.returncode, done.stderr) == (FOUND, "")
    assert json.loads(merged.read_text(encoding="utf-8"))["missing_ranks"] == [0, 1, 2, 3]


def changes() -> List[Any]:
    """Values that no report has, and where they stand instead."""
    odd: List[Any] = [5, 1.5, float("inf"), float("nan"), True, [], [[]], {}, "text", None]
    places: List[Any] = [
        ("about", "rank"),
        ("about", "rank", "value"),
        ("about", "rank", "of"),
        ("about", "pid"),
        ("about", "name"),
        ("about", "host"),
        ("about", "program"),
        ("about", "cause"),
        ("about", "crash"),
        ("verdict", "severity"),
        ("findings", 0, "text"),
        ("findings", 0, "rule"),
        ("teams", 0, "label"),
        ("threads", 0, "gdb"),
        ("threads", 0, "state"),
        ("threads", 0, "location"),
        ("threads", 0, "location", "line"),
        ("threads", 0, "wait"),
        ("threads", 0, "team"),
        ("doing",),
        ("regions",),
        ("stacks",),
    ]
    return [(place, value) for place in places for value in odd]


def test_report_with_odd_values(report: Dict[str, Any], tmp_path: Path) -> None:
    """Each is read as a report or refused; in one go, for each takes a while to start."""
    paths = []
    for number, (place, value) in enumerate(changes()):
        changed = copy.deepcopy(report)
        changed["about"]["rank"] = rank("1")
        inner: Any = changed
        for step in place[:-1]:
            inner = inner[step]
            if inner is None:
                break
        else:
            inner[place[-1]] = value
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(changed), encoding="utf-8")
    merged = tmp_path / "all"
    done = run("merge", *paths, "--json", merged, "--html", tmp_path / "page", "--text", "-")
    assert done.returncode == FOUND, done.stderr
    document = json.loads(merged.read_text(encoding="utf-8"))
    assert document["total"] + len(document["unread"]) == len(paths)
    assert len(document["unread"]) > 50 and document["total"] > 20
    for one in document["unread"]:
        assert one["reason"] == "it lacks what the schema demands"
    for group in document["groups"]:
        assert all(isinstance(text, str) for text in group["findings"])


def test_number_of_many_digits(tmp_path: Path, report: Dict[str, Any]) -> None:
    path = tmp_path / "one.json"
    text = json.dumps({**report, "about": {**report["about"], "pid": 77777777}})
    path.write_text(text.replace("77777777", "7" * 5000), encoding="utf-8")
    done = run("merge", path)
    assert (done.returncode, len(done.stderr.splitlines())) == (UNREADABLE, 1)
