# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function's name costs by its length: with the command line, and in GDB."""

import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "text"))

import program_names as names  # noqa: E402
from tables import milliseconds, table  # noqa: E402

LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
# What a name is made of: a word, scopes with template arguments, brackets that never close, letters
# that take two columns, and bytes that are none.
PARTS = {
    "word": b"a",
    "scopes": b"a<b>::",
    "brackets": b"a<",
    "wide": "\u6f22".encode(),
    "bytes": b"\xff",
}
COMMANDS = ("threads", "why", "report", "report --html {}", "report --json {}")
IN_GDB = ("omp threads", "omp bt -all", "omp why", "bt", "complete omp break ")
ROUNDS = 3
TIMED = """python
import time
def timed(command):
    begin = time.perf_counter()
    gdb.execute(command, to_string=True)
    print("TIMED %s: %f" % (command, time.perf_counter() - begin))
end
"""


def in_gdb(gdb: List[str], plugin: Path, process: int, scratch: Path) -> Dict[str, float]:
    """Seconds of each command in one GDB, the first of them first."""
    script = scratch / "timed.gdb"
    lines = [f"python timed({command!r})\n" for command in IN_GDB]
    script.write_text(TIMED + "".join(lines), encoding="utf-8")
    words = [*gdb, "-x", str(plugin), "-p", str(process), "-ex", "thread 2", "-x", str(script)]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    found = re.findall(rb"^TIMED (.*): ([0-9.]+)$", done.stdout, re.M)
    return {name.decode(): float(seconds) for name, seconds in found}


def by_itself(ompdbg: Path, process: int, scratch: Path) -> Dict[str, float]:
    """Seconds of each command, medians."""
    found: Dict[str, float] = {}
    for command in COMMANDS:
        times = []
        for _ in range(ROUNDS):
            words = [word.format(scratch / "report") for word in command.split()]
            begin = time.perf_counter()
            done = subprocess.run(
                [str(ompdbg), *words, str(process)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            times.append(time.perf_counter() - begin)
            assert done.returncode in (0, 1), command
        found[command] = statistics.median(times)
    return found


def measured(folder: Path, gdb: List[str], scratch: Path, part: bytes, length: int) -> List[float]:
    """Seconds of all commands for one name."""
    lengths = {"FUNCTION": length, "LOCK": length}
    plain, program = scratch / f"plain-{length}", scratch / "named"
    if not plain.exists():
        names.compile_to(plain, lengths=lengths)
    name = names.repeated(part, part[:1] if part.isascii() else b"b", length)
    names.exchange(plain, program, dict.fromkeys(lengths, name))
    with subprocess.Popen(
        [str(program)],
        stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            found = by_itself(folder / "ompdbg", process.pid, scratch)
            found.update(in_gdb(gdb, folder / "ompdbg-gdb.py", process.pid, scratch))
        finally:
            process.kill()
    return list(found.values())


def long_names(folder: Path, gdb: List[str], scratch: Path) -> None:
    """Print a table for each kind of name."""
    for kind, part in PARTS.items():
        rows, times = [], []
        for length in LENGTHS:
            times.append(measured(folder, gdb, scratch, part, length))
            rows.append([f"{length:,}", *map(milliseconds, times[-1])])
        ratios = [last / before for last, before in zip(times[-1], times[-2])]
        rows.append(["ratio of the last two", *(f"{ratio:.1f}" for ratio in ratios)])
        head = ["characters", *(command.replace(" {}", "") for command in (*COMMANDS, *IN_GDB))]
        table(f"Names of {kind}, ms (ratio at most 30)", head, rows)
