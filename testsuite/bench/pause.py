# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a process stands still while it is looked at, measured from inside it."""

import statistics
import subprocess
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

SOURCE = Path(__file__).resolve().parent.parent / "target" / "programs" / "steady.c"
ROUNDS = 5


def longest_gaps(
    folder: Path, threads: int, commands: Mapping[str, Sequence[str]]
) -> Dict[str, float]:
    """Seconds for which a thread that never rests did not run, by name of the command that looked
    at the process; "{}" in a command stands for its number. Medians."""
    program = folder / "steady"
    flags = ["-O1", "-g", "-fopenmp"]
    subprocess.run(["gcc", *flags, str(SOURCE), "-o", str(program)], check=True)
    with subprocess.Popen(
        [str(program), str(threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        universal_newlines=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        gaps: Dict[str, List[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, words in commands.items():
                for measured in (False, True):
                    process.stdin.write("\n")
                    process.stdin.flush()
                    gap = int(process.stdout.readline()) / 1e6
                    if measured:
                        gaps[name].append(gap)
                        break
                    command = [str(process.pid) if word == "{}" else word for word in words]
                    subprocess.run(
                        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
                    )
        process.stdin.close()
    return {name: statistics.median(found) for name, found in gaps.items()}
