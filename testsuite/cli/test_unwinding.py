# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks through code that has no call frame information."""

import re
from pathlib import Path
from typing import Any, List

import pytest
from harness import own_programs, processes

SOURCE = Path(__file__).resolve().parent / "programs" / "ruleless.c"
FLAGS = ("-O0", "-g", "-fopenmp")
REGION, CALLER = r"parallel region of work at .*", r"main \(.*"


@pytest.mark.parametrize(
    "how, functions",
    [("kept", [r"with_frame \(\)", REGION]), ("other", [r"with_other_things \(\)"])],
)
def test_frame_register(ompdbg: Any, tmp_path: Path, how: str, functions: List[str]) -> None:
    """It leads on where a call is before the address that it leads to, and nowhere else."""
    program = own_programs.compiled(str(SOURCE), tmp_path / "ruleless", FLAGS)
    with processes.ready_program(program, [how]) as pid:
        stacks = ompdbg.run("bt", pid, "--thread=1").stdout
    frames = re.findall(r"^#\d+ +(.*)$", stacks, re.M)
    assert len(frames) >= len(functions), stacks
    for frame, function in zip(frames, functions):
        assert re.match(function, frame), stacks
    goes_on = any(re.match(CALLER, frame) for frame in frames)
    assert goes_on == (how == "kept"), stacks
    assert len(frames) == 1 or goes_on, stacks
