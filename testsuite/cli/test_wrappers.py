# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks that programs take by functions of their own: those may leave no frame, be in another library, or
have come back."""

import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest
from conftest import OMPDBG
from harness import own_programs, rest

PROGRAMS = Path(__file__).resolve().parent / "programs"
THREADS = 3
OPTIONS = ("-g", "-fopenmp")
BOTH = pytest.mark.parametrize("family", ("gcc", "clang"))


def compiled(family: str, level: str, folder: Path, is_library: bool = False) -> str:
    """Compile the program, with the wrappers in it or in a library of its own."""
    options = [*OPTIONS, level]
    wrapped = str(PROGRAMS / "wrapped.c")
    libraries: List[str] = []
    if is_library:
        compiler = "gcc" if family == "gcc" else build.clang_of("gcc")
        library = str(folder / "libwrapped.so")
        command = [compiler, *options, "-shared", "-fPIC", wrapped, "-o", library]
        try:
            subprocess.run(command, check=True)
        except FileNotFoundError:
            pytest.skip("no " + compiler)
        libraries = ["-Wl,--no-as-needed", library, f"-Wl,-rpath,{folder}"]
    try:
        return str(
            own_programs.compiled(
                str(PROGRAMS / "wrappers.c"),
                folder / "program",
                [*options, *libraries],
                family,
                [wrapped] if not is_library else [],
            )
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))


def check_ring(report: Dict[str, Any], addresses: List[str], kind: str, is_certain: bool) -> None:
    """Check that each thread waits for the lock of the next one, which is said to have it."""
    threads = {one["thread_num"]: one for one in report["threads"] if one["level"]}
    locks = {one["address"]: one for one in report["locks"]}
    assert sorted(threads) == list(range(THREADS))
    for number, thread in threads.items():
        following = (number + 1) % THREADS
        wait = thread["wait"]
        assert wait and (wait["kind"], wait["address"]) == (kind, addresses[following]), thread
        lock = locks[addresses[following]]
        assert lock["waiters"] == [thread["gdb"]]
        owner = threads[following]["gdb"]
        if is_certain:
            assert lock["owner"] == owner, lock
        else:
            assert [one["thread"] for one in lock["candidates"]] == [owner], lock
    (finding,) = [one for one in report["findings"] if one["rule"] == "deadlock"]
    assert finding["certain"] == is_certain and len(finding["waiters"]) == THREADS


# The wrapper, and what is waited for there.
WAYS = {
    "lock": "lock",
    "index": "lock",
    "either": "lock",
    "take": "lock",
    "checked": "lock",
    "nest": "nest_lock",
    "mutex": "pthread_mutex",
}


@BOTH
@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_wait_in_a_wrapper(ompdbg: Any, tmp_path: Path, family: str, level: str) -> None:
    """Its kind, its lock and its owner are named, whether the wrapper has a frame or not."""
    program = compiled(family, level, tmp_path)
    for way, kind in WAYS.items():
        with rest.hanging([program, way], THREADS, tmp_path) as process:
            report = ompdbg.json("report", process.pid, status=1)
        addresses = (tmp_path / "addresses").read_text().split()
        if way in ("either", "take"):
            # Which way a wrapper took is not known where it depends on a condition.
            waits = [one["wait"] for one in report["threads"] if one["level"]]
            kinds = (
                ("lock", "mutex")
                if (way, level, family) == ("either", "-O2", "gcc")
                else ("lock",)
            )
            assert all(wait and wait["kind"] in kinds for wait in waits), waits
            assert {wait["address"] for wait in waits} <= {*addresses, None}, waits
            continue
        check_ring(report, addresses, kind, kind in ("nest_lock", "pthread_mutex"))


@BOTH
def test_wrapper_in_a_library(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """The program calls it through stubs of the linker."""
    program = compiled(family, "-O2", tmp_path, is_library=True)
    for way in ("lock", "index"):
        with rest.hanging([program, way], THREADS, tmp_path) as process:
            report = ompdbg.json("report", process.pid, status=1)
        check_ring(report, (tmp_path / "addresses").read_text().split(), "lock", False)


@BOTH
def test_wait_in_a_wrapper_is_recorded(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """What the recorder saw names the lock of each thread, and its owner."""
    program = compiled(family, "-O2", tmp_path)
    for way in ("lock", "either", "take"):
        command = [str(OMPDBG), "record", "--", program, way]
        with rest.hanging(command, THREADS, tmp_path) as process:
            report = ompdbg.json("report", process.pid, status=1)
        check_ring(report, (tmp_path / "addresses").read_text().split(), "lock", True)
