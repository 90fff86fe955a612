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
# What is asked, of a structure, and of which of its fields.
KNOWN = [
    ("size", "thread_t", None),
    ("offset", "thread_t", "th"),
    ("size", "thread_base_t", None),
    ("offset", "thread_base_t", "next"),
    ("size", "thread_base_t", "next"),
    ("offset", "thread_base_t", "part"),
    ("mask", "part_t", "two"),
]
UNKNOWN = [
    ("offset", "part_t", "two"),
    ("mask", "part_t", "first"),
    ("offset", "part_t", "three"),
    ("size", "x", None),
]

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
    task = {"questions": KNOWN + UNKNOWN, "file_name": FILE_NAME, "expected": "expected"}
    found = processes.run_gdb("debug_info.py", task, [str(build(tmp_path))]).result
    assert found["layout"] == found["expected"] + [None] * len(UNKNOWN)


def test_variables_of_a_library(tmp_path: Path) -> None:
    """For a library a variable that tells a layout must be the library's."""
    task = {"questions": [], "file_name": FILE_NAME, "expected": "expected"}
    task["variable"] = "ompd_access__thread_t__all"
    found = processes.run_gdb("debug_info.py", task, [str(build(tmp_path))]).result
    assert found["variable"] == [42, None]
