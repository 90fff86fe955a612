# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who holds a lock that a constructor has set, or another function of the program: told if that is
what every way has come through, and never told of a thread that does not have it."""

import json
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

STOPS = 60
_FREE, _HAS = 0, 2
_KINDS = ("guards", "functions", "lock_guard", "unique_lock")


@pytest.fixture(scope="module", params=("gcc", "clang"))
def program(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, where nothing is inlined."""
    try:
        flags = ("-O0", "-g", "-fopenmp")
        target = tmp_path_factory.mktemp("guards") / "guards"
        return own_programs.compiled("guards.cpp", target, flags, request.param)
    except build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("kind", _KINDS)
def test_the_deadlock_is_named(kind: str, program: Path, tmp_path: Path) -> None:
    core = tmp_path / "core"
    task = {"mode": "live", "arguments": [kind], "gcore": str(core)}
    said = processes.run_gdb("why.py", task, [str(program)]).result
    command = [str(setup.LOADER.parent / "ompdbg"), "why", "--json", str(core)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    number = {row["gdb"]: row["thread_num"] for row in said["threads"]["threads"]}
    lwp = {row["gdb"]: row["lwp"] for row in said["threads"]["threads"]}
    assert waits(said["why"]["findings"], number) == {1: 2, 2: 1}, said["why_text"]["text"]
    command[1] = "threads"
    threads = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    rows = {row["lwp"]: row["gdb"] for row in threads["threads"]}
    of_core = {rows[lwp[gdb]]: number[gdb] for gdb in number}
    assert waits(json.loads(done.stdout)["findings"], of_core) == {1: 2, 2: 1}


@pytest.mark.parametrize("kind", ("dummy", "shape", "module", "changes"))
def test_locks_of_arrays_in_fortran(kind: str, tmp_path: Path) -> None:
    """Their numbers are arguments, which lie in the frame of the caller. If the procedure changes
    its argument, nothing is told."""
    try:
        flags = ("-O0", "-g", "-fopenmp")
        fortran = own_programs.compiled("guards.f90", tmp_path / "guards", flags)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    said = processes.run_gdb(
        "why.py", {"mode": "live", "arguments": [kind]}, [str(fortran)]
    ).result
    number = {row["gdb"]: row["thread_num"] for row in said["threads"]["threads"]}
    found = waits(said["why"]["findings"], number)
    assert found == ({} if kind == "changes" else {1: 2, 2: 1}), said["why_text"]["text"]
    if kind == "changes":
        assert [lock["owner"] for lock in said["locks"]["locks"]] == [None, None]


@pytest.fixture(scope="module", params=("-O0", "-O2"))
def unsets(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of which a thread has unset a lock where that is not plain."""
    try:
        flags = (request.param, "-g", "-fopenmp")
        target = tmp_path_factory.mktemp("unset") / "unset"
        return own_programs.compiled("unset.c", target, flags)
    except build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize(
    "kind", ("rounds", "element", "variable", "structure", "compared", "handed", "leapt")
)
def test_a_thread_that_has_unset_it_is_not_its_owner(kind: str, unsets: Path) -> None:
    """Nor is one that has set another one."""
    said = processes.run_gdb("why.py", {"mode": "live", "arguments": [kind]}, [str(unsets)]).result
    number = {row["gdb"]: row["thread_num"] for row in said["threads"]["threads"]}
    (lock,) = said["locks"]["locks"]
    assert number.get(lock["owner"]) != 0, said["why_text"]["text"]
    assert [number[thread] for thread in lock["waiters"]] == [2]


def test_code_that_is_not_followed_to_its_end(tmp_path: Path) -> None:
    """A long chain of calls, and one through a pointer to nowhere, while the lock is held."""
    source, count = tmp_path / "chain.c", 1200
    calls = ["void f{}(void) {{ f{}(); count++; }}".format(n, n + 1) for n in range(count)]
    lines = ["#include <omp.h>", "omp_lock_t lock; volatile int count;"]
    lines += ["void (*nowhere)(void) = (void (*)(void))-1;"]
    lines += ["void f{}(void) {{ count++; }}".format(count), *reversed(calls)]
    lines += ["int main(void) { omp_init_lock(&lock); omp_set_lock(&lock); f0();"]
    lines += ["if (!count) nowhere(); omp_set_lock(&lock); return 0; }"]
    source.write_text("\n".join(lines), encoding="ascii")
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled(str(source), tmp_path / "chain", flags)
    commands = ["handle SIGALRM stop print nopass", "break f{}".format(count), "run"]
    commands += ["call (unsigned) alarm(1)", "continue", "omp why", "omp locks -json"]
    said = processes.run_gdb("session.py", {"commands": commands}, [str(program)]).result
    assert said[5]["text"].startswith("Lock lock is held, by whom is not known"), said[5]
    (lock,) = json.loads(said[6]["text"])["locks"]
    assert lock["owner"] is None and "their code does not tell" in lock["reason"]


def waits(findings: List[Dict[str, Any]], number: Dict[int, int]) -> Dict[int, int]:
    """Who waits for whom in a deadlock, by their numbers in the team."""
    found = [one for one in findings if one["rule"] == "deadlock"]
    assert [one["certain"] for one in found] == [False] * len(found)
    return {number[e["thread"]]: number[e["waits_for"]] for one in found for e in one["chain"]}


def test_no_wrong_owner(program: Path) -> None:
    """At any moment. Most owners cannot be told: some can, in each of the ways that guards are
    used for as they mostly are."""
    stops: List[Any] = processes.run_gdb("guards.py", {"stops": STOPS}, [str(program)]).result
    assert len(stops) == STOPS
    told = 0
    for stop in stops:
        for lock in stop["locks"]:
            if lock["owner"] is None or lock["known_by"] != "code":
                continue
            told += 1
            number = stop["addresses"].index(int(lock["address"], 16))
            of_lock = {int(thread): marks[number] for thread, marks in stop["marks"].items()}
            assert of_lock[lock["owner"]] != _FREE, (lock, of_lock)
            others = [mark for thread, mark in of_lock.items() if thread != lock["owner"]]
            assert _HAS not in others, (lock, of_lock)
    assert told
