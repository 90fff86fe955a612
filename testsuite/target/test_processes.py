# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that are not as they began: without their first thread, or without their files."""

import fcntl
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, Set

import comparing
import pytest
from harness import processes, setup

HERE = Path(__file__).resolve().parent
OMPDBG = comparing.OMPDBG
FOUND, UNREADABLE, TIMED_OUT = 1, 3, 124
WAIT_SECONDS = 60
VERDICT = "Region 1: 2 of 3 threads have reached a barrier, 1 has not"
F_SETPIPE_SZ = 1031
PIPE = 4096  # bytes that wait for their reader
DELETED = " (deleted)"

ask = comparing.ask


@pytest.fixture(scope="module")
def leader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("leader") / "leader"
    source = HERE / "programs" / "leader.c"
    flags = ["-O1", "-g", "-fopenmp", "-pthread"]
    subprocess.run([setup.CC, *flags, str(source), "-o", str(program)], check=True)
    return program


@contextmanager
def at_barrier(program: Path, *arguments: str) -> Iterator[int]:
    """The process when its threads have come to where they stay."""
    with processes.ready_program(program, arguments) as pid:
        end = time.monotonic() + WAIT_SECONDS
        status = None
        while status != FOUND and time.monotonic() < end:
            status, out, err = ask("why", pid)
            time.sleep(0.01)
        assert (status, err) == (FOUND, "")
        assert out.startswith(VERDICT)
        assert "work at leader.c:" in out
        yield pid


def test_first_thread_has_ended(leader: Path, tmp_path: Path) -> None:
    with at_barrier(leader) as pid:
        assert "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
        assert ask("report", pid, "--json", tmp_path / "report")[0] == FOUND
    about = json.loads((tmp_path / "report").read_text())["about"]
    assert (about["program"], about["command"]) == (str(leader), [str(leader)])


def test_reader_takes_its_time(leader: Path) -> None:
    """Too much to be copied: the process waits until it has been looked at, but for no reader."""
    with at_barrier(leader, "100") as pid:
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, PIPE)
        tool = subprocess.Popen([str(OMPDBG), "report", str(pid), "--json"], stdout=writer)
        os.close(writer)
        assert select.select([reader], [], [], 60)[0]
        tasks = Path(f"/proc/{pid}/task").glob("*/status")
        assert all("TracerPid:\t0\n" in one.read_text() for one in tasks)
        assert tool.poll() is None
        with os.fdopen(reader) as rest:
            told = rest.read()
        assert json.loads(told)["verdict"]["text"] == VERDICT
        assert tool.wait(60) == FOUND


