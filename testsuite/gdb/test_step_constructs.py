# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp step` through every construct, of C, C++ and Fortran: from the line before it to the first
line of its body, and out of it to the line after it, on the same logical thread."""

import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

_MARK = re.compile(r"AT: (\w+)-(before|first|some|after|later)$")
# More lines than any of them takes, with the two for each iteration of Clang's loops.
MOST = 60
GFORTRAN_FLAGS = build.LANGUAGE_FLAGS["gcc", ".f90"]

_OUTLINED = re.compile(r"\._omp_fn\.|\.omp_outlined\.|\.omp_task_entry\.")
_CONSTRUCT = re.compile(r"^#0 +(parallel region|task|taskloop task|outlined code) of ", re.M)

# How each is compiled, and run by how many threads.
WAYS = {
    "c": (("-O0", 16), ("-O2", 4), ("-O2", 1)),
    "cpp": (("-O0", 1), ("-O2", 4)),
    "f90": (("-O0", 16), ("-O2", 4)),
}
EVERY_WAY = tuple((optimized, threads) for optimized in ("-O0", "-O2") for threads in (1, 4, 16))
RUNS = [
    (suffix, compiler, optimized, threads)
    for suffix, ways in WAYS.items()
    for compiler in ("gcc", "clang")
    for optimized, threads in (EVERY_WAY if setup.FULL else ways)
    if (suffix, compiler) != ("f90", "clang")
]


def constructs(source: Path) -> "List[Dict[str, Any]]":
    """The marked lines. `some`: a thread may get no part of the work. `later`: the thread that
    generated a task goes on meanwhile."""
    found: Dict[str, Dict[str, Any]] = {}
    for number, text in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        mark = _MARK.search(text)
        if mark is not None:
            one = found.setdefault(mark.group(1), {"name": mark.group(1), "later": False})
            one[{"later": "after"}.get(mark.group(2), mark.group(2))] = number
            one["later"] = one["later"] or mark.group(2) == "later"
    return sorted(found.values(), key=lambda one: one["name"] == "program")


def assert_through(one: "Dict[str, Any]", seen: "List[Dict[str, Any]]", optimized: bool) -> None:
    lines = [stop["line"] for stop in seen]
    told = "{}: {}".format(one["name"], seen)
    directive = one["before"] + 1
    inside = [stop for stop in seen if directive < stop["line"] < one["after"]]
    if "first" in one:  # perhaps at a loop's head, which is the line before
        assert inside and one["first"] - 1 <= inside[0]["line"] <= one["first"], told
    last = seen[-1]
    if not one["later"]:
        assert lines[-1] == one["after"], told
        assert {(stop["thread"], stop["number"]) for stop in seen} == {(1, 0)}, told
        return
    # The task was executed by whoever came first. Then the thread that generated it is where it
    # has come to: code that is optimized may have no line of the construct's function any more.
    assert last["line"] >= one["after"] or optimized, told
    assert last["number"] == 0 and last["thread"] == seen[0]["thread"], told


def assert_named(seen: "List[Dict[str, Any]]") -> None:
    """Code of a construct that a step has come to is called by the construct, whatever GDB said."""
    for before, stop in zip(seen, seen[1:]):
        moved = any(before[what] != stop[what] for what in ("function", "thread"))
        if moved and _OUTLINED.search(stop["function"] or ""):
            assert _CONSTRUCT.search(stop["said"]), (before, stop)


@pytest.mark.parametrize("suffix, compiler, optimized, threads", RUNS)
def test_through_constructs(
    suffix: str, compiler: str, optimized: str, threads: int, tmp_path: Path
) -> None:
    name = "constructs." + suffix
    flags = [optimized, "-g", "-fopenmp", *(GFORTRAN_FLAGS if suffix == "f90" else ())]
    try:
        program = own_programs.compiled(name, tmp_path / "constructs", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    marked = constructs(own_programs.source(name))
    spec = {"arguments": [str(threads)], "source": name, "constructs": marked, "most": MOST}
    done = processes.run_gdb("constructs.py", spec, [str(program)])
    went = 0
    for one in marked:
        seen = done.result["seen"][one["name"]]
        assert_named(seen)
        if len(seen) > 1 or optimized == "-O0":
            assert_through(one, seen, optimized != "-O0")
            went += 1
    assert went >= len(marked) - 2
    assert done.result["left"] == 0
    assert done.result["code"] in (0, None)
    alone = subprocess.run(
        [str(program), str(threads)], env=processes.environment(), stdout=subprocess.PIPE
    )
    assert alone.stdout.decode() in done.output
