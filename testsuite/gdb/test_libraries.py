# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD libraries that a program names in its memory: a hostile process shall not have its own code
loaded into the debugger."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import processes

PROGRAM = """
#include <stdlib.h>
const char *names[] = {"NAMED", 0};
const char **ompd_dll_locations = names;
void stop_here(void) { __asm__ volatile("" ::: "memory"); }
int main(void) { stop_here(); abort(); }
"""
LIBRARY = "int anything;"


def compiled(text: str, output: Path, *flags: str) -> Path:
    source = output.with_suffix(".c")
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-g", *flags, str(source), "-o", str(output)], check=True)
    return output


@pytest.fixture
def named(tmp_path: Path) -> Path:
    return compiled(LIBRARY, tmp_path / "libhostile.so", "-shared", "-fPIC")


def ask(named: Path, **more: Any) -> Any:
    program = compiled(PROGRAM.replace("NAMED", str(named)), named.parent / "program")
    spec = dict(more, named=str(named))
    return processes.run_gdb("locations.py", spec, [str(program)]).result


def test_not_loaded_from_outside_of_the_safe_path(named: Path) -> None:
    said = ask(named)
    assert said["loaded"] == []
    assert 'it is not in the "auto-load safe-path"' in said["error"]
    assert "set omp library {}".format(named) in said["error"]


def test_not_loaded_from_where_others_may_write(named: Path) -> None:
    """Not even if the safe path is everything."""
    os.chmod(str(named.parent), 0o777)
    said = ask(named, safe="/")
    assert said["loaded"] == []
    assert "others may write to " in said["error"]


def test_not_loaded_from_a_core_file(named: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    program = compiled(PROGRAM.replace("NAMED", str(named)), named.parent / "program")
    core = processes.kernel_core(program, [], named.parent)
    os.chmod(str(named.parent), 0o777)
    spec = {"named": str(named), "core": str(core), "safe": "/"}
    said = processes.run_gdb("locations.py", spec, [str(program), str(core)]).result
    assert said["loaded"] == []
    assert "others may write to " in said["error"]


def test_loaded_if_the_user_names_it(named: Path) -> None:
    said = ask(named, library=str(named))
    assert "no OMPD library: ompd_initialize is missing" in said["error"]
