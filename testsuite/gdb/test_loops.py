# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp regions on loops in flight: the iterations that are left are those that the program does
afterwards."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import pytest

from harness import own_programs, processes

import build  # from fixtures/

COUNT = 60  # of programs/loops.c
TEAM = 4


class Kind(NamedTuple):
    """What must be told of a loop."""

    schedule: str
    chunk: int
    ordered: bool = False


KINDS: Dict[str, Kind] = {
    "dynamic": Kind("dynamic", 3),
    "guided": Kind("guided", 2),
    "stealing": Kind("dynamic", 3),
    "runtime": Kind("guided", 4),
    "ordered": Kind("dynamic", 2, True),
    "unsigned": Kind("dynamic", 2),
    "down": Kind("dynamic", 4),
}
FLAGS = {"O0": ("-O0", "-g", "-fopenmp"), "O2": ("-O2", "-g", "-fopenmp")}
# Each program at one level of optimisation, but for two.
CASES = [
    (family, kind, "O0" if kind in ("guided", "down") else "O2")
    for kind in KINDS
    for family in ("gcc", "clang")
]


def observe(folder: Path, family: str, kind: str, level: str) -> Dict[str, Any]:
    """What is told at each iteration of the first thread."""
    try:
        program = own_programs.compiled("loops.c", folder / "loops", FLAGS[level], family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    result: Dict[str, Any] = processes.run_gdb("loops.py", {"kind": kind}, [str(program)]).result
    return result


def chunks(left: List[int]) -> List[Tuple[int, int]]:
    """How often each number of iterations left was seen, in their order."""
    found: List[Tuple[int, int]] = []
    for number in left:
        if found and found[-1][0] == number:
            found[-1] = (number, found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found


@pytest.mark.parametrize("family,kind,level", CASES)
def test_iterations_that_are_left(tmp_path: Path, family: str, kind: str, level: str) -> None:
    told = observe(tmp_path, family, kind, level)
    left: List[int] = []
    for loops in told["stops"]:
        (loop,) = loops
        expected = KINDS[kind]
        assert (loop["schedule"], loop["chunk"]) == (expected.schedule, expected.chunk)
        assert (loop["kind"], loop["ordered"]) == ("loop", expected.ordered)
        assert loop["total"] == (COUNT if family == "clang" else None)
        assert loop["thread_nums"] == list(range(TEAM)) and not loop["remaining_is_least"]
        left.append(loop["remaining"])
    if kind == "ordered":
        assert left == [COUNT - TEAM * KINDS[kind].chunk]
        return
    seen = chunks(left)
    # All threads have fetched one chunk: the first thread's has as many iterations as it did before
    # the number changed, and the others did theirs in the end.
    assert seen[0][0] == COUNT - seen[0][1] - sum(told["done"][1:])
    # With each further chunk it did as many iterations as there are less.
    for (before, _), (number, times) in zip(seen, seen[1:]):
        assert before - number == times
    assert seen[-1][0] == 0 and sum(told["done"]) == COUNT
    total: Optional[int] = COUNT if family == "clang" else None
    first = f"{seen[0][0]} of {total}" if total else str(seen[0][0])
    name = f"loop {expected.schedule},{expected.chunk}"
    assert f"  {name}: {first} iterations left\n" in told["text"]


@pytest.mark.parametrize("family,kind", [("gcc", "dynamic"), ("clang", "ordered")])
def test_core_files_of_the_kernel(tmp_path: Path, family: str, kind: str) -> None:
    """They lack the code, which GDB has from the files."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    try:
        program = own_programs.compiled("loops.c", tmp_path / "loops", FLAGS["O2"], family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    core = processes.kernel_core(program, (kind,), tmp_path)
    task = {"commands": ["omp threads", "omp regions -json"], "kill": False}
    said = processes.run_gdb("session.py", task, [str(program), str(core)]).result
    (region,) = json.loads(said[1]["text"])["regions"]
    (loop,) = region["loops"]
    assert (loop["schedule"], loop["chunk"]) == (KINDS[kind].schedule, KINDS[kind].chunk)
    assert loop["remaining"] == COUNT - TEAM * KINDS[kind].chunk
    assert loop["thread_nums"] == list(range(TEAM))


@pytest.mark.parametrize(
    "family,kind", [("gcc", "static"), ("clang", "static"), ("gcc", "copied")]
)
def test_nothing_is_told_of_what_memory_does_not_have(
    tmp_path: Path, family: str, kind: str
) -> None:
    told = observe(tmp_path, family, kind, "O2")
    assert told["stops"] and not any(told["stops"]) and told["after"] == []
