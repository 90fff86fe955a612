#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures ompdbg on this machine and prints ratios: both sides of each are taken in one run.

    testsuite/bench/run.py [--build DIR] [--gdb gdb] [PART]...

PART is threads, stacks, history, tasks, values, frames, full, hits, start, fetches, llvm, cores, pause,
callbacks, plugin, names, recorder or profile.

Every command is measured at a fresh stop of a live process, with no cache of GDB's or of ompdbg's
filled, unless the table says otherwise; times are medians.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
TESTS = ROOT / "testsuite" / "gdb" / "programs"
sys.path.insert(0, str(ROOT / "fixtures"))

import bots  # noqa: E402
import build  # noqa: E402
from cores import on_core, processes  # noqa: E402
from long_names import long_names  # noqa: E402
from ompd import callbacks, plugin  # noqa: E402
from pause import longest_gaps  # noqa: E402
from recorder import recorder  # noqa: E402
from tables import milliseconds, table  # noqa: E402

THREADS = (4, 64, 256)
TASKS = (1000, 100_000, 1_000_000)
CORE_THREADS = (64, 256)
COMPILED = ("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
STARTS = 25
TIMEOUT_SECONDS = 170
# LLVM's plug-in has crashed in half of the runs with more than 32 threads.
LLVM_VARIANT = "ompd23"
LLVM_THREADS = (4, 32, 64)
LLVM_RUNS = 3
REPEAT_SECONDS = 900
SURVIVED_THREADS = (64, 256)


class Bench:
    """Where everything is."""

    def __init__(self, folder: Path, gdb: str) -> None:
        self.folder = folder
        self.gdb = gdb
        self.plugin = folder / "ompdbg-gdb.py"
        self.scratch = tempfile.TemporaryDirectory(prefix="ompdbg-bench-")
        self._copy: Optional[Path] = None

    def copy_library(self) -> Path:
        """copy.c as a shared library."""
        if self._copy is None:
            self._copy = Path(self.scratch.name) / "copy.so"
            source = str(HERE / "copy.c")
            command = ["gcc", "-O2", "-shared", "-fPIC", source, "-o", str(self._copy)]
            subprocess.run(command, check=True)
        return self._copy

    def command(self, *arguments: str) -> List[str]:
        """A GDB that ends by itself."""
        return [self.gdb, "-nx", "-q", "-batch", *arguments]

    def own_program(self, source: Path, compiled: str) -> Path:
        """A program of the tests."""
        target = Path(self.scratch.name) / (source.stem + compiled.replace(" ", ""))
        subprocess.run(
            [*compiled.split(), "-g", "-fopenmp", str(source), "-o", str(target)], check=True
        )
        return target

    def inside(
        self,
        what: str,
        name: str,
        *arguments: str,
        variant: str = "O2",
        compiled: str = "gcc -O0",
        **more: str,
    ) -> Dict[str, Any]:
        """What inside.py measures of a fixture program, or of one of the tests, compiled so."""
        output, _ = self.run_inside(
            what, name, *arguments, variant=variant, compiled=compiled, more=more
        )
        for line in output.splitlines():
            if line.startswith("BENCH "):
                result: Dict[str, Any] = json.loads(line[len("BENCH ") :])
                return result
        raise RuntimeError("no figures from GDB:\n" + output)

    def run_inside(
        self,
        what: str,
        name: str,
        *arguments: str,
        variant: str = "O2",
        seconds: float = TIMEOUT_SECONDS,
        compiled: str = "gcc -O0",
        more: Optional[Dict[str, str]] = None,
    ) -> Tuple[str, int]:
        """Runs inside.py, with more in the environment: its output, and GDB's exit status."""
        own = TESTS / (name + ".c")
        program = (
            self.own_program(own, compiled)
            if own.exists()
            else build.build(name, variant, self.folder / "fixtures")
        )
        environment = dict(
            os.environ,
            BENCH_PLUGIN=str(self.plugin),
            BENCH_WHAT=what,
            BENCH_COPY=str(self.copy_library()),
            **(more or {}),
        )
        process = subprocess.Popen(
            self.command("-x", str(HERE / "inside.py"), "--args", str(program), *arguments),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with its program
            output, _ = process.communicate()
        return output, process.returncode


def threads(bench: Bench) -> None:
    """`omp threads` at several numbers of threads."""
    rows = []
    for number in THREADS:
        found = bench.inside("threads", "many", str(number))
        ratio = f"{found['ours'] / found['theirs']:.2f}"
        times = [milliseconds(found[name]) for name in ("ours", "theirs", "first")]
        rows.append([str(number), *times[:2], ratio, times[2]])
    head = ["threads", "omp threads, ms", "bt -no-filters of all, ms", "ratio", "first use, ms"]
    table("omp threads against GDB's own stacks (at most 0.5 at 256)", head, rows)


def tasks(bench: Bench) -> None:
    """`omp tasks -by-function` at several numbers of tasks."""
    rows = []
    for number in TASKS:
        found = bench.inside("tasks", "queue", str(number))
        ratios = [f"{found['ours'] / found[f'copy {n} KiB']:.1f}" for n in (4, 64)]
        rows.append(
            [
                str(found["tasks"]),
                milliseconds(found["ours"]),
                f"{1e6 * found['ours'] / found['tasks']:.2f}",
                f"{found['stats']['fetched'] / 1e6:.1f}",
                milliseconds(found["copy 4 KiB"]),
                *ratios,
                f"{found['peak_kib'] / 1024:.0f}",
            ]
        )
    head = ["tasks", "ms", "us/task", "MB read", "copy, ms", "ratio", "(64 KiB)", "peak, MiB"]
    title = "omp tasks -by-function against copying as many bytes in pieces of 4 KiB (at most 3)"
    table(title, head, rows)


def frames(bench: Bench) -> None:
    """GDB's `bt` with the frame filter and without."""
    found = bench.inside("frames", "captured", BENCH_STOP="inspect")
    rows = []
    for name in ("again", "fresh"):
        ours, theirs = found[name]["bt"], found[name]["bt -no-filters"]
        times = [milliseconds(ours), milliseconds(theirs), f"{ours / theirs:.2f}"]
        rows.append([f"{name}, {found['frames']} frames", *times])
    head = ["", "bt, ms", "bt -no-filters, ms", "ratio"]
    table("GDB's bt with the frame filter (at most 1.3)", head, rows)


def full(bench: Bench) -> None:
    """GDB's `bt -full` with the frame filter and without, of a recursion through tasks."""
    rows = []
    for compiled in COMPILED:
        found = bench.inside("full", "recursion", compiled=compiled, BENCH_STOP="inspect")
        ours, theirs = (found[name] for name in ("bt -full", "bt -full -no-filters"))
        rows.append([compiled, milliseconds(ours), milliseconds(theirs), f"{ours / theirs:.2f}"])
    head = ["compiled by", "bt -full, ms", "bt -full -no-filters, ms", "ratio"]
    table("GDB's bt -full with the frame filter, 1,000 tasks (at most 2)", head, rows)


def stacks(bench: Bench) -> None:
    """`omp bt -all` and `omp why` at 256 threads."""
    found = bench.inside("stacks", "many", "256")
    ratio = f"{found['ours'] / found['theirs']:.2f}"
    times = [milliseconds(found[name]) for name in ("ours", "theirs", "why")]
    head = ["threads", "omp bt -all, ms", "bt -no-filters of all, ms", "ratio", "omp why, ms"]
    title = "omp bt -all against GDB's own stacks (at most 0.5), and omp why (at most 1000)"
    table(title, head, [["256", *times[:2], ratio, times[2]]])


def history(bench: Bench) -> None:
    """`omp history -last 20` at 256 threads, recorded."""
    found = bench.inside("history", "many", "256")
    row = ["256", str(found["lines"]), milliseconds(found["history"])]
    table("omp history -last 20 (at most 100 ms)", ["threads", "lines", "ms"], [row])


def values(bench: Bench) -> None:
    """`omp print` at 256 threads, whose own variables are where an unoptimized program has them."""
    found = bench.inside("values", "many", "256", variant="O0")
    rows = []
    compared = ("of the program", "ours", "theirs"), ("of each thread", "local", "their local")
    for what, ours, theirs in compared:
        times = [milliseconds(found[ours]), milliseconds(found[theirs])]
        rows.append([what, *times, f"{found[ours] / found[theirs]:.2f}"])
    head = ["variable", "omp print, ms", "thread apply all print, ms", "ratio"]
    table("omp print -all at 256 threads (at most 2)", head, rows)


def hits(bench: Bench) -> None:
    """Conditions of breakpoints."""
    rounds = 1000
    found = bench.inside("hits", "points", str(rounds), BENCH_HITS=str(9 * rounds + 2))
    plain = found["$_thread == 99"]
    rows = [[name, f"{value:.0f}", f"{value / plain:.2f}"] for name, value in found.items()]
    head = ["condition", "hits/s", "ratio"]
    table("Hits of a conditional breakpoint per second", head, rows)


def start(bench: Bench) -> None:
    """GDB's start with and without the plug-in."""
    commands = {"without": bench.command(), "with": bench.command("-x", str(bench.plugin))}
    times: Dict[str, List[float]] = {name: [] for name in commands}
    for _ in range(STARTS):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - begin)
    without, loaded = (statistics.median(times[name]) for name in ("without", "with"))
    row = [
        "",
        milliseconds(without),
        milliseconds(loaded),
        f"{loaded / without:.2f}",
        milliseconds(loaded - without),
    ]
    head = ["", "gdb -batch, ms", "with ompdbg, ms", "ratio", "difference, ms"]
    table("Loading the plug-in (at most 50 ms)", head, [row])


def fetches(bench: Bench) -> None:
    """What each command reads of the target."""
    rows = []
    for arguments in (("hung",), ("many", "256"), ("queue", "1000")):
        for command, stats in bench.inside("fetches", *arguments).items():
            figures = [str(stats[name]) for name in ("fetches", "direct", "requests", "symbols")]
            rows.append([f"{command} ({' '.join(arguments)})", *figures])
    head = ["command (program)", "reads", "direct", "requests", "symbols"]
    table("Reads of the target at a fresh stop", head, rows)


def llvm(bench: Bench) -> None:
    """Our commands against those of LLVM's plug-in over LLVM's library, on LLVM's runtime."""
    runtime = build.VARIANTS[LLVM_VARIANT]
    try:
        folder = build.runtime_folder(runtime).parent
    except build.Skipped as reason:
        print(f"LLVM's plug-in is not measured: {reason}\n", flush=True)
        return
    more = {
        "BENCH_LLVM": str(folder / "gdb" / "ompd"),
        "LD_LIBRARY_PATH": str(folder / "lib"),
        "OMP_DEBUG": "enabled",
    }
    rows = []
    for number in LLVM_THREADS:
        times: Dict[str, List[float]] = {}
        crashes = 0
        for _ in range(LLVM_RUNS):
            output, status = bench.run_inside(
                "llvm", "many", str(number), variant=LLVM_VARIANT, more=more
            )
            crashes += status != 0
            for name, value in map(json.loads, re.findall(r"^BENCH (\[.*)$", output, re.M)):
                times.setdefault(name, []).append(value)
        rows.append(llvm_row(number, times, crashes))
    head = ["threads", "omp threads", "omp regions", "ompd parallel", "ompd threads"]
    head += ["us/thread", "theirs", "ratio", "of regions", "GDB died"]
    title = "omp threads against LLVM's ompd parallel on LLVM's runtime, ms (at most 0.2)"
    table(title, head, rows)
    survival(bench)


def llvm_row(number: int, times: Dict[str, List[float]], crashes: int) -> List[str]:
    """Medians, and the ratios for each thread."""
    found = [
        statistics.median(times[name]) if times.get(name) else None
        for name in ("omp threads", "omp regions", "ompd parallel", "ompd threads")
    ]
    mine, theirs = found[0], found[2]
    return [
        str(number),
        *("-" if value is None else milliseconds(value) for value in found),
        "-" if mine is None else f"{1e6 * mine / number:.0f}",
        "-" if theirs is None else f"{1e6 * theirs / number:.0f}",
        *(
            "-" if value is None or theirs is None else f"{value / theirs:.3f}"
            for value in (mine, found[1])
        ),
        f"{crashes} of {LLVM_RUNS}",
    ]


def survival(bench: Bench) -> None:
    """A thousand commands of ours in one GDB."""
    rows = []
    for number in SURVIVED_THREADS:
        output, status = bench.run_inside(
            "repeat", "many", str(number), variant=LLVM_VARIANT, seconds=REPEAT_SECONDS
        )
        told = re.findall(r"^BENCH ({.*)$", output, re.M)
        done = json.loads(told[0]) if told else {"commands": "-", "grown_kib": "-"}
        died = "no" if status == 0 else "yes"
        rows.append([str(number), str(done["commands"]), str(done["grown_kib"]), died])
    table(
        "Our commands again and again, on the same runtime",
        ["threads", "commands", "KiB more after 100", "GDB died"],
        rows,
    )


def cores(bench: Bench) -> None:
    """The command line on core files."""
    problem = processes.kernel_core_problem()
    if problem:
        print(f"Core files: not measured, {problem}")
        return
    rows = []
    for number in CORE_THREADS:
        program = build.build("many", "O2", bench.folder / "fixtures")
        found = on_core(bench.gdb, bench.folder / "ompdbg", program, number)
        ours, theirs = found["report"], found["gdb"]
        rows.append(
            [
                str(number),
                milliseconds(ours.elapsed),
                milliseconds(theirs.elapsed),
                f"{ours.elapsed / theirs.elapsed:.2f}",
                f"{ours.processor / theirs.processor:.2f}",
            ]
        )
    table(
        "ompdbg report --json of a core file, whole program",
        ["threads", "report", "gdb thread apply all bt", "ratio", "of processor time"],
        rows,
    )


def pause(bench: Bench) -> None:
    """How long a live process stands still."""
    theirs = bench.command("-iex", "set debuginfod enabled off", "-p", "{}")
    commands = {
        "ours": [str(bench.folder / "ompdbg"), "bt", "{}"],
        "theirs": [*theirs, "-ex", "thread apply all bt"],
    }
    rows = []
    for number in (4, 64):
        found = longest_gaps(Path(bench.scratch.name), number, commands)
        ratio = f"{found['ours'] / found['theirs']:.2f}"
        times = [milliseconds(found[name]) for name in commands]
        rows.append([str(number), *times, ratio])
    head = ["threads", "ompdbg bt, ms", "gdb -p, ms", "ratio"]
    table("The pause of a live process, from inside (at most 0.2 at 64)", head, rows)


PARTS: Dict[str, Callable[["Bench"], None]] = {
    "threads": threads,
    "stacks": stacks,
    "history": history,
    "tasks": tasks,
    "values": values,
    "frames": frames,
    "full": full,
    "hits": hits,
    "start": start,
    "fetches": fetches,
    "llvm": llvm,
    "cores": cores,
    "pause": pause,
    "callbacks": lambda bench: callbacks(bench.folder),
    "plugin": lambda bench: plugin(bench.folder, bench.command()),
    "names": lambda bench: long_names(
        bench.folder, bench.command("-iex", "set debuginfod enabled off"), Path(bench.scratch.name)
    ),
    "recorder": lambda bench: recorder(bench.folder, Path(bench.scratch.name)),
    "profile": lambda bench: bots.profile(bench.folder, Path(bench.scratch.name)),
    "instructions": lambda bench: bots.instructions(bench.folder, Path(bench.scratch.name)),
}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures ompdbg and prints ratios.")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--gdb", default="gdb")
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS) + " (all)")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error("no such part: " + " ".join(sorted(unknown)))
    bench = Bench(options.build.resolve(), options.gdb)
    for name in options.parts or PARTS:
        PARTS[name](bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
