# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A runtime that exports something else than the release that it is like, as a later one would, or
one that somebody changed: a libgomp is refused, of a libomp only what is proven is told."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import comparing
import pytest
from harness import processes, setup

OMPDBG = comparing.OMPDBG
NAME = b"\0omp_get_wtick_\0"  # that no fixture asks for
THREADS = 9
ALWAYS = ("openmp", "thread_num", "team_size", "level", "active_level")


def fixture(variant: str) -> Path:
    try:
        return Path(setup.program("hung", variant))
    except setup.build.Skipped as reason:
        pytest.skip(str(reason))
        raise


def changed_copy(program: Path, folder: Path) -> Path:
    """The runtime of the program, with another name in its list of symbols; in a folder."""
    found = subprocess.run(["ldd", str(program)], capture_output=True, check=True).stdout.decode()
    match = re.search(r"(lib(?:gomp|omp)\.so\.\d+) => (\S+)", found)
    assert match is not None
    content = Path(match.group(2)).read_bytes()
    assert content.count(NAME) == 1
    (folder / match.group(1)).write_bytes(content.replace(NAME, NAME[:-2] + b"X\0"))
    return folder


def asked(program: Path, changes: Dict[str, str], *commands: str) -> "List[Any]":
    """What `ompdbg` says of the program in its state."""
    told = []
    with processes.ready_program(program, [], changes) as pid:
        for words in commands:
            command = [str(OMPDBG), *words.split(), str(pid)]
            told.append(subprocess.run(command, capture_output=True, check=False))
    return told


def threads_of(done: "subprocess.CompletedProcess[bytes]") -> List[Dict[str, Any]]:
    """By their numbers in the team; the one that is of no team comes last."""
    threads: Sequence[Dict[str, Any]] = json.loads(done.stdout)["threads"]
    assert len(threads) == THREADS
    return sorted(threads, key=lambda one: (one["thread_num"] is None, one["thread_num"]))


def test_libgomp_is_refused(tmp_path: Path) -> None:
    program = fixture("O2")
    changes = {"LD_LIBRARY_PATH": str(changed_copy(program, tmp_path))}
    for done in asked(program, changes, "status", "threads", "tasks"):
        assert done.returncode not in (0, 1)
        said = "libgomp of an unknown release: what it exports is not what libgomp of GCC"
        assert said in done.stderr.decode()
        assert done.stdout == b""


def test_what_is_told_of_libomp_is_true(tmp_path: Path) -> None:
    program = fixture("clang")
    known, known_icvs = asked(program, {}, "threads --json", "icvs --json")
    changes = {"LD_LIBRARY_PATH": str(changed_copy(program, tmp_path))}
    status, unknown, icvs = asked(program, changes, "status", "threads --json", "icvs --json")
    text = status.stdout.decode()
    assert "libomp, a kin of LLVM " in text
    assert re.search(r"\b\d\d+ fields\s+not\s+proven", text)
    # Any thread may be the one that writes the snapshot: those at one line do the same.
    at_line = {one["location"]["line"]: one for one in threads_of(known)}
    for ours, theirs in zip(threads_of(unknown), threads_of(known)):
        for name in ALWAYS:
            assert ours[name] == theirs[name], name
        there = at_line[ours["location"]["line"]]
        assert ours["state"] in (None, there["state"])
        if ours["wait"] is not None:
            assert ours["wait"]["kind"] == there["wait"]["kind"]
    values = {(one["name"], one["value"]) for one in json.loads(known_icvs.stdout)["icvs"]}
    told = json.loads(icvs.stdout)["icvs"]
    assert {(one["name"], one["value"]) for one in told if one["value"] is not None} <= values
    assert all("not proven" in one["reason"] for one in told if one["value"] is None)


def kinds_of_tasks(done: "subprocess.CompletedProcess[bytes]") -> "Counter[Tuple[str, Any]]":
    """How many tasks there are of each kind and construct."""
    tasks = json.loads(done.stdout)["tasks"]
    return Counter((one["kind"], one["function"] and one["function"]["line"]) for one in tasks)


def waits_for_locks(
    done: "subprocess.CompletedProcess[bytes]",
) -> Dict[str, Tuple[bool, int, int]]:
    """By the name of each lock, whether it is held, and how many wait and may hold it."""
    return {
        one["symbol"]: (one["held"], len(one["waiters"]), len(one["candidates"]))
        for one in json.loads(done.stdout)["locks"]
    }


def test_tasks_and_locks_of_libomp(tmp_path: Path) -> None:
    """What memory proves is shown: who waits for which lock, and tasks on threads and those that depend
    on them. That others may be in lists that cannot be read is said."""
    program = fixture("clang")
    asking = ("tasks --json", "locks --json", "tasks", "tasks --by-function", "why")
    known = asked(program, {}, *asking)
    changes = {"LD_LIBRARY_PATH": str(changed_copy(program, tmp_path))}
    tasks, locks, tree, counts, why = asked(program, changes, *asking)
    assert kinds_of_tasks(tasks) == kinds_of_tasks(known[0])
    assert json.loads(tasks.stdout)["damaged"] is True
    assert json.loads(tasks.stdout)["unreached"] is None
    number = sum(kinds_of_tasks(known[0]).values())
    for text in (tree, counts):
        assert text.stdout.decode().splitlines()[-1] == (
            "at least {} tasks; not all lists of the runtime can be read".format(number)
        )
    assert waits_for_locks(locks) == waits_for_locks(known[1]) != {}
    assert why.returncode == known[4].returncode == 1
    assert "Probable deadlock: 2 threads wait for one another" in why.stdout.decode()
