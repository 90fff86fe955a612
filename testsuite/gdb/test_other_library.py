# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our commands over LLVM's OMPD library: they show what it answers, as over ours, and say what it
does not."""

from functools import lru_cache
from typing import Any, Dict, Tuple

import pytest

from harness import processes, setup

import build  # from fixtures/

VARIANTS = ["ompd{}".format(release) for release in build.OMPD_RELEASES]
STATES = [
    ("nested", "2", "2", "2"),
    ("nested", "3", "2", "4"),
    ("hung",),
    ("tasks", "depend"),
    ("waits", "locks"),
    ("worksharing", "ordered"),
    ("many", "64"),
]
# Of a thread, what OMPD has calls for.
SAME = ("gdb", "lwp", "openmp", "thread_num", "team_size", "level", "active_level", "location")


@lru_cache(maxsize=None)
def said(variant: str, on: str, *state: str) -> Dict[str, Any]:
    """What the commands say at a state of a program built as `on`, over the library of another."""
    name, *arguments = state
    try:
        program = setup.program(name, on)
        library = build.runtime_folder(build.VARIANTS[variant]) / "libompd.so"
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task = {"library": str(library), "arguments": arguments}
    found: Dict[str, Any] = processes.run_gdb(
        "other_library.py", task, [str(program)], {"OMP_DEBUG": "enabled"}
    ).result
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("state", STATES, ids="-".join)
def test_threads_are_the_same(variant: str, state: Tuple[str, ...]) -> None:
    found = said(variant, variant, *state)
    rows = {name: found[name]["threads -json"]["threads"] for name in found}
    for ours, theirs in zip(rows["ours"], rows["theirs"]):
        assert {key: theirs[key] for key in SAME} == {key: ours[key] for key in SAME}
    assert len(rows["ours"]) == len(rows["theirs"])
    labels = {name: _labels(found[name]["threads -json"]) for name in found}
    assert labels["theirs"] == labels["ours"]
    assert rows["again"] == rows["ours"]


def _labels(document: Dict[str, Any]) -> Dict[int, str]:
    """The name of each thread's team."""
    names = {team["id"]: team["label"] for team in document["teams"]}
    return {row["gdb"]: names.get(row["team"], "") for row in document["threads"]}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("state", STATES[:3], ids="-".join)
def test_stacks_are_the_same(variant: str, state: Tuple[str, ...]) -> None:
    """Which threads a stack goes through, and which user functions."""
    found = said(variant, variant, *state)

    def stacks(name: str) -> Any:
        return [
            [
                (part["thread"], part["thread_num"], [f["function"] for f in part["frames"]])
                for part in stack["parts"]
            ]
            for stack in found[name]["bt -all -json"]["stacks"]
        ]

    assert stacks("theirs") == stacks("ours")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("state", STATES, ids="-".join)
def test_what_lacks_is_said(variant: str, state: Tuple[str, ...]) -> None:
    theirs = said(variant, variant, *state)["theirs"]
    failed = {command: text["error"] for command, text in theirs.items() if "error" in text}
    failed.pop("icvs -json", None)  # the selected thread of `hung` is no OpenMP thread
    assert set(failed) == {"tasks", "tasks -queued", "tasks -by-function"}
    for error in failed.values():
        assert error.startswith("omp tasks: OMPD has no call that lists tasks, and ")
    status = theirs["status"]["text"]
    assert "LLVM OpenMP" in status
    assert status.startswith("Runtime       libomp, OpenMP 201611\n")
    assert "tasks and wait sites: the OMPD library has no extensions" in status


# Numbers that it tells as numbers only.
NUMBERS = (
    "stacksize-var",
    "num-procs-var",
    "thread-num-var",
    "levels-var",
    "active-levels-var",
    "team-size-var",
    "thread-limit-var",
    "max-active-levels-var",
)


@pytest.mark.parametrize("variant", VARIANTS)
def test_control_variables_are_the_same(variant: str) -> None:
    found = said(variant, variant, *STATES[0])
    values = {
        name: {one["name"]: one["value"] for one in found[name]["icvs -json"]["icvs"]}
        for name in ("ours", "theirs")
    }
    for number in NUMBERS:
        assert values["theirs"][number] == values["ours"][number] is not None, number


@pytest.mark.parametrize("on", ["clang", "O2"])
def test_a_program_that_it_does_not_understand(on: str) -> None:
    """A stripped runtime, and another one."""
    theirs = said(VARIANTS[0], on, "nested", "2", "2", "2")["theirs"]
    for command in ("status", "threads", "tasks", "bt"):
        error = theirs[command]["error"]
        assert error.startswith("omp {}: ".format(command.split()[0]))
        assert error.endswith(
            "libompd.so does not understand the program: not available in the" " target."
        )
