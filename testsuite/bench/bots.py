# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/profile.md, as it has them: one task of Fibonacci (the paper's Table 3), and what
recording and tracing cost the Barcelona OpenMP Task Suite (Table 2)."""

import json
import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from recorder import COMPILERS, PASSIVE, PRELOADED, THREADS, compile_program

RUNS = 7
WAYS = ("without", "recorded", "traced")
KINDS = ("tied", "untied")
SOURCE = "https://github.com/bsc-pm/bots"
DEFINED = ("CDATE", "CMESSAGE", "CC", "LD", "LDFLAGS", "CFLAGS")


class Kernel(NamedTuple):
    """One program of the suite, and its input: about a second of one thread."""

    name: str
    folder: str
    words: Tuple[str, ...]
    has_cutoff: bool = False


KERNELS = (
    Kernel("FFT", "fft", ("-n", "4194304")),
    Kernel("Health", "health", ("-f", "inputs/health/small.input"), True),
    Kernel("UTS", "uts", ("-f", "inputs/uts/test.input")),
    Kernel("Alignment", "alignment/alignment_single", ("-f", "inputs/alignment/prot.20.aa")),
    Kernel("SparseLU", "sparselu/sparselu_single", ("-n", "25", "-m", "60")),
    Kernel("Fibonacci", "fib", ("-n", "41", "-x", "10"), True),
    Kernel("Floorplan", "floorplan", ("-f", "inputs/floorplan/input.15"), True),
    Kernel("NQueens", "nqueens", ("-n", "12", "-x", "3"), True),
    Kernel("Sort", "sort", ("-n", "4194304")),
    Kernel("Strassen", "strassen", ("-n", "1024"), True),
)


# ---- Table 3 ---------------------------------------------------------------------------------

NUMBERS = (2, 4, 8, 16, 24)
TASK = 2  # fibonacci(N - 2)
PHASES = ("creation", "pool", "execution", "suspension", "completion")


def made(n: int) -> int:
    """The number of tasks that fibonacci(n) makes."""
    return 0 if n < 2 else 2 + made(n - 1) + made(n - 2)


def one_task(ompdbg: Path, program: Path, number: int) -> List[str]:
    """Run Fibonacci, and look at one task of it."""
    trace = program.with_suffix(".trace")
    words = [str(ompdbg), "record", "-o", str(trace), "--", str(program), str(number)]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True, env={**os.environ, **PASSIVE})
    words = [str(ompdbg), "profile", str(trace), "--json", "-", "--task", str(TASK)]
    document = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    task, tasks = document["task"], document["summary"]["tasks"]
    assert (task["below"], tasks) == (made(number - 2), made(number)), document
    times = ["?" if task[one] is None else f"{task[one] / 1000:,.1f}" for one in PHASES]
    return [str(number), str(task["children"]), f"{task['below']:,}", f"{tasks:,}", *times]


def table_3(folder: Path, scratch: Path) -> None:
    """Print Table 3 of each compiler."""
    head = ["N", "children", "tasks below", "all tasks", *PHASES]
    for compiler, runtime in COMPILERS.items():
        if not shutil.which(compiler):
            print(f"{runtime}: not measured: no {compiler}\n", flush=True)
            continue
        program = compile_program(compiler, "fibonacci", scratch)
        print(f"One task of Fibonacci, in us: {compiler}, {runtime}\n")
        print("| " + " | ".join(head) + " |\n" + "| --: " * len(head) + "|")
        for number in NUMBERS:
            print("| " + " | ".join(one_task(folder / "ompdbg", program, number)) + " |")
        print(flush=True)


# ---- Table 2 ---------------------------------------------------------------------------------


def suite_folder() -> Optional[Path]:
    """Where the suite is; its licence keeps it out of this repository."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = Path(os.environ.get("OMPDBG_BOTS", cache / "ompdbg" / "bots"))
    return folder if (folder / "omp-tasks").is_dir() else None


