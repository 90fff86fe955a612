# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A runtime that exports something else than the release that it is like, as a later one would, or
one that somebody changed: a libgomp is refused, of a libomp only what is proven is told."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Sequence

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
    assert {(one["name"], one["value"]) for one in told if one["value"] is not None} < values
    reasons = [one["reason"] for one in told if one["value"] is None]
    assert any("not proven" in reason for reason in reasons)
