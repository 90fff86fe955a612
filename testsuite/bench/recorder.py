# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder costs a program: an event, and whole programs of tasks; and what a trace does."""

import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Dict, List

from tables import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRELOADED = ("ompt/gomp/libompt-gomp.so", "ompt/recorder/libompdbg-recorder.so")
COMPILERS = {"gcc": "libgomp", "clang": "libomp"}
THREADS = (1, 2)
RUNS = 7
PASSIVE = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}


def compile_program(compiler: str, name: str, scratch: Path) -> Path:
    """Compile one of the programs."""
    target = scratch / f"{name}-{compiler}"
    source = HERE / "recorded" / f"{name}.c"
    words = [compiler, "-O2", "-fopenmp", f"-I{ROOT}", str(source), "-ldl", "-o", str(target)]
    subprocess.run(words, check=True)
    return target


def run(
    program: Path, threads: int, settings: Dict[str, str], figures: Dict[str, List[float]]
) -> None:
    """Run a program, and keep the least figures of all runs."""
    environment = {**os.environ, **settings}
    done = subprocess.run(
        [str(program), str(threads)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        name, *values = line.split()
        found = [float(value) for value in values]
        figures[name] = min(found, figures.get(name, found))


def compare(
    program: Path, threads: int, preloaded: str, settings: Dict[str, str]
) -> Dict[str, List[List[float]]]:
    """Run a program with the recorder and without, in turn: for each name both figures."""
    plain: Dict[str, List[float]] = {}
    recorded: Dict[str, List[float]] = {}
    for _ in range(RUNS):
        run(program, threads, settings, plain)
        run(program, threads, {**settings, "LD_PRELOAD": preloaded}, recorded)
    return {name: [plain[name], recorded[name]] for name in plain}


def events(program: Path, runtime: str, preloaded: str) -> List[List[str]]:
    """Compare loops of one construct each."""
    rows = []
    for threads in THREADS:
        for name, (plain, recorded) in compare(program, threads, preloaded, {}).items():
            number = recorded[1]
            cost = (recorded[0] - plain[0]) / number if number >= 1 else None
            rows.append(
                [
                    f"{runtime}, {threads}, {name}",
                    f"{plain[0]:.1f}",
                    f"{recorded[0]:.1f}",
                    f"{number:.0f}",
                    "-" if cost is None else f"{cost:.1f}",
                ]
            )
    return rows


def instructions(words: List[str], environment: Dict[str, str], folder: Path) -> int:
    """Count what one run executes: the same on any machine, busy or not."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*valgrind, *words],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def instructions_of_round(program: Path, preloaded: str) -> float:
    """Count what one round of all kernels executes, in millions."""
    preload = {"LD_PRELOAD": preloaded} if preloaded else {}
    environment = {**os.environ, **PASSIVE, **preload}
    return instructions([str(program), "1", "1"], environment, program.parent) / 1e6


def kernels(program: Path, runtime: str, preloaded: str) -> List[List[str]]:
    """Compare whole programs of tasks."""
    rows = []
    for threads in THREADS:
        found = compare(program, threads, preloaded, PASSIVE)  # waiting is no work
        ratios = {name: with_[0] / without[0] for name, (without, with_) in found.items()}
        for name, (without, with_) in found.items():
            times = [f"{without[0]:.2f}", f"{with_[0]:.2f}", f"{ratios[name]:.3f}"]
            rows.append([f"{runtime}, {threads}, {name}", *times])
        mean = statistics.geometric_mean(ratios.values())
        rows.append([f"{runtime}, {threads}, mean", "", "", f"{mean:.3f}"])
    if shutil.which("valgrind"):
        counts = [instructions_of_round(program, one) for one in ("", preloaded)]
        texts = [f"{count:.0f} M" for count in counts] + [f"{counts[1] / counts[0]:.3f}"]
        rows.append([f"{runtime}, 1, instructions of all", *texts])
    return rows


def traces(program: Path, runtime: str, preloaded: str, scratch: Path) -> List[List[str]]:
    """Compare programs with a trace, with the recorder alone, and with neither."""
    rows = []
    trace = scratch / "trace"
    recorded = {**PASSIVE, "LD_PRELOAD": preloaded}
    variants = (PASSIVE, recorded, {**recorded, "OMPDBG_TRACE": str(trace)})
    for threads in THREADS:
        found: List[Dict[str, List[float]]] = [{} for _ in variants]
        for _ in range(RUNS):
            for settings, figures in zip(variants, found):
                trace.unlink(missing_ok=True)
                run(program, threads, settings, figures)
        for name in found[0]:
            times = [figures[name][0] for figures in found]
            ratios = [f"{time / times[0]:.3f}" for time in times[1:]]
            texts = [f"{time:.2f}" for time in times]
            rows.append([f"{runtime}, {threads}, {name}", *texts, *ratios])
    return rows


def recorder(folder: Path, scratch: Path) -> None:
    """Measure on each runtime that there is."""
    preloaded = ":".join(str(folder / library) for library in PRELOADED)
    event_rows: List[List[str]] = []
    kernel_rows: List[List[str]] = []
    trace_rows: List[List[str]] = []
    for compiler, runtime in COMPILERS.items():
        if not shutil.which(compiler):
            print(f"{runtime}: not measured: no {compiler}\n", flush=True)
            continue
        event_rows += events(compile_program(compiler, "events", scratch), runtime, preloaded)
        programs = compile_program(compiler, "kernels", scratch)
        kernel_rows += kernels(programs, runtime, preloaded)
        for name in (programs, compile_program(compiler, "traces", scratch)):
            trace_rows += traces(name, runtime, preloaded, scratch)
    head = ["runtime, threads, construct", "ns", "recorded, ns", "events", "ns/event"]
    table("The recorder: processor time of a construct (at most 25 ns an event)", head, event_rows)
    head = ["runtime, threads, program", "ms", "recorded, ms", "ratio"]
    title = "The recorder: processor time of programs of tasks (mean at most 1.01, worst 1.03)"
    table(title, head, kernel_rows)
    head = [
        "runtime, threads, program",
        "ms",
        "recorded",
        "traced",
        "recorded/plain",
        "traced/plain",
    ]
    table("The trace: processor time of programs, with that of the writer", head, trace_rows)
