# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of constructs without GDB: whatever is told of one, GDB tells the same."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import own_programs, processes  # noqa: E402

import build  # noqa: E402  (of the fixtures)

OMPDBG = ROOT / "build" / "ompdbg"
Variables = Dict[str, str]
_FRAME = re.compile(r"^#(\d+) +\S")
_NAMED = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.+?) (?:\(.*\) )?at (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r"^ {8}(\w+) = (.*)$")

# The tests' GDB prints all in one language.
_BRACES = str.maketrans("{}", "()")


def frames(text: str) -> List[Variables]:
    """The variables of each frame, without those of which no value is told."""
    found: List[Variables] = []
    for line in text.splitlines():
        variable = _VARIABLE.match(line)
        if _FRAME.match(line):
            found.append({})
        elif variable is not None and not variable.group(2).startswith("<"):
            assert variable.group(1) not in found[-1], "told twice: " + line
            found[-1][variable.group(1)] = variable.group(2).translate(_BRACES)
    return found


@pytest.mark.parametrize(
    "name, compiler, optimized, least",
    [
        ("variables.c", "gcc", "-O0", 37),
        ("variables.c", "clang", "-O0", 37),
        ("variables.c", "clang", "-O2", 8),
        ("variables.cpp", "gcc", "-O0", 15),
        ("variables.f90", "gcc", "-O0", 17),
        ("arrays.f90", "gcc", "-O0", 14),
        ("arrays.f90", "gcc", "-O2", 14),
    ],
)
def test_what_is_told_is_right(
    name: str, compiler: str, optimized: str, least: int, tmp_path: Path
) -> None:
    flags = (optimized, "-g", "-fopenmp")
    core = tmp_path / "core"
    try:
        program = own_programs.compiled(
            name, tmp_path / "variables", flags, compiler, ("variables_seen.c",)
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    # In the language of the program: GDB 13 crashes when it writes arrays of Fortran in C.
    commands = ["generate-core-file {}".format(core), "set language auto", "omp bt -full"]
    spec = {"stop": "inspect", "commands": commands}
    said = processes.run_gdb("session.py", spec, [str(program)]).result
    theirs = frames(said[-1]["text"])
    command = [str(OMPDBG), "bt", "--full", str(core)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    block = next(part for part in done.stdout.split("\n\n") if "#0  inspect" in part)
    ours = frames(block)
    # Each compiler has other frames of its own between them.
    assert _NAMED.findall(block) == _NAMED.findall(said[-1]["text"])
    assert len(ours) == len(theirs)
    compared = 0
    for mine, other in zip(ours, theirs):
        for variable, value in mine.items():
            assert variable in other
            if not other[variable].startswith(("@", "(<No")):  # a reference that the user declared
                assert (variable, value) == (variable, other[variable])
                compared += 1
    assert compared >= least
