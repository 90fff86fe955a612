# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread whose code jumped to a function of the system, or called one of the runtime that does
not wait, works in its region."""

import json
import re
from pathlib import Path

import pytest

from harness import own_programs, processes, snapshots

import build  # from fixtures/


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3", "-fno-plt"]])
def test_system_function_called_last(flags: "list[str]", tmp_path: Path) -> None:
    program = own_programs.compiled("tail.c", tmp_path / "tail", [*flags, "-g", "-fopenmp"])
    core = tmp_path / "core"
    found = processes.run_gdb("names.py", {"core": str(core)}, [str(program)]).result
    again = processes.run_gdb("names.py", {}, [str(program), str(core)]).result
    for document in (found, again):
        rows = document["threads"]["threads"]
        assert [(row["thread_num"], row["state"]) for row in rows] == [
            (number, "work_parallel") for number in range(3)
        ]
        waits = [row["wait"] and (row["wait"]["kind"], row["wait"]["symbol"]) for row in rows]
        assert waits == [None, ("pthread_mutex", "gate"), ("pthread_mutex", "gate")]


def test_own_function_called_last(tmp_path: Path) -> None:
    """It is not taken for the code of the construct that jumped to it."""
    program = own_programs.compiled("tail_own.c", tmp_path / "tail")
    commands = ["omp bt", "bt", "continue", "omp bt"]
    said = processes.run_gdb(
        "session.py", {"stop": "stop_here", "commands": commands}, [str(program)]
    )
    in_task, filtered, _, in_region = [one["text"] for one in said.result]
    for text, function in ((in_task, "of_task"), (filtered, "of_task"), (in_region, "of_region")):
        assert re.search(r"^#1 .*\b{} \(n=".format(function), text, re.M), text
        assert " of of_" not in text
    assert "parallel region of main" in in_task


def test_frame_that_a_jump_has_removed(tmp_path: Path) -> None:
    """It is shown, as debug information tells of it, and so is that it is no frame."""
    program = own_programs.compiled("tail_chain.c", tmp_path / "tail", ["-O2", "-g", "-fopenmp"])
    core = tmp_path / "core"
    commands = ["omp bt", "omp bt -json", "gcore {}".format(core)]
    spec = {"stop": "innermost", "commands": commands}
    said = processes.run_gdb("session.py", spec, [str(program)])
    text, document = said.result[0]["text"], json.loads(said.result[1]["text"])["stacks"]
    assert snapshots.say_json("bt", core)["stacks"][0]["parts"] == document[0]["parts"]
    for shown in (text, snapshots.say("bt", core)):
        ends = [line.endswith(" (tail call)") for line in shown.splitlines() if line[0] == "#"]
        assert ends == [False, True, False, False, False]
    frames = [frame for part in document[0]["parts"] for frame in part["frames"]]
    assert [one["function"] for one in frames if one["tail_call"]] == ["jumps"]


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_routines_that_do_not_wait(family: str, tmp_path: Path) -> None:
    """At each of their instructions, where a routine jumped to another function, too."""
    try:
        program = own_programs.compiled("routines.c", tmp_path / "routines", family=family)
    except build.Skipped as why:
        pytest.skip(str(why))
    spec = {"function": "asks"}
    said = processes.run_gdb("stepped_states.py", spec, [str(program)], {"LD_BIND_NOW": "1"})
    serial, parallel = said.result
    for found, state in ((serial, "work_serial"), (parallel, "work_parallel")):
        assert len(found) > 50
        assert [step for step in found if step[1] != state] == []