def compile_kernel(compiler: str, kernel: Kernel, kind: str, suite: Path, scratch: Path) -> Path:
    """Compile a kernel. The suite's own way to tied tasks is to leave out the word."""
    folder = scratch / f"{kernel.folder.replace('/', '-')}-{kind}"
    program = scratch / f"{kernel.name}-{kind}-{compiler}"
    if not folder.exists():
        shutil.copytree(suite / "omp-tasks" / kernel.folder, folder)
        for source in folder.glob("*.c") if kind == "tied" else ():
            text = source.read_text(encoding="latin-1")
            tied = re.sub(r"^(\s*#pragma .*)\buntied\b", r"\1", text, flags=re.M)
            source.write_text(tied, encoding="latin-1")
    sources = [*(suite / "common").glob("bots_*.c"), *folder.glob("*.c")]
    words = [compiler, "-O2", "-w", "-fopenmp", f"-I{suite}/common", f"-I{folder}"]
    words += [f'-D{name}=""' for name in DEFINED]
    words += ["-DMANUAL_CUTOFF"] if kernel.has_cutoff else []
    subprocess.run([*words, *map(str, sources), "-lm", "-o", str(program)], check=True)
    return program


def run(
    program: Path, kernel: Kernel, threads: int, way: str, preloaded: str, suite: Path
) -> float:
    """Run a kernel once: the seconds that it measures itself."""
    settings = {"OMP_NUM_THREADS": str(threads), "OMP_STACKSIZE": "16M", **PASSIVE}
    trace = program.with_suffix(".trace")
    trace.unlink(missing_ok=True)
    if way != "without":
        settings["LD_PRELOAD"] = preloaded
    if way == "traced":
        settings["OMPDBG_TRACE"] = str(trace)
    done = subprocess.run(
        [str(program), *kernel.words],
        env={**os.environ, **settings},
        cwd=suite,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        check=True,
    )
    assert way != "traced" or trace.stat().st_size, f"{program}: no trace"
    trace.unlink(missing_ok=True)
    found = re.search(r"Time Program\s*=\s*([\d.]+) seconds", done.stdout)
    assert found, done.stdout
    return float(found[1])


def measure(
    programs: Dict[str, Path], kernel: Kernel, threads: int, preloaded: str, suite: Path
) -> Dict[Tuple[str, str], float]:
    """Run tied and untied tasks in all ways, in turn: the least time of each."""
    times: Dict[Tuple[str, str], float] = {}
    for _ in range(RUNS):
        for kind, program in programs.items():
            for way in WAYS:
                time = run(program, kernel, threads, way, preloaded, suite)
                times[way, kind] = min(time, times.get((way, kind), time))
    return times


def print_rows(
    compiler: str, preloaded: str, suite: Path, scratch: Path, ratios: Dict[str, List[float]]
) -> None:
    """Measure all kernels of one compiler, and print each row when it is known."""
    for kernel in KERNELS:
        programs = {kind: compile_kernel(compiler, kernel, kind, suite, scratch) for kind in KINDS}
        for threads in THREADS:
            times = measure(programs, kernel, threads, preloaded, suite)
            cells = [f"{kernel.name}", str(threads)]
            cells += ["/".join(f"{times[way, kind]:.3f}" for kind in KINDS) for way in WAYS]
            for way in WAYS[1:]:
                found = [times[way, kind] / times["without", kind] for kind in KINDS]
                ratios.setdefault(way, []).extend(found)
                cells.append("/".join(f"{100 * (ratio - 1):+.1f}" for ratio in found))
            print("| " + " | ".join(cells) + " |", flush=True)


def profile(folder: Path, scratch: Path) -> None:
    """Print both tables."""
    table_3(folder, scratch)
    preloaded = ":".join(str(folder / library) for library in PRELOADED)
    suite = suite_folder()
    if not suite:
        print(f"BOTS: not measured: put a copy of {SOURCE} into the folder OMPDBG_BOTS\n")
        return
    head = ["Kernel", "Threads", *(f"{way}, s" for way in WAYS), "recorded, %", "traced, %"]
    print("BOTS with and without the recorder and the trace, tied/untied tasks\n")
    for compiler, runtime in COMPILERS.items():
        if not shutil.which(compiler):
            print(f"{runtime}: not measured: no {compiler}\n", flush=True)
            continue
        print(f"{compiler}, {runtime}:\n")
        print("| " + " | ".join(head) + " |\n" + "| --- " * 2 + "| --: " * 5 + "|", flush=True)
        ratios: Dict[str, List[float]] = {}
        print_rows(compiler, preloaded, suite, scratch, ratios)
        for way, found in ratios.items():
            mean, worst = 100 * (statistics.geometric_mean(found) - 1), 100 * (max(found) - 1)
            print(f"\n{way}: {mean:+.1f} % in the mean, {worst:+.1f} % at most", end="")
        print("\n", flush=True)
