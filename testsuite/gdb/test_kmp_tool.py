# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's runtime with a tool (OMPT): it records states of its threads then, though not every wait,
and some as what they are not. What is told is the same as without one."""

import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from harness import cases, expect, own_programs, processes, setup, snapshots
from harness.cases import Case

import build  # from fixtures/

VARIANTS = ("clang", "omp13", "omp19")
STATES: Tuple[Tuple[str, ...], ...] = (
    ("waits", "locks"),
    ("waits", "tasks"),
    ("waits", "region_end"),
    ("waits", "idle"),
    ("waits_sharing", "single_copy"),
    ("waits_sharing", "ordered"),
    ("waits_sharing", "static_end"),
    ("cancel", "parallel"),
    ("cancel", "sections"),
    ("signal", "barrier"),
    ("signal", "critical"),
)
CASES = [
    Case(state[0], state[1:], variant, cases.PROCESS) for variant in VARIANTS for state in STATES
]
# Which barrier it is, runtimes since LLVM 17 record; that it is one, earlier ones.
EXACT = ("wait_barrier_explicit", "wait_barrier_implicit_workshare")


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tool's library."""
    target = tmp_path_factory.mktemp("tool") / "libtool.so"
    source = str(own_programs.source("tool.c"))
    command = [setup.CC, "-Wall", "-Wextra", "-shared", "-fPIC", source, "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def said(case: Case, tool: Path, folder: Path) -> Dict[str, Any]:
    """What the command line says of a process with the tool in it."""
    try:
        program = setup.program(case.program, case.variant)
    except build.Skipped as reason:
        pytest.skip("{}/{}: {}".format(case.variant, case.program, reason))
    mark = folder / "mark"
    mark.write_text("", encoding="utf-8")
    variables = {"OMP_TOOL_LIBRARIES": str(tool), "TOOL_MARK": str(mark)}
    with processes.ready_program(program, case.arguments, variables) as pid:
        assert mark.read_text(encoding="utf-8") == "begun"
        return {**snapshots.reported(pid), "stacks": snapshots.say_json("bt", pid)}


def barriers(snapshot: Dict[str, Any]) -> List[str]:
    """The states of threads that are told in more detail than a header does; these are taken
    away from the snapshot."""
    found = []
    for thread in snapshot["threads"]["threads"]:
        wait = thread["wait"]
        if thread["state"] in EXACT and wait is not None and wait["kind"] == "barrier":
            found.append(thread["state"])
            thread["state"] = "wait_barrier"
    return found


def release(snapshot: Dict[str, Any]) -> int:
    """Of LLVM, or the first of those that it may be."""
    text = snapshot["status"]["runtimes"][0]["layout"]["release"]
    return int(text.split()[1])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_threads_are_as_without_a_tool(case: Case, tool: Path, tmp_path: Path) -> None:
    snapshot = said(case, tool, tmp_path)
    exact = barriers(snapshot)
    problems = expect.thread_problems(case, snapshot)
    assert not problems, "\n".join(problems)
    if release(snapshot) < 17:
        assert exact == []
    elif case.name == "waits locks":
        assert exact == ["wait_barrier_explicit"] * 2  # as the program has it
