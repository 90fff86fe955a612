# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What omp regions, omp why and JSON say of one region does not contradict itself, and threads have
GDB's numbers in all of it."""

import json
import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

from harness import own_programs, processes, setup


class Said(NamedTuple):
    regions: str
    why: str
    region: Dict[str, Any]
    findings: List[Dict[str, Any]]
    numbers: Dict[int, int]  # by number in the team


def say(kind: str, folder: Path, *more: str) -> Said:
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled("arrivals.c", folder / "arrivals", flags)
    commands = ["set width 100", "break arrivals_ready", "run " + kind, *more]
    commands += ["omp regions", "omp why"]
    commands += ["omp regions -json", "omp why -json", "omp threads -json"]
    done = processes.run_gdb("session.py", {"commands": commands}, [str(program)])
    regions, why, *documents = [one["text"] for one in done.result][3 + len(more) :]
    (region,) = json.loads(documents[0])["regions"]
    rows = json.loads(documents[2])["threads"]
    numbers = {row["thread_num"]: row["gdb"] for row in rows if row["level"]}
    return Said(regions, why, region, json.loads(documents[1])["findings"], numbers)


def listed(numbers: List[int]) -> str:
    """`2-3,5`"""
    told = ",".join(map(str, sorted(numbers)))
    return told.replace("2,3,4", "2-4").replace("3,4,5", "3-5").replace("4,5", "4-5")


def test_different_barriers(tmp_path: Path) -> None:
    said = say("barriers", tmp_path)
    assert "Threads of region 1 wait at different barriers" in said.why
    assert said.region["progress"]["several"] is True
    assert "4 of 4" not in said.regions
    odd = listed([said.numbers[1], said.numbers[3]])
    assert re.search(r"^ +2  end of region  .*  {}$".format(odd), said.regions, re.M), said.regions


def test_tasks_at_the_barrier(tmp_path: Path) -> None:
    """Who runs a task at the barrier has arrived there, in both."""
    said = say("tasks", tmp_path)
    assert "all 4 threads reached a barrier; tasks are still running" in said.why
    assert "barrier: all 4 have arrived, tasks are left" in said.regions
    progress = said.region["progress"]
    assert (progress["arrived"], progress["tasks_left"], progress["several"]) == (4, True, False)


def test_own_lock(tmp_path: Path) -> None:
    said = say("lock", tmp_path)
    number = said.numbers[2]
    waiting = "[Tt]hread {} waits for a? ?lock .*that it .*holds itself".format(number)
    assert re.search(waiting, said.why), said.why
    assert "held by thread {}\n".format(number) not in said.why
    held = "lock lock, held by itself" if setup.PRELOAD else "perhaps held by itself"
    assert held in said.why
    row = r"^ +1  lock lock +\S.*  {}$".format(number)
    assert re.search(row, said.regions, re.M), said.regions


def test_about_to_arrive(tmp_path: Path) -> None:
    """A thread in the function of the barrier need not have been counted: the count is the runtime's."""
    more = ("set scheduler-locking on", "break GOMP_barrier", "continue")
    said = say("late", tmp_path, *more)
    assert "barrier: 3 of 4 have arrived" in said.regions, said.regions
    assert "Region 1: 3 of 4 threads have reached a barrier" in said.why, said.why
    assert "none is missing" not in said.why, said.why
