# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What threads do is told in the same words by all tables, JSON, choices and the command line."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

# By number in the team; None: of the thread that is not OpenMP's.
DOES: Dict[Optional[int], str] = {
    None: "sleeps in sem_wait",
    1: "lock lock",
    2: "spins on go_on",
    3: "sleeps in usleep",
    4: "end of region",
}
ACTIVITIES = {None: "asleep", 0: "crashed", 1: "lock", 2: "spins", 3: "asleep", 4: "barrier"}


@pytest.fixture(name="program", params=("gcc", "clang"))
def fixture_program(request: Any, tmp_path: Path) -> str:
    flags = ("-O2", "-g", "-fopenmp")
    try:
        return str(own_programs.compiled("doing.c", tmp_path / "doing", flags, request.param))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def ask(commands: List[str], *arguments: str) -> List[str]:
    done = processes.run_gdb("session.py", {"commands": commands}, arguments)
    return [one.get("text", "error: " + one.get("error", "")) for one in done.result]


def ompdbg(*arguments: object) -> str:
    command = [str(setup.LOADER.parent / "ompdbg"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def timeless(regions: str) -> List[str]:
    """The lines without that of a recording, whose times of a core file are those of the calendar."""
    return [line for line in regions.splitlines() if not line.startswith("  began ")]


def test_crash(program: str, tmp_path: Path) -> None:
    core = tmp_path / "core"
    tables = [
        "omp threads",
        "omp regions",
        "omp bt -all",
        "omp threads -json",
        "omp regions -json",
    ]
    chosen = ["omp threads -state crashed", "omp threads -state sleeps", "omp threads -state x"]
    commands = ["set width 200", "run crash", *tables, *chosen, f"generate-core-file {core}"]
    said = ask(commands, program)
    words: Dict[Optional[int], str] = {**DOES, 0: "SIGABRT here"}
    threads, regions, stacks = said[2:5]
    if "lock lock" not in threads:  # the code jumped to LLVM's function, and no register has it
        words[1] = "lock"
    for number, does in words.items():
        name = "none" if number is None else f"{number}/5"
        assert re.search(rf"^ *(?:\* )?\d+ +{name} .*  {does}(?:  |$)", threads, re.M), threads
        if number is None:
            assert f"1 thread outside of regions: {does}" in regions
            assert re.search(rf"^-- thread \d+: no OpenMP thread, {does} --$", stacks, re.M)
        else:
            assert re.search(rf"^ +1  {does}(?:  |$)", regions, re.M), regions
            # Those without a frame of the program's share a stack.
            headings = re.sub(r",\n +", ", ", stacks)
            assert re.search(rf"/5\), team 1, level 1, .*\b{does}\b.* --$", headings, re.M), stacks
    rows = json.loads(said[5])["threads"]
    assert {row["thread_num"]: row["does"] for row in rows} == words
    assert {row["thread_num"]: row["activity"] for row in rows} == ACTIVITIES
    (region,) = json.loads(said[6])["regions"]
    assert {one["thread_nums"][0]: one["does"] for one in region["groups"]} == {
        number: does for number, does in words.items() if number is not None
    }
    assert "1 thread: 1 crashed" in said[7]
    assert said[8].splitlines()[-1] == "2 threads: 1 no OpenMP thread, 1 sleeps", said[8]
    assert said[9].endswith('no state "x".')
    of_core = json.loads(ompdbg("threads", core, "--json"))["threads"]
    assert {row["thread_num"]: row["does"] for row in of_core} == words
    assert timeless(ompdbg("regions", core))[1:] == timeless(regions)[1:]


def test_live(program: str) -> None:
    """Without a signal thread 0 works, and is not said to do anything else."""
    said = ask(["set width 200", "break everything_ready", "run", "omp threads -json"], program)
    rows = json.loads(said[-1])["threads"]
    (first,) = [row for row in rows if row["thread_num"] == 0]
    assert (first["does"], first["activity"]) == ("works", "works")