def test_another_program_meanwhile(tmp_path: Path) -> None:
    """What was opened of the process before exec() is not used after it."""
    program = tmp_path / "execs"
    source = HERE / "programs" / "execs.c"
    subprocess.run([setup.CC, "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    process = subprocess.Popen([str(program)], stdin=subprocess.DEVNULL)
    try:
        found: Set[str] = set()
        end = time.monotonic() + WAIT_SECONDS
        while not any(one.startswith("2 threads: ") for one in found) and time.monotonic() < end:
            _, out, err = ask("threads", process.pid)
            found.update((out + err).splitlines()[-1:])
    finally:
        process.kill()
        process.wait()
    # Where the program has not been loaded yet.
    early = r"ompdbg threads: (no libgomp, .* in the program|cannot examine .*: it is not loaded completely)\."
    late = r"(2 threads: |1 thread: |\? thread )"
    assert any(one.startswith("2 threads: ") for one in found), found
    assert all(re.match(f"{early}|{late}", one) for one in found), found


@pytest.fixture(scope="module")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("blocked") / "blocked"
    source = HERE / "programs" / "blocked.c"
    subprocess.run([setup.CC, "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    return program


def states(pid: int) -> List[str]:
    """The letter of each thread's state."""
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return [text.rpartition(")")[2].split()[0] for text in stats]


def test_thread_in_uninterruptible_call(blocked: Path) -> None:
    """It is the one reason to give up, and is said."""
    process = subprocess.Popen(
        [str(blocked), "call"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == b"READY\n"
        while "D" not in states(process.pid):
            assert process.poll() is None
            time.sleep(0.01)
        status, out, err = ask("why", process.pid)
    finally:
        process.kill()
        process.communicate()
    assert (status, out) == (UNREADABLE, "")
    reason = "can't be stopped: it is in an uninterruptible system call"
    assert re.fullmatch(rf"ompdbg why: thread \d+ of process {process.pid} {reason}\.\n", err)


def test_kernel_writes_core(blocked: Path, tmp_path: Path) -> None:
    """Its threads neither stop nor end, however long that takes."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    told = ""
    for mib in (128, 256, 512, 1024):  # until ompdbg comes in time
        process = subprocess.Popen(
            [str(blocked), "core", str(mib)],
            cwd=str(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            preexec_fn=processes.allow_core,
        )
        status = Path(f"/proc/{process.pid}/status")
        while (
            "CoreDumping:\t1" not in status.read_text() and "State:\tZ" not in status.read_text()
        ):
            time.sleep(0.001)
        told = ask("why", process.pid)[2]
        assert process.wait() == -signal.SIGABRT
        for core in tmp_path.glob("core*"):
            core.unlink()
        if "has ended already" not in told:
            break
    wanted = f"ompdbg why: process {process.pid} is ending: the kernel writes its core file.\n"
    assert told == wanted


def test_first_thread_has_ended_below_run(leader: Path, tmp_path: Path) -> None:
    """It is reported, and does not outlive the run."""
    command = [str(OMPDBG), "run", "--timeout", "2", "--report", str(tmp_path)]
    done = subprocess.run(
        [*command, "--", str(leader)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == TIMED_OUT
    (report,) = tmp_path.glob("leader-*.json")
    pid = json.loads(report.read_text())["about"]["pid"]
    assert not Path(f"/proc/{pid}").exists()


def test_deleted_and_replaced(tmp_path: Path) -> None:
    """What the process has is read: not what has its name now."""
    hung = setup.program("hung", "O2")
    program = tmp_path / "program"
    shutil.copy(hung, program)
    core = tmp_path / "core"
    with processes.ready_program(program, ()) as pid:
        whole = ask("bt", pid)
        program.unlink()
        assert DELETED in Path(f"/proc/{pid}/maps").read_text()
        assert ask("bt", pid) == whole
        shutil.copy(setup.program("nested", "O2"), program)
        assert ask("bt", pid) == whole
        status, out, err = ask("report", pid, "--json")
        assert json.loads(out)["about"]["program"] == str(program)
        assert err == ""
        gdb = ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", f"generate-core-file {core}"]
        subprocess.run(gdb, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    # Of a core file's program nothing is left but the name.
    status, out, err = ask("bt", core)
    assert f"{program} has build id " in err
    program.unlink()
    status, out, err = ask("bt", core)
    assert f"{program} (build id " in err and "hung.c:" not in out
    shutil.copy(hung, program)
    status, out, err = ask("bt", core)
    assert err == "" and " at hung.c:" in out


@pytest.mark.skipif(os.geteuid() != 0, reason="chroot() is root's")
def test_other_root(leader: Path, tmp_path: Path) -> None:
    """The kernel calls its files as they are called here, not as they are called there."""
    said = subprocess.run(["ldd", str(leader)], stdout=subprocess.PIPE, text=True, check=True)
    libraries = re.findall(r"(/\S+) \(", said.stdout)
    libc = next(name for name in libraries if "/libc.so" in name)
    thread_end = os.path.join(os.path.dirname(libc), "libgcc_s.so.1")
    for name in (*libraries, thread_end, str(leader)):
        place = Path(str(tmp_path) + name)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, place)
    chroot = shutil.which("chroot")
    assert chroot is not None
    with at_barrier(Path(chroot), str(tmp_path), str(leader)) as pid:
        assert os.readlink(f"/proc/{living(pid)}/root") == str(tmp_path)


def living(pid: int) -> str:
    """A thread of a process that has not ended."""
    tasks = Path(f"/proc/{pid}/task").glob("*/status")
    return next(one.parent.name for one in tasks if "State:\tZ" not in one.read_text())
