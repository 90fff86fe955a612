# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What frames know an address by: a variable, a member, an element."""

import re
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Sequence

import comparing
import pytest
from harness import processes

PROGRAMS = Path(__file__).resolve().parent / "programs"
PRINTER = comparing.PRINTER

# By the argument of the program: the name in each function that has one, without optimization.
CXX: List[Dict[str, str]] = [
    {"variable": "mine"},
    {"array": "locks[3]"},
    {"pointer": "held", "main": "heap[4]"},
    {"index": "locks[7]", "main": "heap[7]"},
    {"main": "heap[6]"},  # the pointer alone does not tell how far it reaches
    {"vertex::smooth": "this->lock_", "reference": "v.lock_", "main": "v.lock_"},
    {"guard": "guard._M_device"},
    {"elements": "cells[2].own"},
    {"member_elements": "m->cells[1].own"},
    {"member_array": "m->pair[1]"},
    {"member_pointer": "c.other", "main": "heap[5]"},
    {"lengths": "locks[3]"},
]
FORTRAN: List[Dict[str, str]] = [
    {"holding::described": "locks(4)", "holders": "locks(4)"},
    {"holders": "locks(3)"},  # not named where elements lie far from one another
    {"holding::fixed": "locks(1,2)", "holders": "some(1,2)"},
    {"holding::member": "one%lock", "holders": "one%lock"},
]
STOPPERS = ("stop", "holding::stop_at")

pytestmark = pytest.mark.skipif(
    bool(processes.kernel_core_problem()), reason=processes.kernel_core_problem() or "none"
)


def built(command: Sequence[str], suffix: str, folder: Path) -> Path:
    """Build the program of these tests in a language."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    program = folder / "holders"
    place = ["-J", str(folder)] if suffix == ".f90" else []
    source = str(PROGRAMS / f"holders{suffix}")
    subprocess.run([*command, "-g", *place, source, "-o", str(program)], check=True)
    return program


def names(program: Path, case: int, folder: Path) -> Dict[str, str]:
    """Return the names that functions of the program have for the address that it prints."""

    def allow_core() -> None:
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    folder.mkdir()
    done = subprocess.run(
        [str(program), str(case)],
        cwd=str(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=allow_core,
    )
    (core,) = folder.glob("core*")
    address = int(done.stdout.split()[0], 16)
    command = [str(PRINTER), str(core), f"--address={address:#x}"]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    core.unlink()
    found: Dict[str, str] = {}
    function = ""
    for line in said.splitlines():
        place = re.match(r"  place (.*?) \|", line)
        name = re.match(r"  name (.*)", line)
        if place is not None:
            function = place[1]
        if name is not None and function not in STOPPERS:
            found[function] = name[1]
    return found


@pytest.mark.parametrize(
    "command, suffix, wanted",
    [
        (("g++", "-O0"), ".cpp", CXX),
        (("clang++", "-O0"), ".cpp", CXX),
        (("gfortran", "-O0"), ".f90", FORTRAN),
    ],
)
def test_names(
    command: Sequence[str], suffix: str, wanted: List[Dict[str, str]], tmp_path: Path
) -> None:
    program = built(command, suffix, tmp_path)
    found = [names(program, case, tmp_path / str(case)) for case in range(len(wanted))]
    assert found == wanted


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_optimized(compiler: str, tmp_path: Path) -> None:
    """Some are named, none wrong."""
    program = built((compiler, "-O2"), ".cpp", tmp_path)
    named = 0
    for case, known in enumerate(CXX):
        for function, name in names(program, case, tmp_path / str(case)).items():
            assert name == known.get(function)
            named += 1
    assert named >= (8 if compiler == "g++" else 1)
