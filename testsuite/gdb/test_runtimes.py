# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two runtimes in one process, with teams side by side and within one another."""

import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from harness import own_programs, processes

# Thread by thread, as programs/both.c says: runtime, number in the team, state, and the stack as
# (number of the thread in its team or None, functions).
MAIN = (None, ["main"])
SIDE = (None, ["library_region", "side"])
EXPECTED = {
    "main": ("libgomp", 0, "work_parallel", [(0, ["region of main", "main"])]),
    "worker": (
        "libomp",
        0,
        "wait_barrier",
        [(0, ["region of library_region", "library_region", "region of main"]), MAIN],
    ),
    "library": (
        "libomp",
        1,
        "work_parallel",
        [
            (1, ["park", "region of library_region"]),
            (1, ["library_region", "region of main"]),
            MAIN,
        ],
    ),
    "side": ("libomp", 0, "wait_barrier", [(0, ["region of library_region", *SIDE[1]])]),
    "other": (
        "libgomp",
        0,
        "wait_barrier",
        [(0, ["region of open_here", "open_here", "region of library_region"]), SIDE],
    ),
    "innermost": (
        "libgomp",
        1,
        "work_parallel",
        [
            (1, ["park", "region of open_here"]),
            (1, ["open_here", "region of library_region"]),
            SIDE,
        ],
    ),
}
# A heading names the team in which the thread goes on, also if that is the other runtime's.
RUNTIMES_ON_THE_WAY = {
    "library": ["libomp", "libgomp", "libgomp"],
    "innermost": ["libgomp", "libomp", "libomp"],
}
HELPERS = ("fixture_ready", "state_reached", "state_park", "wait_for")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("clang") is None:
        pytest.skip("no clang")
    folder = tmp_path_factory.mktemp("both")
    library = folder / "libboth.so"
    source = str(own_programs.source("both_library.c"))
    flags = ["-O2", "-g", "-fopenmp", "-fPIC", "-shared"]
    subprocess.run(["clang", *flags, source, "-o", str(library)], check=True)
    link = ["-L" + str(folder), "-lboth", "-Wl,-rpath," + str(folder)]
    return own_programs.compiled(
        "both.c", folder / "both", ["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed", *link]
    )


@pytest.fixture(scope="module", params=["live", "core", "attached"])
def said(program: Path, request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if request.param == "attached":
        with processes.ready_program(program, ()) as pid:
            spec: Dict[str, Any] = {"mode": "attached"}
            yield processes.run_gdb("snapshot.py", spec, [str(program), "-p", str(pid)]).result
        return
    core = tmp_path_factory.mktemp("both") / "core"
    spec = {"mode": "live", "gcore": str(core)}
    found = processes.run_gdb("snapshot.py", spec, [str(program)]).result
    if request.param == "core":
        arguments = [str(program), str(core)]
        found = processes.run_gdb("snapshot.py", {"mode": "core"}, arguments).result
    yield found


def _stack(stack: Dict[str, Any]) -> List[Tuple[Any, List[str]]]:
    parts = []
    for part in stack["parts"]:
        level = part["level"]
        functions = [
            "region of " + frame["function"] if frame["construct"] else frame["function"]
            for frame in part["frames"]
            if frame["kind"] == "user" and frame["function"] not in HELPERS
        ]
        parts.append((part["thread_num"] if level else None, functions))
    return parts


def _role(stack: Dict[str, Any]) -> str:
    """Which of the threads it is: the one whose functions are on the stack."""
    told = _stack(stack)
    return next((role for role, row in EXPECTED.items() if row[3] == told), str(told))


def test_stacks_and_threads(said: Any) -> None:
    rows = {row["gdb"]: row for row in said["threads"]["threads"]}
    assert len(rows) == len(EXPECTED)
    found = {}
    for stack in said["stacks"]["stacks"]:
        row = rows[stack["parts"][0]["thread"]]
        told = (row["runtime"], row["thread_num"], row["state"], _stack(stack))
        found[_role(stack)] = told
    assert found == EXPECTED


def test_headings_name_the_team_around(said: Any) -> None:
    teams = {}
    for row in said["threads"]["threads"]:
        if row["team"] is not None:
            teams[row["team"]] = row["runtime"]
    assert sorted(teams.values()) == ["libgomp", "libgomp", "libomp", "libomp"]
    checked = 0
    for stack in said["stacks"]["stacks"]:
        wanted = RUNTIMES_ON_THE_WAY.get(_role(stack))
        if wanted is not None:
            told = [teams.get(part["team"]) for part in stack["parts"] if part["level"]]
            assert told == wanted[: len(told)]
            checked += len(told)
    assert checked == 4


def test_tasks_are_told_by_runtime(said: Any) -> None:
    tasks = said["tasks"]["tasks"]
    assert sorted(task["runtime"] for task in tasks) == ["libgomp"] * 6 + ["libomp"] * 6


def test_status_lists_both(said: Any) -> None:
    status = said["status"]
    assert [(r["name"], r["threads"], r["teams"]) for r in status["runtimes"]] == [
        ("libgomp", 3, 2),
        ("libomp", 3, 2),
    ]
    lines = said["status_text"]["text"].splitlines()
    assert [line for line in lines if line.startswith("Runtime")] != []
    assert sum(line.startswith("Runtime") for line in lines) == 2
    assert "Threads       6, 6 of them OpenMP" in lines
