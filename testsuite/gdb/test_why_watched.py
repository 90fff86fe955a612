# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `omp why` says of a program that runs well, at whatever moment it is stopped, is what its
threads have marked themselves."""

import re
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes

STOPS = 20
# As in the program.
(
    WORKS,
    AT_BARRIER,
    WANTS_LOCK,
    HAS_LOCK,
    WANTS_CRITICAL,
    HAS_CRITICAL,
    AT_TASKWAIT,
    IN_TASK,
) = range(8)
# What a thread has marked that is said to wait for a lock, and one that is said to hold it: the
# mark comes before and after the call.
_WAITS_FOR = {
    "lock": (WANTS_LOCK,),
    "critical": (WANTS_CRITICAL,),
    "lock or critical": (WANTS_LOCK, WANTS_CRITICAL),
}
_HOLDS = {
    "lock": (WANTS_LOCK, HAS_LOCK),
    "critical": (WANTS_CRITICAL, HAS_CRITICAL),
    "lock or critical": (WANTS_LOCK, HAS_LOCK, WANTS_CRITICAL, HAS_CRITICAL),
}
_LOCK = re.compile(
    r"Threads? [\d, -]+ waits? for (?:a )?(lock or critical|lock|critical)(?: ([^\s,]+))?"
)

WANTS = (WANTS_LOCK, WANTS_CRITICAL)
IN_CALLS = (AT_BARRIER, AT_TASKWAIT, IN_TASK)

_Marks = Dict[int, Dict[str, Any]]


def of_barrier(finding: Dict[str, Any], marks: _Marks) -> None:
    """Who is said to be at a barrier is; who has not come has not left it either."""
    assert {marks[one]["what"] for one in finding["waiters"]} == {AT_BARRIER}
    left = max(marks[one]["barriers"] for one in finding["waiters"])
    total = re.search(
        r"(\d+) of (\d+) threads? ha(?:s|ve) reached .*, (\d+) ha(?:s|ve) not(?:, (\d+) runs? )?",
        finding["text"],
    )
    if total is not None:
        come, of, missing, at_tasks = (int(number or 0) for number in total.groups())
        assert (of, come + missing + at_tasks) == (len(marks), len(marks))
        for one in finding["waits_for"]:
            assert marks[one]["barriers"] <= left


def of_lock(finding: Dict[str, Any], marks: _Marks) -> None:
    """The waiters want that lock, and the owner has it. Which one it is, is not always known."""
    told = _LOCK.match(finding["text"])
    assert told is not None
    kind = told[1].lower()
    index = re.search(r"\[(\d+)\]", told[2] or "")
    waiters, owners = finding["waiters"], finding["waits_for"]
    assert all(marks[one]["what"] in _WAITS_FOR[kind] for one in waiters)
    assert all(marks[one]["what"] in _HOLDS[kind] for one in owners)
    if index is not None:
        assert {marks[one]["which"] for one in (*waiters, *owners)} == {int(index[1])}


def of_task(finding: Dict[str, Any], marks: _Marks) -> None:
    """The task is of one that waits, and is run by whoever is said to run it."""
    creators = {marks[one]["number"] for one in finding["waiters"]}
    for one in finding["waits_for"]:
        assert marks[one]["what"] in IN_CALLS  # where it takes tasks
        assert marks[one]["what"] != IN_TASK or marks[one]["which"] in creators
    of_unknown(finding, marks)


def of_unknown(finding: Dict[str, Any], marks: _Marks) -> None:
    """They are where threads wait."""
    assert {marks[one]["what"] for one in finding["waiters"]} <= {*IN_CALLS, *WANTS}
    if "none is missing" in finding["text"]:
        assert {mark["what"] for mark in marks.values()} == {AT_BARRIER}


RULES = {"barrier": of_barrier, "lock": of_lock, "task": of_task, "unknown": of_unknown}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_what_is_said_is_so(compiler: str, tmp_path: Path) -> None:
    try:
        flags = ("-O2", "-g", "-fopenmp")
        program = own_programs.compiled("watched.c", tmp_path / "watched", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    stops: List[Any] = processes.run_gdb("watched.py", {"stops": STOPS}, [str(program)]).result
    assert len(stops) == STOPS
    for stop in stops:
        marks = {int(number): mark for number, mark in stop["marks"].items()}
        assert len(marks) == 4
        for finding in stop["findings"]:
            try:
                RULES[finding["rule"]](finding, marks)
            except AssertionError as error:
                raise AssertionError("{}\n{}".format(marks, stop["text"])) from error
