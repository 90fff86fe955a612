# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of structures as GDB tells it from debug information, against the compiler's own."""

import subprocess
from pathlib import Path

from harness import processes, setup

FILE_NAME = "libtypes.so.1"

# As LLVM's runtime is written: C++, structures known by typedefs, unions around them, bit fields.
LIBRARY = """
#include <stddef.h>
#include <string.h>
typedef unsigned long long word;
typedef struct part { int first; unsigned one : 1; unsigned two : 3; } part_t;
typedef union thread thread_t;
struct thread_base { word number; struct { char c; thread_t *next; }; part_t part; };
typedef struct thread_base thread_base_t;
union thread { double align; char pad[128]; thread_base_t th; };
thread_t a_thread;
static word mask() {
    part_t part; word ret; memset(&part, 0, sizeof(part));
    part.two = 7; memcpy(&ret, &part, sizeof(ret)); return ret;
}
word expected[] = {
    sizeof(thread_t), offsetof(thread_t, th), sizeof(thread_base_t),
    offsetof(thread_base_t, next), sizeof(thread_t *), offsetof(thread_base_t, part), mask(),
};
"""
NAMES = [
    "sizeof__thread_t",
    "access__thread_t__th",
    "sizeof__thread_base_t",
    "access__thread_base_t__next",
    "sizeof__thread_base_t__next",
    "access__thread_base_t__part",
    "bitfield__part_t__two",
]
UNKNOWN = ["access__part_t__two", "bitfield__part_t__first", "access__part_t__three", "sizeof__x"]

# It has a type of its own by the same name, and a variable that tells something.
PROGRAM = """
typedef struct { char all; } thread_t;
thread_t mine;
void GOMP_parallel(void) {}
unsigned long long ompd_access__thread_t__all = 42;
int main(void) { return mine.all; }
"""


def build(folder: Path) -> Path:
    """The program, linked to the library."""
    (folder / "types.cc").write_text(LIBRARY, encoding="ascii")
    (folder / "main.c").write_text(PROGRAM, encoding="ascii")
    library, program = folder / FILE_NAME, folder / "program"
    flags = [setup.CC, "-g", "-fno-exceptions", "-fno-rtti"]
    options = ["-shared", "-fPIC", "-Wl,-soname," + FILE_NAME]
    subprocess.run([*flags, *options, "types.cc", "-o", str(library)], cwd=folder, check=True)
    options = ["-Wl,--no-as-needed", "-Wl,-rpath," + str(folder)]
    options += [str(library), "-o", str(program)]
    subprocess.run([setup.CC, "-g", "main.c", *options], cwd=folder, check=True)
    return program


def test_layout_of_a_library(tmp_path: Path) -> None:
    """Of its own types it tells what the compiler made of them, and of nothing else."""
    program = build(tmp_path)
    only = ["ompd_debug_info__" + name for name in NAMES + UNKNOWN]
    task = {"names": only, "file_name": FILE_NAME, "expected": "expected"}
    found = processes.run_gdb("debug_info.py", task, [str(program)]).result
    assert found["library"] == found["expected"] + [None] * len(UNKNOWN)


def test_variables_come_first(tmp_path: Path) -> None:
    """A variable that a program has counts, but for a library it must be the library's."""
    program = build(tmp_path)
    names = ["ompd_access__thread_t__all", "ompd_access__thread_base_t__next"]
    names += ["ompd_debug_info__access__thread_t__all", "ompd_newest_gcc"]
    task = {"names": names, "file_name": FILE_NAME, "expected": "expected"}
    found = processes.run_gdb("debug_info.py", task, [str(program)]).result
    version = subprocess.run([setup.CC, "-dumpversion"], capture_output=True, check=True).stdout
    assert found["library"] == [None, None, None, None]
    assert found["all"][:2] == [42, found["expected"][3]]
    assert found["all"][3] == int(version.partition(b".")[0])
