# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program that is its own collector is answered; the tree of Fibonacci's tasks; and programs
without a runtime."""

import subprocess
from typing import Dict, List, Tuple

import oracle
import pytest
from conftest import PROGRAMS, Laboratory, Told

RUNTIMES = [("libgomp", "gcc"), ("libomp-14", "clang"), ("libomp-19", "clang")]


@pytest.mark.parametrize("case", RUNTIMES, ids="/".join)
def test_answers(laboratory: Laboratory, case: Tuple[str, str]) -> None:
    """Of every request, in threads of every kind, from signal handlers, in several sessions."""
    runtime = laboratory.runtime(case[0])
    program = laboratory.program(PROGRAMS / "queries.c", case[1], runtime)
    reported = "1" if runtime.family == "kmp" else "0"
    told = laboratory.run(
        [str(program), reported], runtime, {"KMP_FORCE_REDUCTION": "critical"}, tool=False
    )
    states = "7 states\n" if reported == "1" else "6 states\n"
    assert (told.status, told.output) == (0, states)


def shape(told: Told) -> Tuple[object, ...]:
    """The tree of all tasks, without their ids: below the task that is no explicit one."""
    children: Dict[int, List[int]] = {}
    for task, parent in told.parents.items():
        children.setdefault(parent, []).append(task)
    [root] = set(children) - set(told.parents)

    def below(task: int) -> Tuple[object, ...]:
        return tuple(sorted((below(child) for child in children.get(task, [])), key=repr))

    return below(root)


def recursion(n: int) -> Tuple[object, ...]:
    """The tree of the calls below a call."""
    if n < 2:
        return ()
    return tuple(sorted((recursion(n - 1), recursion(n - 2)), key=repr))


def calls(n: int) -> int:
    """How many calls there are below a call."""
    return 0 if n < 2 else 2 + calls(n - 1) + calls(n - 2)


@pytest.mark.parametrize("case", RUNTIMES, ids="/".join)
def test_fibonacci(laboratory: Laboratory, case: Tuple[str, str]) -> None:
    """The tasks are the tree that the recursion makes, and each is reported through its life."""
    runtime = laboratory.runtime(case[0])
    program = laboratory.program(PROGRAMS / "fib.c", case[1], runtime)
    for n, value in ((2, 1), (4, 3), (8, 21), (16, 987)):
        told = laboratory.run([str(program), str(n)], runtime)
        assert (told.status, told.output) == (0, "{}\n".format(value))
        assert not told.complaints
        assert len(told.parents) == calls(n)
        assert shape(told) == recursion(n)
        events = told.events
        assert events["END_CREATE_TASK_DEL"] + events["END_CREATE_TASK_IMM"] == calls(n)
        assert events["BEGIN_EXEC_TASK"] == events["BEGIN_FINISH_TASK"] == calls(n)
        assert calls(n) - 2 <= events["END_FINISH_TASK"] <= calls(n)
        assert events["BEGIN_SUSPEND_TASK"] == events["END_SUSPEND_TASK"] == calls(n) // 2


@pytest.mark.parametrize("case", RUNTIMES, ids="/".join)
def test_samples(laboratory: Laboratory, case: Tuple[str, str]) -> None:
    """Signal handlers ask at any instant, in the midst of events as well."""
    runtime = laboratory.runtime(case[0])
    program = laboratory.program(PROGRAMS / "fib.c", case[1], runtime)
    told = laboratory.run([str(program), "20"], runtime, {"COLLECTOR_SAMPLE": "1"})
    assert (told.status, told.output, told.complaints) == (0, "6765\n", [])
    assert len(told.parents) == calls(20)
    assert told.samples > 10


@pytest.mark.parametrize(
    "extra", [{}, {"OMP_TOOL": "disabled"}, {"OMP_TOOL_LIBRARIES": "/none.so"}], ids=str
)
def test_nothing_to_start(laboratory: Laboratory, extra: Dict[str, str]) -> None:
    """START answers that nothing is supported if there is no runtime, or no place for a tool."""
    runtime = laboratory.runtime("libgomp")
    program = laboratory.program(oracle.PROGRAMS / "constructs.c", "gcc", runtime)
    command = [str(program), "parallel"] if extra else ["/bin/true"]
    told = laboratory.run(command, runtime, extra)
    assert told.status == 0
    assert told.complaints == ["START: error 3"]
    assert not any(told.events.values())


def test_exports() -> None:
    """The library defines nothing but the two functions."""
    if not oracle.COLLECTOR.exists():
        pytest.skip("there is no {}: run ./dev build".format(oracle.COLLECTOR))
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(oracle.COLLECTOR)],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    assert names == {"__omp_collector_api", "ompt_start_tool"}
