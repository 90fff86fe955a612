# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a thread goes on when the runtime, a construct or a function is over: stepping depends on it.
What is right, the lines of the program tell."""

from typing import Any, Dict, Optional, Tuple

import pytest

from harness import own_programs, processes

import build  # from fixtures/

# Lines of ways.c that thread 0 passes: out of the function there, what it comes to.
OUT = {
    "parent-call": "runtime",
    "before-task": "construct",
    "in-task": "end of task",
}


def line(mark: str) -> int:
    text = own_programs.source("ways.c").read_text(encoding="utf-8")
    (found,) = [n for n, one in enumerate(text.splitlines(), 1) if one.endswith("LINE: " + mark)]
    return found


@pytest.fixture(scope="module", params=("gcc", "clang"))
def said(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """Return what is known of the program's threads."""
    program = tmp_path_factory.mktemp("ways") / "ways"
    try:
        own_programs.compiled("ways.c", program, ("-O0", "-g", "-fopenmp"), request.param)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task = {"lines": [line(mark) for mark in OUT]}
    found: Dict[str, Any] = processes.run_gdb("ways.py", task, [str(program)]).result
    return found


def place(way: Optional[Dict[str, Any]]) -> Tuple[int, str, int]:
    """Return the thread, function and line of a way."""
    assert way is not None and way["is_at_frame"]
    return way["number"], way["function"], way["line"]


def ways_of(said: Dict[str, Any], thread_num: int, with_ready: bool) -> Tuple[int, Any]:
    """Return the number and ways of a thread of one of both inner teams, that of the ready thread or
    the other."""
    (ready,) = [row for row in said["rows"] if row["gdb"] == said["ready"]]
    (row,) = [
        row
        for row in said["rows"]
        if row["thread_num"] == thread_num and (row["team"] == ready["team"]) == with_ready
    ]
    return row["gdb"], said["ways"][str(row["gdb"])]


def test_thread_in_a_task(said: Dict[str, Any]) -> None:
    number, ways = ways_of(said, 0, True)
    assert number == said["ready"] and ways["in_users_code"]
    assert place(ways["back"])[:2] == (number, "fixture_ready")
    assert ways["after_region"] is None
    assert place(ways["after_innermost"]) == (number, "inner", line("inner-region"))
    assert (ways["title"], ways["is_task"], ways["is_own"]) == ("task of parent", True, False)
    # The runtime's code, which has no lines.
    assert ways["after"]["number"] == number and ways["after"]["line"] == 0
    assert place(ways["to_parent"]) == (number, "parent", line("taskwait"))


def test_primary_thread_of_an_inner_region(said: Dict[str, Any]) -> None:
    number, ways = ways_of(said, 0, False)
    assert ways["in_users_code"] and ways["back"]["number"] == number
    thread, function, at = place(ways["after_region"])
    assert (thread, function) == (said["ready"], "outer")
    assert at in (line("outer-region") - 1, line("outer-region"))
    inner = (number, "inner", line("inner-region"))
    assert place(ways["after_innermost"]) == place(ways["after"]) == inner
    assert (ways["title"], ways["is_task"]) == ("parallel region of inner", False)
    assert ways["to_parent"] is None


@pytest.mark.parametrize("with_ready", (True, False))
def test_thread_at_a_barrier(said: Dict[str, Any], with_ready: bool) -> None:
    number, ways = ways_of(said, 1, with_ready)
    primary, _ = ways_of(said, 0, with_ready)
    assert not ways["in_users_code"]
    assert (ways["back"]["number"], ways["back"]["line"]) == (number, line("inner-barrier"))
    inner = (primary, "inner", line("inner-region"))
    for name in ("after_region", "after_innermost", "after"):
        assert place(ways[name]) == inner, name
    assert (ways["title"], ways["is_task"]) == ("parallel region of inner", False)


def test_out_of_functions(said: Dict[str, Any]) -> None:
    passed = dict(zip(OUT, said["passed"]))
    assert {mark: ways["out_to"] for mark, ways in passed.items()} == OUT
    # A construct's code is in the function that calls: at the line of the call.
    assert passed["before-task"]["out"]["line"] == line("parent-call")
    for mark in ("parent-call", "in-task"):
        assert passed[mark]["out"]["line"] == 0  # the runtime's
