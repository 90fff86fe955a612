# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of LLVM's runtime that are zero as if it had not been used: what else there is tells
that they are damaged, in GDB, and of a core file without it. A runtime whose symbols are there is
taken, for their names; ompdbg does not need them."""

import subprocess
from pathlib import Path

import build  # from fixtures/
import pytest

from harness import processes, setup, terminal

OMPDBG = setup.LOADER.parent / "ompdbg"
LIST_GONE = "memory of libomp is damaged: it is initialized, and its list of threads is gone"
NO_THREAD = "memory of libomp is damaged: it knows no thread, though libomp has started some"
ALL_ZERO = "memory of libomp is damaged: variables are zero that never are"
# In this order, and what is said then.
ZEROED = {
    "*(long *) &__kmp_threads": LIST_GONE,
    "*(int *) &__kmp_threads_capacity": LIST_GONE,
    "*(int *) &__kmp_init_serial": LIST_GONE,
    "*(int *) &__kmp_init_middle": LIST_GONE,
    "*(int *) &__kmp_init_parallel": NO_THREAD,
    "*(long *) &__kmp_stksize": ALL_ZERO,
}
COMMANDS = ["omp threads", "omp icvs -thread", "omp why"]


def test_zeroed_variables(tmp_path: Path) -> None:
    try:
        program = str(setup.program("hung", "ompd23"))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    core = tmp_path / "core"
    task = {
        "scenario": "zeroed",
        "variables": list(ZEROED),
        "commands": COMMANDS,
        "core": str(core),
    }
    found = processes.run_gdb("bad_input.py", task, [program]).result
    for problem, (threads, icvs, why) in zip(ZEROED.values(), found):
        *_, total, last = threads["text"].splitlines()
        assert total == "9 threads: 9 unknown"
        assert last.startswith("? threads 1-9: ") and last.endswith(f": {problem}")
        assert icvs["error"] == f"omp icvs: cannot read thread 2: {problem}."
        assert why["text"].replace("\n", " ").strip() == f"Cannot read 9 threads: {problem}."
    assert len(found) == len(ZEROED)
    command = [str(OMPDBG), "threads", str(core)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.stderr == b""
    assert ALL_ZERO in done.stdout.decode()
    # The reason is whole in a narrow terminal, too.
    assert ALL_ZERO in " ".join(terminal.printed(command, 40).split())
