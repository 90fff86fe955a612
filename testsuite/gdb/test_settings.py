# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings of GDB for stacks hold for omp bt, too."""

import subprocess
from pathlib import Path

from harness import processes

PROGRAM = """
struct pair { int first, second; };
static long total;
static void __attribute__((noinline)) inner(pair one, const pair &other, int number, int *place)
{
#pragma omp atomic
    total += one.first + other.second + number + *place;
}
int main()
{
    pair one = {1, 2};
    int here = 3;
#pragma omp parallel num_threads(2)
    inner(one, one, 4, &here);
    return total != 20;
}
"""
SETTINGS = ("scalars", "all", "none", "presence")


def test_arguments_and_addresses(tmp_path: Path) -> None:
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM, encoding="utf-8")
    flags = ["-O0", "-g", "-fopenmp"]
    subprocess.run(["g++", *flags, str(source), "-o", str(program)], check=True)
    commands = ["set width 0", "break inner if $_omp_thread_num() == 0", "run", "omp bt -raw"]
    for setting in SETTINGS:
        commands += ["set print frame-arguments " + setting, "bt 1", "omp bt 1"]
    commands += ["set print frame-arguments presence", "set print address off", "omp bt -raw"]
    said = processes.run_gdb("session.py", {"commands": commands}, [str(program)]).result
    told = [one["text"].splitlines() for one in said]
    for number, setting in enumerate(SETTINGS):
        by_gdb, by_us = told[5 + 3 * number][0], told[6 + 3 * number][1]
        assert by_us == by_gdb.replace(str(source), source.name), setting
    assert "first = 1" in told[9][1] and "inner (...)" in told[15][1]
    assert any(" in GOMP_parallel " in line for line in told[3])
    assert "0x" not in "\n".join(told[-1]) and any("  GOMP_parallel " in one for one in told[-1])
