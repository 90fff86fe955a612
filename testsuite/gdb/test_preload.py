# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libompd-locations.so: debuggers find libompd.so in programs on libgomp, which has nothing of OMPD;
the programs do not notice."""

import os
import subprocess
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

from harness import processes, setup

PRELOAD = setup.LIBRARY.with_name("libompd-locations.so")
TEAMS = """
#include <omp.h>
#include <stdio.h>
int main(void)
{
        int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
        sum += omp_get_thread_num();
        printf("%d %s\\n", sum, __func__);
        return 3;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("preload") / "teams.c"
    source.write_text(TEAMS, encoding="utf-8")
    output = source.with_suffix("")
    subprocess.run([setup.CC, "-g", "-fopenmp", str(source), "-o", str(output)], check=True)
    return output


def gdb(program: Path, *commands: str) -> List[str]:
    """What GDB without ompdbg says."""
    words = [setup.GDB, "-nx", "-q", "-batch", "-ex", "set breakpoint pending on"]
    words += ["-ex", "set environment LD_PRELOAD {}".format(PRELOAD)]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=processes.GDB_SECONDS,
        universal_newlines=True,
        check=False,
    )
    return done.stdout.splitlines()


def test_debuggers_find_the_library(program: Path) -> None:
    said = gdb(
        program,
        "break ompd_dll_locations_valid",
        "run",
        'printf "%s\\n", (*(char ***)&ompd_dll_locations)[0]',
        'printf "%p\\n", (*(char ***)&ompd_dll_locations)[1]',
        "info symbol omp_debug_enable",
        "continue",
    )
    assert str(setup.LIBRARY.resolve()) in [os.path.realpath(line) for line in said]
    assert "(nil)" in said
    assert any(line.startswith("omp_debug_enable in section .text of ") for line in said)
    assert "6 main" in said
    assert any("exited with code 03" in line for line in said)


def test_our_plug_in_does_not_take_it_for_another_library(tmp_path: Path) -> None:
    source = tmp_path / "plain.c"
    source.write_text("int main(void) { return 0; }", encoding="utf-8")
    subprocess.run([setup.CC, str(source), "-o", str(tmp_path / "plain")], check=True)
    loader = "source {}".format(setup.LOADER)
    said = gdb(tmp_path / "plain", loader, "break main", "run", "omp threads")
    assert "omp threads: no libgomp, libomp or libiomp5 in the program." in said


def test_the_program_does_not_notice(program: Path) -> None:
    found = []
    environments: Tuple[Dict[str, str], ...] = ({}, {"LD_PRELOAD": str(PRELOAD)})
    for changes in environments:
        done = subprocess.run(
            [str(program)],
            env=processes.environment(changes),
            stdout=subprocess.PIPE,
            timeout=processes.READY_SECONDS,
            check=False,
        )
        found.append((done.returncode, done.stdout))
    assert found[0] == found[1] == (3, b"6 main\n")


def test_what_it_offers_is_all_that_it_has() -> None:
    done = subprocess.run(
        ["nm", "-D", "--defined-only", str(PRELOAD)], stdout=subprocess.PIPE, check=True
    )
    names = {line.split()[-1] for line in done.stdout.decode().splitlines()}
    assert names == {"ompd_dll_locations", "ompd_dll_locations_valid", "omp_debug_enable"}
