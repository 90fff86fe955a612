# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread whose code jumped to a function of the system works in its region."""

from pathlib import Path

import pytest

from harness import own_programs, processes


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3", "-fno-plt"]])
def test_system_function_called_last(flags: "list[str]", tmp_path: Path) -> None:
    program = own_programs.compiled("tail.c", tmp_path / "tail", [*flags, "-g", "-fopenmp"])
    core = tmp_path / "core"
    found = processes.run_gdb("names.py", {"core": str(core)}, [str(program)]).result
    again = processes.run_gdb("names.py", {}, [str(program), str(core)]).result
    for document in (found, again):
        rows = document["threads"]["threads"]
        assert [(row["thread_num"], row["state"], row["wait"]) for row in rows] == [
            (number, "work_parallel", None) for number in range(3)
        ]
