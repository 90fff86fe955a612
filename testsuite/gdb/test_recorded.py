# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that record what they do are shown as if they did not. Tests of the other files run here
once more with programs into which the recorder's libraries are preloaded; all of them do with
OMPDBG_TEST_PRELOAD. And `set omp record`."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

from harness import processes, setup

BUILD = setup.LOADER.parent
LIBRARIES = [
    BUILD / "ompt" / "gomp" / "libompt-gomp.so",
    BUILD / "ompt" / "recorder" / "libompdbg-recorder.so",
]
PRELOAD = ":".join(map(str, LIBRARIES))
ASAN = "verify_asan_link_order=0"

# What the library in between might change: stacks, also those with calls that ended by jumps, waits
# and owners by the calls of the runtime, code of tasks, steps and breakpoints at the runtime's calls.
CHOSEN = [
    "test_bt.py::test_stacks_are_as_written_down[fortran-O2-process]",
    "test_bt.py::test_stacks_are_as_written_down[fortran-O2-live]",
    "test_bt.py::test_stacks_are_as_written_down[hung-O2-process]",
    "test_threads.py::test_threads_are_as_the_header_says[waits-locks-O2-process]",
    "test_threads.py::test_threads_are_as_the_header_says[waits-tasks-O2-process]",
    "test_tasks.py::test_tasks_are_as_the_header_says[tasks-depend-O2-process]",
    "test_why.py::test_cause_of_a_hang[lock_ring-O2-process]",
    "test_why.py::test_cause_of_a_hang[criticals-O0-process]",
    "test_why.py::test_cause_of_a_hang[loop_stays-O0-process]",
    "test_step_constructs.py::test_through_constructs[c-gcc--O2-4]",
    "test_break.py::test_each_event[gcc--O2-4]",
    "test_frame_filter.py::test_bt_shows_the_users_frames[fortran-O2]",
]


def test_tests_of_programs_that_record() -> None:
    ids = ["{}/testsuite/gdb/{}".format(setup.ROOT, one) for one in CHOSEN]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    changes = {"OMPDBG_TEST_PRELOAD": PRELOAD}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [*command, *ids],
        env={**kept, **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"^{} passed\b".format(len(CHOSEN)), done.stdout, re.M), done.stdout


def say(commands: List[str], *more: str) -> List[Dict[str, Any]]:
    said: List[Dict[str, Any]] = processes.run_gdb(
        "session.py", {"commands": commands}, [str(setup.program("hung", "O2")), *more]
    ).result
    return said


def test_setting() -> None:
    show = ["show omp record", "show environment LD_PRELOAD", "show environment ASAN_OPTIONS"]
    commands = ["unset environment LD_PRELOAD", "unset environment ASAN_OPTIONS", *show]
    commands += ["set omp record on", *show, "set omp record on", *show]
    commands += ["set omp record off", *show, "set environment LD_PRELOAD /lib/mine.so"]
    commands += ["set omp record on", *show, "set omp record off", *show]
    said = [one["text"] for one in say(commands)]
    state = "Recording of OpenMP programs that this inferior runs is {}.\n".format
    unset = 'Environment variable "{}" not defined.\n'.format
    off = [state("off"), unset("LD_PRELOAD"), unset("ASAN_OPTIONS")]
    on = [state("on"), f"LD_PRELOAD = {PRELOAD}\n", f"ASAN_OPTIONS = {ASAN}\n"]
    mine = "LD_PRELOAD = /lib/mine.so\n"
    both = f"LD_PRELOAD = {PRELOAD}:/lib/mine.so\n"
    assert said[2:5] == off
    assert said[6:9] == said[10:13] == on
    assert said[14:17] == off
    assert said[19:22] == [on[0], both, on[2]]
    assert said[23:26] == [off[0], mine, off[2]]


@pytest.mark.parametrize("is_wanted", [False, True])
def test_program_that_is_run_records(is_wanted: bool) -> None:
    commands = ["set omp record on"] if is_wanted else []
    commands += ["break fixture_ready", "run", "info sharedlibrary", "set omp record off"]
    said = [one.get("text", "") for one in say(commands)]
    loaded, changed = said[-2:]
    for library in LIBRARIES:
        assert (str(library) in loaded) == (is_wanted or bool(setup.PRELOAD))
    assert changed == "It takes effect when the program is run again.\n"


def test_thread_in_the_recorder() -> None:
    """The recorder's functions, and what they call, are none that the program has called."""
    commands = ["set omp record on", "set breakpoint pending on", "break begin_thread", "run"]
    commands += ["continue", "bt -no-filters 1", "omp threads"]
    said = say(commands)
    stack, threads = [one["text"] for one in said[-2:]]
    assert re.search(r"^#0 .*\bbegin_thread ", stack, re.M), stack
    row = re.search(r"^ *\* .*", threads, re.M)
    assert row and " in the runtime" in row[0], threads


# ---- A library that is not understood ----------------------------------------------------------

ROOT = """
#include <stdint.h>
struct gomp_ompt_root { char magic[8]; uint32_t version, size; char rest[4096]; };
const struct gomp_ompt_root ompdbg_gomp_ompt = { MAGIC, VERSION, sizeof(struct gomp_ompt_root) };
"""


@pytest.mark.parametrize(
    "magic, version, is_understood",
    [("", 0, True), ("ompdbgG", 1, True), ("ompdbgG", 2, False), ("ompdbgX", 1, False)],
)
def test_other_versions_are_refused(
    tmp_path: Path, magic: str, version: int, is_understood: bool
) -> None:
    source, library = tmp_path / "root.c", tmp_path / "libompt-gomp.so"
    source.write_text(ROOT)
    flags = [f'-DMAGIC="{magic}"', f"-DVERSION={version}", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
    program = setup.program("tasks", "O2")
    with processes.ready_program(program, ["depend"], {"LD_PRELOAD": str(library)}) as pid:
        done = subprocess.run(
            [str(setup.COMMAND_LINE), "tasks", str(pid)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    queued = [line for line in done.stdout.splitlines() if "blocked" in line]
    assert queued
    # Which function a task has is then unknown; all else is as before.
    assert all(("tasks.c:" in line) == is_understood for line in queued)
