# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which compilers made what has libgomp in it."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

import comparing
import pytest
from harness import setup

# For GDB.
sys.path[:0] = [str(comparing.ROOT / "python"), str(comparing.BUILD / "gdb-plugin")]

SOURCE = """
#include <unistd.h>
void GOMP_parallel(void) { pause(); }
int main(void) { GOMP_parallel(); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It has a function of libgomp's, and is made by GCC."""
    found = tmp_path_factory.mktemp("compilers") / "program"
    options = ["-x", "c", "-", "-o", str(found)]
    subprocess.run([setup.CC, *options], input=SOURCE.encode(), check=True)
    return found


def version_of_gcc() -> int:
    """Its major number, as it says itself."""
    said = subprocess.run([setup.CC, "-dumpversion"], capture_output=True, check=True).stdout
    return int(said.partition(b".")[0])


def told_of(program: Path) -> Optional[int]:
    """What libtarget says of a process that runs the program."""
    with subprocess.Popen([str(program)]) as process:
        try:
            command = [str(comparing.PRINTER), str(process.pid), "GOMP_parallel"]
            said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        finally:
            process.kill()
    found = re.search(rb"^  GCC (\d+)$", said, re.M)
    return None if found is None else int(found[1])


def test_of_a_process(program: Path) -> None:
    assert told_of(program) == version_of_gcc()


@pytest.mark.parametrize(
    "comments, expected",
    [
        (["GCC: (Debian 12.2.0-14) 12.2.0", "Debian clang version 19.1.7"], 12),
        (["GCC: (GNU) 9.5.0", "GCC: (GNU) 17.0.0 20261101 (experimental)"], 17),
        (["GCC: (GNU) 11.4.1 20230605 (Red Hat 11.4.1-2)"], 11),
        (["GCC: (crosstool-NG 1.26 (a)) 13.2.0"], 13),
        (["GCC: (GNU) 12.2.0", "GCC: of tomorrow"], None),
        (["Debian clang version 19.1.7", "Linker: LLD 19.1.7"], None),
        ([], None),
    ],
)
def test_what_compilers_leave(
    comments: List[str], expected: Optional[int], program: Path, tmp_path: Path
) -> None:
    from ompdbg.compilers import newest_gcc

    changed, section = tmp_path / "changed", tmp_path / "comment"
    section.write_bytes(b"\0".join(one.encode() for one in ["", *comments, ""]))
    command = ["objcopy", "--update-section", f".comment={section}", str(program), str(changed)]
    subprocess.run(command, check=True)
    assert newest_gcc(str(changed)) == told_of(changed) == expected


def test_what_is_no_program(program: Path, tmp_path: Path) -> None:
    """Also one that ends where its sections should begin, and a pipe that nobody writes to."""
    from ompdbg.compilers import newest_gcc

    whole, part, pipe = program.read_bytes(), tmp_path / "part", tmp_path / "pipe"
    os.mkfifo(pipe)
    assert newest_gcc(str(pipe)) is newest_gcc(str(tmp_path)) is newest_gcc("/none") is None
    for size in (0, 20, 64, len(whole) // 2, len(whole) - 40):
        part.write_bytes(whole[:size])
        assert newest_gcc(str(part)) in (None, version_of_gcc())
    part.write_bytes(whole[:40] + b"\xff" * 8 + whole[48:])  # where the sections begin
    assert newest_gcc(str(part)) is None
