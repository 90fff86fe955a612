# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sides of a process that `ompdbg` shows."""

import gzip
import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, List

import pytest
from harness import processes, setup

PROGRAMS = Path(__file__).resolve().parent / "programs"
MANY_WAIT, RING = 38, 40
LOCKED = 3  # of eight threads; one of them in a task that any of the others may run
FOUND, USAGE = 1, 2


def test_regions(ompdbg: Any, hung: int) -> None:
    (region,) = ompdbg.json("regions", hung)["regions"]
    assert (region["label"], region["size"]) == ("1", 8)
    assert region["opened"]["function"] == "solve"
    waits = {n: g["wait"]["kind"] for g in region["groups"] for n in g["thread_nums"]}
    assert set(waits) == set(range(8))
    assert sorted(waits.values()) == ["barrier"] * 5 + ["lock"] * LOCKED


@contextmanager
def _hanging(
    ompdbg: Any, name: str, folder: Path, num_waiting: int, *options: str
) -> Iterator[int]:
    """Run a program until so many threads wait."""
    program = folder / name
    command = ["gcc", "-g", "-fopenmp", *options, str(PROGRAMS / f"{name}.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    environment = dict(processes.environment(), GOMP_SPINCOUNT="0")
    with subprocess.Popen([str(program)], stdout=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            waiting: List[Any] = []
            while len(waiting) < num_waiting:
                threads = ompdbg.json("threads", process.pid)["threads"]
                waiting = [thread for thread in threads if thread["wait"]]
            yield process.pid
        finally:
            process.kill()


@pytest.fixture(scope="module")
def many(ompdbg: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Forty threads: two work, and the others have come to the end of the region."""
    with _hanging(ompdbg, "many", tmp_path_factory.mktemp("many"), MANY_WAIT) as pid:
        yield pid


def test_long_deadlock_is_cut(ompdbg: Any, tmp_path: Path) -> None:
    """Of a ring of many threads some are shown, and how many are not; JSON has all."""
    with _hanging(ompdbg, "lock_ring", tmp_path, RING) as pid:
        headline, *lines = ompdbg.run("why", pid).stdout.splitlines()
        (finding,) = ompdbg.json("why", pid, status=FOUND)["findings"]
    assert headline == f"Deadlock: {RING} threads wait for one another"
    rest = lines.index("  ... and 32 more threads")
    assert len(lines[:rest]) == RING - 32
    for line in lines[:rest]:
        found = re.match(r"  thread (\d+) +nest lock locks\[(\d+)\], held by (\d+) ", line)
        assert found is not None and found.group(1) != found.group(3)
    assert len(finding["waiters"]) == RING


def test_memory_for_many_locks(ompdbg: Any, tmp_path: Path) -> None:
    """Who has set a lock is looked for in the code of each thread, of each lock: nothing is kept of
    that but the answers."""
    with _hanging(ompdbg, "lock_ring", tmp_path, RING, "-DSIMPLE") as pid:
        ompdbg_within = ["prlimit", f"--data={128 << 20}", setup.ROOT / "build" / "ompdbg"]
        command = [str(word) for word in (*ompdbg_within, "why", "--json", pid)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (FOUND, "")
    (finding,) = json.loads(done.stdout)["findings"]
    assert len(finding["waiters"]) == RING


def test_threads_alike_share_a_row(ompdbg: Any, many: int) -> None:
    """In a long table; whoever chooses threads sees each."""
    *rows, summary = ompdbg.run("threads", many).stdout.splitlines()[1:]
    assert summary.startswith("40 threads: 38 end of region, 2 spin")
    (folded,) = [row for row in rows if " threads " in row]
    assert re.match(r" *2-7,\.\.\.  37 threads .* end of region ", folded)
    numbers = [re.findall(r"^ *((?:\* )?\d+)", row) for row in rows if row is not folded]
    assert numbers == [["* 1"], ["8"], ["31"]]
    chosen = ompdbg.run("threads", many, "--team", "1", "--num", "0-6").stdout.splitlines()
    assert len(chosen) == 1 + 7 + 1


def test_locks_have_the_waiters(ompdbg: Any, hung: int) -> None:
    threads = ompdbg.json("threads", hung)["threads"]
    waiters = {t["gdb"] for t in threads if t["wait"] and t["wait"]["kind"] == "lock"}
    locks = ompdbg.json("locks", hung)["locks"]
    assert {waiter for lock in locks for waiter in lock["waiters"]} == waiters
    assert len(waiters) == LOCKED
    assert len({lock["address"] for lock in locks}) == len(locks) == 2


def test_control_variables(ompdbg: Any, hung: int) -> None:
    icvs = ompdbg.json("icvs", hung, "--scope", "thread")["icvs"]
    numbers = {icv["value"] for icv in icvs if icv["name"] == "thread-num-var"}
    assert numbers == {str(number) for number in range(8)}
    assert {icv["scope"] for icv in icvs} == {"thread"}
    (of_one,) = ompdbg.json("icvs", hung, "--thread", hung)["icvs"][:1]
    assert len(of_one["threads"]) == 1


def test_environment(ompdbg: Any, hung: int) -> None:
    (runtime,) = ompdbg.json("env", hung)["environment"]
    values = {one["name"]: one["value"] for one in runtime["variables"]}
    assert (runtime["runtime"], values["OMP_CANCELLATION"]) == ("libgomp", "false")


def test_what_is_found_is_the_exit_status(ompdbg: Any, hung: int) -> None:
    findings = ompdbg.json("why", hung, status=FOUND)["findings"]
    assert "held_up" in {finding["severity"] for finding in findings}
    done = ompdbg.run("why", hung)
    assert done.returncode == FOUND
    assert "6 of 8 threads have " in done.stdout


def test_thread_that_is_none(ompdbg: Any, hung: int) -> None:
    for command in ("why", "bt", "icvs"):
        done = ompdbg.run(command, hung, "--thread", 77)
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert done.stderr == f"ompdbg {command}: no thread 77.\n"


def test_compressed_core_file(ompdbg: Any, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    core = Path(processes.kernel_core(setup.program("hung", "O2"), (), tmp_path))
    with core.open("rb") as plain, gzip.open(tmp_path / "core.gz", "wb", 1) as packed:
        shutil.copyfileobj(plain, packed)
    expected = ompdbg.run("threads", core)
    assert (expected.returncode, expected.stderr) == (0, "")
    assert ompdbg.run("threads", tmp_path / "core.gz").stdout == expected.stdout
    # The watching thread has ended the program; the deadlock is told, too.
    done = ompdbg.run("why", tmp_path / "core.gz")
    assert done.returncode == FOUND
    assert done.stdout.startswith("SIGABRT in thread 1: state_reached at state.c:")
    assert "deadlock: 2 threads wait for one another" in done.stdout
    about = ompdbg.json("report", tmp_path / "core.gz", status=FOUND)["about"]
    (ended_by,) = [t for t in ompdbg.json("threads", core)["threads"] if t["selected"]]
    crash = about["crash"]
    assert (crash["signal"], crash["thread"], crash["sender"]) == ("SIGABRT", 1, None)
    assert (crash["lwp"], ended_by["openmp"]) == (ended_by["lwp"], False)


def test_what_a_tool_could_ask(ompdbg: Any, hung: int) -> None:
    regions = ompdbg.json("parallel-info", hung, "--level", 0)["inquiries"]
    assert [region["team_size"] for region in regions] == [8] * 8
    tasks = ompdbg.json("task-info", hung)["inquiries"]
    by_thread = [[t for t in tasks if t["thread"] == r["thread"]] for r in regions]
    types = sorted([task["type"][0] for task in one] for one in by_thread)
    # One executes a task of the pool; what that lies on libgomp does not record.
    assert types == [["explicit"]] + [["implicit", "initial"]] * 7
    assert [one[0]["reasons"].get("next", "") != "" for one in by_thread].count(True) == 1
    assert sorted(one[0]["thread_num"] for one in by_thread) == list(range(8))
    threads = ompdbg.json("thread-info", hung)["inquiries"]
    assert {thread["reasons"]["data"] for thread in threads} == {
        "libgomp has no tool interface (OMPT)"
    }
    done = ompdbg.run("task-info", hung, "--level", 9)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(": no level 9: ") == 2 and len(done.stdout.splitlines()) == 2
    assert all("memory" not in task or task["level"] == 0 for task in tasks)
    done = ompdbg.run("task-info", hung, "--level", "-1")
    assert done.returncode == USAGE
    assert done.stderr == 'ompdbg task-info: invalid level "-1" (expected 0, 1, ...).\n'


def test_threads_outside_of_regions(ompdbg: Any) -> None:
    """They are counted, by what they do if there are several."""
    with processes.ready_program(setup.program("foreign", "O2"), ()) as pid:
        threads = ompdbg.json("threads", pid)["threads"]
        text = ompdbg.run("regions", pid).stdout
    outside = sum(not thread["level"] for thread in threads)
    assert outside > 1
    (line,) = re.findall(rf"^{outside} threads outside of regions: (.+)$", text, re.M)
    assert sum(int(part.split()[0]) for part in line.split(", ")) == outside
