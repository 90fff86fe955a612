# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What OMPD libraries cost a debugger: ours and LLVM's, in the same client and under LLVM's plug-in."""

import json
import os
import re
import statistics
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Sequence

import build  # of the fixtures
from tables import milliseconds, table

RELEASE_VARIANT = "ompd23"
VARIANTS = ("O2", "clang", RELEASE_VARIANT)
THREADS = 16
ROUNDS = 5000
RUNS = 3
EARLY, LATE = "ompd_dll_locations_valid", "fixture_ready"
STOPS = {EARLY: "runtime begins", LATE: "in a region"}
QUESTIONS = ("handle", "region", "state")
Counts = Dict[str, Any]


def count(client: Path, library: Path, program: Path) -> Counts:
    """Run callback_counts on a fixture in its state."""
    with subprocess.Popen(
        [str(program), str(THREADS)],
        env=dict(os.environ, OMP_DEBUG="enabled"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        universal_newlines=True,
    ) as process:
        assert process.stdout is not None
        try:
            while process.stdout.readline().strip() not in ("READY", ""):
                pass
            command = [str(client), str(library), str(process.pid), str(ROUNDS)]
            found: Counts = json.loads(subprocess.run(command, check=True, stdout=-1).stdout)
        finally:
            process.kill()
    return found


def libraries(folder: Path, variant: str) -> Dict[str, Path]:
    """Ours, and LLVM's where it understands the runtime."""
    found = {"ours": folder / "libompd" / "libompd.so"}
    if variant == RELEASE_VARIANT:
        found["LLVM's"] = build.runtime_folder(build.VARIANTS[variant]) / "libompd.so"
    return found


def callbacks(folder: Path) -> None:
    """Callbacks of both libraries, and the API's processor time for each thread."""
    client = folder / "testsuite" / "api" / "callback_counts"
    rows: List[Sequence[str]] = []
    for variant in VARIANTS:
        try:
            program = build.build("many", variant, folder / "fixtures")
            chosen = libraries(folder, variant)
        except build.Skipped as reason:
            print(f"{variant}: not measured: {reason}\n", flush=True)
            continue
        runs: Dict[str, List[Counts]] = {name: [] for name in chosen}
        for _ in range(RUNS):
            for name, library in chosen.items():
                runs[name].append(count(client, library, program))
        times = {
            name: statistics.median(run["ns_per_thread"] for run in found)
            for name, found in runs.items()
        }
        for name, found in runs.items():
            ratio = f"{times['ours'] / times[name]:.2f}" if name != "ours" else "-"
            rows.append([f"{variant}, {name}", *figures(found[0]), f"{times[name]:.0f}", ratio])
    head = [
        "runtime, library",
        "reads of a thread",
        "bytes",
        "symbols",
        "initialize: reads",
        "symbols",
    ]
    head += ["failed", "ICVs", "variables", "ns/thread", "ours/its"]
    title = """\
Callbacks of handle, region and state of a thread (at most 8 reads), of process initialization, all
ICVs of a thread and the display control variables; processor time of a thread (at most LLVM's)"""
    table(title, head, rows)


def figures(found: Counts) -> Sequence[str]:
    """How many callbacks one library sent."""
    threads = [row for row in found["again"] if "state" in row]
    of_thread = (
        max(sum(row[name][what] for name in QUESTIONS) for row in threads)
        for what in ("reads", "bytes", "symbols")
    )
    begun = (found["process"][what] for what in ("reads", "symbols", "failed_symbols"))
    rest = (found[what]["reads"] for what in ("icvs", "variables"))
    return list(map(str, [*of_thread, *begun, *rest]))


def run_plugin(gdb: List[str], library: Path, stop: str, folder: Path, counting: bool) -> Counts:
    """What plugin.py tells, by command, and how many tracebacks GDB printed."""
    runtime = build.runtime_folder(build.VARIANTS[RELEASE_VARIANT])
    program = build.build("many", RELEASE_VARIANT, folder / "fixtures")
    variables = {
        "BENCH_LLVM": str(runtime.parent / "gdb" / "ompd"),
        "BENCH_STOP": stop,
        "LD_LIBRARY_PATH": str(library.parent),
        "OMP_DEBUG": "enabled",
        **({"BENCH_COUNT": "1"} if counting else {}),
    }
    script = str(Path(__file__).resolve().parent / "plugin.py")
    done = subprocess.run(
        [*gdb, "-x", script, "--args", str(program), str(THREADS)],
        env=dict(os.environ, **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        errors="replace",
        timeout=120,
        check=True,
    )
    told = re.findall(r"^BENCH (\[.*)$", done.stdout, re.M)
    return {**dict(map(json.loads, told)), "tracebacks": done.stdout.count("Traceback (")}


def plugin(folder: Path, gdb: List[str]) -> None:
    """LLVM's plug-in over both libraries."""
    try:
        chosen = libraries(folder, RELEASE_VARIANT)
    except build.Skipped as reason:
        print(f"LLVM's plug-in is not measured: {reason}\n", flush=True)
        return
    commands: List[List[str]] = []
    inits: List[List[str]] = []
    for stop, when in STOPS.items():
        times: Dict[str, Dict[str, List[float]]] = {name: {} for name in chosen}
        for _ in range(RUNS):
            for name, library in chosen.items():
                for command, value in run_plugin(gdb, library, stop, folder, False).items():
                    times[name].setdefault(command, []).append(value)
        medians = {
            name: {command: statistics.median(values) for command, values in found.items()}
            for name, found in times.items()
        }
        for name, library in chosen.items():
            counts = run_plugin(gdb, library, stop, folder, True)
            for command in (key for key in counts if key != "tracebacks"):
                counted = counts[command]
                spent = {library: found[command] for library, found in medians.items()}
                row = [
                    f"{command}, {when if command == 'ompd init' else STOPS[LATE]}, {name}",
                    milliseconds(spent[name]),
                    f"{spent['ours'] / spent[name]:.2f}" if name != "ours" else "-",
                    *(
                        str(counted.get(key, 0))
                        for key in ("reads", "bytes", "symbols", "failed symbols")
                    ),
                ]
                (inits if command == "ompd init" else commands).append(row)
            inits[-1].append(str(counts["tracebacks"]))
    head = ["command, stop, library", "ms", "ours/its", "reads", "bytes", "symbols", "failed"]
    title = (
        f"LLVM's plug-in with {THREADS} threads: processor time and callbacks; it reads by bytes"
    )
    table(title + " (ompd init: at most 3)", [*head, "tracebacks"], inits)
    table(title, head, commands)
