# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB offers where a command line goes on."""

from pathlib import Path

from harness import own_programs, processes

OFFERED = {
    "omp b": ["break", "bt"],
    "omp bt -": ["-all", "-full", "-json", "-no-tree", "-raw", "-tree"],
    "omp bt -all -r": ["-raw"],
    "omp threads -state wait_l": ["wait_lock"],
    "omp threads -team 1": ["1"],
    "omp break parallel-": ["parallel-begin", "parallel-end"],
    "omp break parallel-begin i": ["if", "in"],
    "omp break parallel-begin in others_wai": ["others_wait"],
    "omp break parallel-begin in plain i": ["if"],
    "omp break parallel-begin in plain if entere": ["entered"],
    "omp apply -sta": ["-state"],
    "omp apply -team 1 info threa": ["threads"],
    "set omp frame-filter in": ["indented"],
    "set omp record o": ["off", "on"],
    "set omp thread-names of": ["off"],
}


def test_offered(tmp_path: Path) -> None:
    program = own_programs.compiled(
        "constructs.c", tmp_path / "program", ("-O0", "-g", "-fopenmp")
    )
    commands = ["omp break parallel-begin", "run", *("complete " + line for line in OFFERED)]
    said = processes.run_gdb("session.py", {"commands": commands}, [str(program)]).result[2:]
    told = {
        line: [one[one.rindex(" ") + 1 :] for one in answer["text"].splitlines()]
        for line, answer in zip(OFFERED, said)
    }
    assert told == OFFERED
