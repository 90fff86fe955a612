# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variable of a loop has the value of the iteration, or none: Clang's debug information at -O0 has
another variable by its name."""

import re
from pathlib import Path
from typing import Any, List

import build  # from fixtures/
import pytest
from harness import own_programs, processes, rest

SOURCE = Path(__file__).resolve().parent / "programs" / "loop_shapes.c"
SHAPES = {
    "of_bound": None,
    "of_constant": "5",
    "from_start": None,
    "dynamic": None,
    "collapsed": None,
    "last": None,
    "in_region": None,
    "in_taskloop": None,
    "simd": None,
}
UNAVAILABLE = "<unavailable>"


def compiled(family: str, folder: Path) -> str:
    try:
        flags = ("-O0", "-g", "-fopenmp")
        return str(own_programs.compiled(str(SOURCE), folder / "program", flags, family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def shown(text: str) -> List[str]:
    """What is said of the innermost `row` in the code that called visit()."""
    caller = re.search(
        r"^#\d+ +(?!.*\bvisit \().*\n(?:^ .*\n)*", text[text.index("visit (") :], re.M
    )
    assert caller, text
    return re.findall(r"^ +row = \"?([^\s\"]+)", caller[0], re.M)[:1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_values(ompdbg: Any, family: str, shape: str, tmp_path: Path) -> None:
    program, number = compiled(family, tmp_path), str(list(SHAPES).index(shape))
    with rest.hanging([program, number], 2, tmp_path) as process:
        text = ompdbg.run("bt", "--full", "--no-tree", process.pid).stdout
        commands = ["attach {}".format(process.pid), "thread apply all -q bt -full"]
        done = processes.run_gdb("session.py", {"commands": commands}, [program])
    right = ["5"] if family == "gcc" else [SHAPES[shape] or UNAVAILABLE]
    assert shown(text) in (right, ["5"]), text
    assert shown(done.result[1]["text"]) in (right, ["5"]), done.result[1]["text"]
