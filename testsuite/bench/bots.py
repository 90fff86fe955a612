# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/profile.md and docs/performance.md, as they have them: one task of Fibonacci (the
paper's Table 3), and what recording and tracing cost the Barcelona OpenMP Task Suite (Table 2): processor
time, and instructions."""

import json
import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from recorder import COMPILERS, PASSIVE, PRELOADED, THREADS, compile_program
from recorder import instructions as executed

RUNS = 5
WAYS = ("without", "recorded", "traced")
KINDS = ("tied", "untied")
SOURCE = "https://github.com/bsc-pm/bots"
DEFINED = ("CDATE", "CMESSAGE", "CC", "LD", "LDFLAGS", "CFLAGS")


class Kernel(NamedTuple):
    """One program of the suite, and its input: about a second of one thread; and one for counting
    instructions, which takes a hundred times as long: with fewer tasks where these do as much each.
    """

    name: str
    folder: str
    words: Tuple[str, ...]
    has_cutoff: bool = False
    counted: Tuple[str, ...] = ()


KERNELS = (
    Kernel("FFT", "fft", ("-n", "4194304"), counted=("-n", "262144")),
    Kernel("Health", "health", ("-f", "inputs/health/small.input"), True),
    Kernel("UTS", "uts", ("-f", "inputs/uts/test.input"), counted=("-f", "uts.input")),
    Kernel("Alignment", "alignment/alignment_single", ("-f", "inputs/alignment/prot.20.aa")),
    Kernel(
        "SparseLU",
        "sparselu/sparselu_single",
        ("-n", "25", "-m", "60"),
        counted=("-n", "14", "-m", "60"),
    ),
    Kernel("Fibonacci", "fib", ("-n", "41", "-x", "10"), True, ("-n", "37", "-x", "6")),
    Kernel("Floorplan", "floorplan", ("-f", "inputs/floorplan/input.15"), True),
    Kernel("NQueens", "nqueens", ("-n", "12", "-x", "3"), True),
    Kernel("Sort", "sort", ("-n", "4194304"), counted=("-n", "1048576")),
    Kernel("Strassen", "strassen", ("-n", "1024"), True, ("-n", "512")),
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


def settings(threads: int, way: str, preloaded: str, trace: Path) -> Dict[str, str]:
    """The environment of a run."""
    found = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_STACKSIZE": "16M", **PASSIVE}
    if way != "without":
        found["LD_PRELOAD"] = preloaded
    if way == "traced":
        found["OMPDBG_TRACE"] = str(trace)
    return found


def run(
    program: Path, kernel: Kernel, threads: int, way: str, preloaded: str, suite: Path
) -> float:
    """Run a kernel once: its processor time, in seconds."""
    trace = program.with_suffix(".trace")
    trace.unlink(missing_ok=True)
    with subprocess.Popen(
        [str(program), *kernel.words],
        env=settings(threads, way, preloaded, trace),
        cwd=suite,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    assert status == 0, f"{program}: {status}"
    assert way != "traced" or trace.stat().st_size, f"{program}: no trace"
    trace.unlink(missing_ok=True)
    return usage.ru_utime + usage.ru_stime


def measure(
    programs: Dict[str, Path], kernel: Kernel, threads: int, preloaded: str, suite: Path
) -> Dict[Tuple[str, str], List[float]]:
    """Run tied and untied tasks in all ways, forth and back: the times of each."""
    times: Dict[Tuple[str, str], List[float]] = {}
    for turn in range(RUNS):
        for kind, program in programs.items():
            for way in WAYS if turn % 2 else reversed(WAYS):
                time = run(program, kernel, threads, way, preloaded, suite)
                times.setdefault((way, kind), []).append(time)
    return times


def print_rows(
    compiler: str, preloaded: str, suite: Path, scratch: Path, ratios: Dict[str, List[float]]
) -> None:
    """Measure all kernels of one compiler, and print each row when it is known."""
    for kernel in KERNELS:
        programs = {kind: compile_kernel(compiler, kernel, kind, suite, scratch) for kind in KINDS}
        for threads in THREADS:
            times = measure(programs, kernel, threads, preloaded, suite)
            middle = {key: statistics.median(found) for key, found in times.items()}
            cells = [f"{kernel.name}", str(threads)]
            cells += ["/".join(f"{middle[way, kind]:.3f}" for kind in KINDS) for way in WAYS]
            for way in WAYS[1:]:
                found = [middle[way, kind] / middle["without", kind] for kind in KINDS]
                ratios.setdefault(way, []).extend(found)
                cells.append("/".join(f"{100 * (ratio - 1):+.1f}" for ratio in found))
            print("| " + " | ".join(cells) + " |", flush=True)


# ---- Instructions ----------------------------------------------------------------------------

UTS_INPUT = "100 0.124875 8 42 1 0 0 0\n"  # as the suite's test.input, with fewer branches


def instructions(folder: Path, scratch: Path) -> None:
    """Print how many more instructions each kernel executes with the recorder."""
    preloaded = ":".join(str(folder / library) for library in PRELOADED)
    suite = suite_folder()
    if not suite or not shutil.which("valgrind"):
        print(f"BOTS: not counted: needs valgrind, and {SOURCE} in the folder OMPDBG_BOTS\n")
        return
    (scratch / "inputs").symlink_to(suite / "inputs")
    (scratch / "uts.input").write_text(UTS_INPUT)
    print("Instructions of BOTS with the recorder (mean at most +1 %, worst +3 %), tied tasks\n")
    for compiler, runtime in COMPILERS.items():
        if not shutil.which(compiler):
            print(f"{runtime}: not counted: no {compiler}\n", flush=True)
            continue
        print(f"| {runtime} | threads | million | recorded, % |\n| --- | --: | --: | --: |")
        ratios = []
        for kernel in KERNELS:
            program = compile_kernel(compiler, kernel, "tied", suite, scratch)
            words = [str(program), *(kernel.counted or kernel.words)]
            for threads in THREADS:
                counts = [
                    executed(words, settings(threads, way, preloaded, program), scratch)
                    for way in WAYS[:2]
                ]
                ratios.append(counts[1] / counts[0])
                figures = f"{counts[0] / 1e6:,.0f} | {100 * (ratios[-1] - 1):+.2f}"
                print(f"| {kernel.name} | {threads} | {figures} |", flush=True)
        mean = 100 * (statistics.geometric_mean(ratios) - 1)
        print(
            f"\n{mean:+.2f} % in the mean, {100 * (max(ratios) - 1):+.2f} % at most\n", flush=True
        )


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
