# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs, compiled, and what is said about them."""

import subprocess
import sys
from pathlib import Path
from typing import List, Sequence

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gdb")]

from harness import own_programs, processes, setup  # noqa: E402

OMPDBG = setup.COMMAND_LINE
SECONDS = 300  # only what hangs comes to this limit


def compiled(source: str, compiler: str, option: str, folder: Path) -> Path:
    """Compile a program into a folder."""
    return own_programs.case(source, folder, ["-g", option, "-fopenmp"], compiler)


def said(command: str, target: object) -> str:
    """Return what `ompdbg` prints."""
    word, *expression = command.split(" ", 1)
    done = subprocess.run(
        [str(OMPDBG), word, *expression, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        timeout=SECONDS,
        env=processes.environment(),
    )
    assert not done.stderr, done.stderr.decode()
    return done.stdout.decode()


def said_in_gdb(program: Path, start: Sequence[str], commands: Sequence[str]) -> List[str]:
    """Return what GDB prints for `omp COMMAND` after it has come to a program or a core file."""
    every = [*start, *("omp bt -all" if one == "bt" else "omp " + one for one in commands)]
    answers = processes.run_gdb(
        "session.py", {"commands": every, "kill": False}, [str(program)], seconds=SECONDS
    ).result
    for command, answer in zip(every, answers):
        assert "text" in answer, (command, answer)
    return [answer["text"] for answer in answers[len(start) :]]
