# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constructs whose directives are in another file than the function that includes it."""

import re
from pathlib import Path

import build  # from fixtures/
import pytest

from harness import own_programs, processes


@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_included_directives(compiler: str, optimized: str, tmp_path: Path) -> None:
    flags = (optimized, "-g", "-fopenmp")
    try:
        program = own_programs.compiled("included.cpp", tmp_path / "included", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    look = ["omp bt", "bt", "omp tasks"]
    said = processes.run_gdb(
        "session.py", {"commands": [*look, "continue", *look], "stop": "inspect"}, [str(program)]
    ).result
    region, region_in_gdb, _, _, task, task_in_gdb, tasks = (one["text"] for one in said)
    assert re.search(
        r"^#1  parallel region of serve at \S+:\d+, (?:at|line) ", region, re.M
    ), region
    assert re.search(r"^#1  .*in parallel region of serve \(\) at ", region_in_gdb, re.M)
    assert re.search(r"^#1  task of serve at \S+:\d+, ", task, re.M), task
    assert re.search(r"^#1  .*in task of serve \(\) at ", task_in_gdb, re.M), task_in_gdb
    assert re.search(r"#1 task of serve at \S+:\d+, running", tasks), tasks
    for text in (region, region_in_gdb, task, task_in_gdb, tasks):
        assert not re.search(r"omp_outlined|omp_task_entry| of 0x", text), text
