#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random legal programs, with a tool that compares what it is told with what they count.

    testsuite/ompt/run.py [--programs N] [--first SEED] [--runtimes NAME,...]

A program that fails without the tool as well is not counted. libomp-14 can be named, too: it has
faults of its own in untied tasks and where loops are cancelled, and so has Clang 14. Exit status: 1
if anything differs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Counter as CounterType
from typing import List

import expected
import oracle
from generator import generate

RUNTIMES = "libgomp-10,libgomp,libgomp-14,libgomp-16"
ALONE = 4  # runs without the tool


def _is_stood(text: str, runtime: oracle.Runtime) -> bool:
    """Until GCC 11 libgomp has the number of a team in a variable that all threads share."""
    old = runtime.family == "gomp" and runtime.release < 12
    return not (old and "pthread_create" in text and "omp teams" in text)


def _compiled(seed: int, runtime: oracle.Runtime, folder: Path) -> Path:
    is_kmp = runtime.family == "kmp"
    target = folder / "{}-{}".format(seed, runtime.name)
    source = target.with_suffix(".c")
    source.write_text(generate(seed, is_kmp), encoding="ascii")
    options = [("-O2", "-O0")[seed % 2], "-I" + str(oracle.PROGRAMS / "generated")]
    compiler = "clang" if is_kmp else "gcc"
    return oracle.compile_program(source, compiler, options, target, runtime)


def _fails_alone(program: Path, runtime: oracle.Runtime, folder: Path) -> bool:
    return any(oracle.run([str(program)], runtime, None, folder).status for _ in range(ALONE))


def _differences(run: oracle.Run, runtime: oracle.Runtime) -> List[str]:
    found = ["status {}: {}".format(run.status, run.output[:200])] if run.status else []
    texts = (re.sub(r"\d+", "N", text) for text in expected.complaints(run, runtime))
    found += ["{} times {}".format(number, text) for text, number in Counter(texts).items()]
    but = expected.unknown(run, runtime) if run.counted else "$."
    return found + expected.differences(run, runtime, but)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--runtimes", default=RUNTIMES)
    options = parser.parse_args()
    programs: CounterType[str] = Counter()
    events: CounterType[str] = Counter()
    alone: CounterType[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="ompdbg-ompt-") as scratch:
        folder = Path(scratch)
        tool = oracle.build_tool(folder)
        for name in options.runtimes.split(","):
            try:
                runtime = oracle.runtime(name, folder)
            except oracle.Absent as reason:
                print("{}: {}".format(name, reason))
                continue
            mode = {"OMPT_CHECKER": "frames" if runtime.family == "gomp" else "all"}
            for seed in range(options.first, options.first + options.programs):
                try:
                    program = _compiled(seed, runtime, folder)
                except subprocess.CalledProcessError:
                    print("seed {}, {}: it does not compile".format(seed, name))
                    continue
                text = program.with_suffix(".c").read_text(encoding="ascii")
                if not _is_stood(text, runtime):
                    continue
                run = oracle.run([str(program)], runtime, tool, folder, mode)
                found = _differences(run, runtime)
                if found and run.status and _fails_alone(program, runtime, folder):
                    alone[name] += 1
                    found = []
                programs[name] += 1
                events[name] += sum(run.told.values())
                for path in folder.glob("{}-*".format(seed)):
                    path.unlink()
                if found:
                    failed += 1
                    print("seed {}, {}:".format(seed, name), *found, sep="\n    ", flush=True)
    for name, number in programs.items():
        print(
            "{}: {} programs, {} events, {} failed without the tool".format(
                name, number, events[name], alone[name]
            )
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
