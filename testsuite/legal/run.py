#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random legal programs and compares what libompd answers with what they know of themselves.

    testsuite/legal/run.py [--programs N] [--first SEED] [--stops N] [--seconds N] CHECKER

CHECKER is build/testsuite/legal/legal_check. Each program is compiled by GCC and by Clang, and runs
on every runtime that is there: the compiler's own one, those of tools/libomp-folder, and with their
own glibc those in folders of tools/debian-folder. A program and the variables that it is started with
are the same for the same seed; where it is stopped is not. Exit status: 1 if anything differs, 77 if
there is neither compiler.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Counter as CounterType
from typing import Dict, List, Optional, Tuple

from generate import generate

HERE = Path(__file__).resolve().parent
LIBOMP_FOLDER = HERE.parent.parent / "tools" / "libomp-folder"
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ompdbg"
MULTIARCH = "usr/lib/x86_64-linux-gnu"
RELEASES = (14, 16, 19)
# Runtimes that need the glibc of their Debian release.
LATER = (
    ("gcc", "libgomp 14", "trixie", MULTIARCH, "libgomp.so.1"),
    ("gcc", "libgomp 16", "sid", MULTIARCH, "libgomp.so.1"),
    ("clang", "libomp 23", "sid", "usr/lib/llvm-23/lib", "libomp.so.5"),
)
LEVELS = ("-O2", "-O0")
# Cancellation happens at all, and leagues may have threads.
VARIABLES = {
    "OMP_CANCELLATION": "true",
    "KMP_TEAMS_THREAD_LIMIT": "16",
    "KMP_WARNINGS": "0",
}
# Priorities count. With them LLVM's runtime, from 16 on, ends regions whose tasks still run.
PRIORITIES = {"OMP_MAX_TASK_PRIORITY": "9"}
WITH_PRIORITIES = re.compile("libgomp|libomp 14$")
# A program is started with some of these, by its seed.
SETTINGS = {
    "OMP_DYNAMIC": ("true",),
    "OMP_MAX_ACTIVE_LEVELS": ("1", "3"),
    "OMP_NUM_THREADS": ("1", "3,2", "4"),
    "OMP_PLACES": ("threads", "cores", "{0}", "{0},{1}"),
    "OMP_PROC_BIND": ("true", "close", "spread,close", "master"),
    "OMP_SCHEDULE": ("dynamic", "guided,3"),
    "OMP_STACKSIZE": ("1M",),
    "OMP_THREAD_LIMIT": ("7", "64"),
    "OMP_TOOL": ("disabled",),
    "OMP_WAIT_POLICY": ("passive", "active"),
    "GOMP_SPINCOUNT": ("0", "10000"),
    "KMP_AFFINITY": ("disabled", "compact"),
    "KMP_BLOCKTIME": ("0", "infinite"),
    "KMP_CONSISTENCY_CHECK": ("all",),
    "KMP_FORKJOIN_BARRIER_PATTERN": ("tree,tree", "hyper,hyper", "linear,linear"),
    "KMP_GTID_MODE": ("1", "2"),
    "KMP_HOT_TEAMS_MAX_LEVEL": ("0", "1", "3"),
    "KMP_HOT_TEAMS_MODE": ("1",),
    "KMP_LIBRARY": ("throughput", "turnaround"),
    "KMP_LOCK_KIND": ("tas", "futex", "ticket", "queuing", "drdpa"),
    "KMP_PLAIN_BARRIER_PATTERN": ("tree,tree", "hierarchical,hierarchical"),
    "KMP_TASKING": ("0", "1"),
    "KMP_TASK_STEALING_CONSTRAINT": ("0",),
    "LIBOMP_NUM_HIDDEN_HELPER_THREADS": ("0", "2"),
}
MOST_SETTINGS = 4
SECONDS = 120  # for one program
FLAGS = {"clang": ["-fno-crash-diagnostics"]}
# The last: Clang itself has forgotten a constant that it has made.
COMPILER_FAILED = re.compile(
    "internal compiler error|frontend command failed|undefined reference to `__unnamed_"
)
# What LLVM's runtime says of itself before it ends the program. Threads run on meanwhile.
RUNTIME_FAILED = re.compile("^Assertion failure at kmp_", re.MULTILINE)
ALONE, SECONDS_ALONE = 4, 5  # runs of a program without a checker
DIFFERS, ENDED = 1, 2  # exit status of the checker


@dataclass(frozen=True)
class Runtime:
    compiler: str
    name: str
    folder: str  # with the library; "": where the compiler has its own
    system: str = ""  # folder with the Debian release whose glibc it needs

    def program(self) -> Tuple[str, str]:
        """What programs for it are compiled with; runtimes share them where they can."""
        return self.compiler, self.folder if self.system else ""

    def flags(self) -> List[str]:
        if not self.system:
            return []
        loader = "{}/lib64/ld-linux-x86-64.so.2".format(self.system)
        path = "{}:{}/{}".format(self.folder, self.system, MULTIARCH)
        return ["-Wl,--dynamic-linker=" + loader, "-Wl,--disable-new-dtags,-rpath," + path]

    def environment(self, seed: int) -> Dict[str, str]:
        environment = dict(os.environ, **VARIABLES, **settings(seed))
        if WITH_PRIORITIES.match(self.name):
            environment.update(PRIORITIES)
        if self.folder and not self.system:
            environment["LD_LIBRARY_PATH"] = self.folder
        return environment


@dataclass
class Result:
    programs: int = 0
    ended: int = 0
    failed: int = 0  # by an assertion of the runtime's own
    counts: CounterType[str] = field(default_factory=Counter)
    unanswered: CounterType[str] = field(default_factory=Counter)


def settings(seed: int) -> Dict[str, str]:
    choice = random.Random(seed)
    names = choice.sample(sorted(SETTINGS), choice.randint(0, MOST_SETTINGS))
    return {name: choice.choice(SETTINGS[name]) for name in names}


def runtimes() -> List[Runtime]:
    found = []
    if shutil.which("gcc"):
        found.append(Runtime("gcc", "libgomp", ""))
    for release in RELEASES:
        made = subprocess.run(
            [str(LIBOMP_FOLDER), str(release)], stdout=subprocess.PIPE, text=True, check=False
        )
        if made.returncode != 0:
            print("no libomp of LLVM {} here".format(release))
            continue
        for compiler, folder in (("gcc", "gomp"), ("clang", "lib")):
            if shutil.which(compiler):
                path = "{}/{}".format(made.stdout.strip(), folder)
                found.append(Runtime(compiler, "libomp {}".format(release), path))
    for compiler, name, suite, folder, library in LATER:
        system = DEBIAN / suite
        if not (system / folder / library).exists():
            print("no {} in a folder with Debian {} here".format(name, suite))
        elif shutil.which(compiler):
            found.append(Runtime(compiler, name, str(system / folder), str(system)))
    return found


def compiled(seed: int, runtime: Runtime, folder: Path) -> Optional[Path]:
    """The program; None where the compiler itself fails, which Clang 14 does now and then."""
    source, program = folder / "{}.c".format(seed), folder / "{}.{}".format(seed, runtime.name)
    source.write_text(generate(seed), encoding="ascii")
    compiler = runtime.compiler
    flags = [LEVELS[seed % len(LEVELS)], "-g", "-w", "-I" + str(HERE), *FLAGS.get(compiler, [])]
    command = [compiler, "-fopenmp", *flags, str(source), "-o", str(program), *runtime.flags()]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return program
    if not COMPILER_FAILED.search(done.stderr):
        sys.exit("seed {}: {} does not compile it:\n{}".format(seed, compiler, done.stderr))
    return None


def ends_alone(program: Path, seed: int, runtime: Runtime) -> bool:
    """Whether it is not the checker that makes the program end: such programs never do."""
    for _ in range(ALONE):
        try:
            subprocess.run(
                [str(program)],
                env=runtime.environment(seed),
                cwd=program.parent,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS_ALONE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            continue
        return True
    return False


def check(
    checker: Path, program: Path, seed: int, stops: int, runtime: Runtime
) -> Tuple[int, str]:
    command = [str(checker), str(stops), str(seed), str(program)]
    try:
        done = subprocess.run(
            command,
            env=runtime.environment(seed),
            cwd=program.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return DIFFERS, "not done after {} seconds".format(SECONDS)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def note(result: Result, output: str) -> None:
    for name, number in re.findall(r"^(\w+) (\d+)$", output, re.MULTILINE):
        result.counts[name] += int(number)
    for name, number in re.findall(r"^unanswered (.*) (\d+)$", output, re.MULTILINE):
        result.unanswered[name] += int(number)


def report(results: Dict[Runtime, Result]) -> None:
    for runtime, result in results.items():
        counts = ["{} {}".format(number, name) for name, number in result.counts.items()]
        print("{}, {}: {} programs".format(runtime.compiler, runtime.name, result.programs))
        print("    " + ", ".join(counts))
        if result.failed:
            print("    ended by an assertion of the runtime: {}".format(result.failed))
        if result.ended:
            print("    ended by themselves: {}".format(result.ended))
        if result.unanswered:
            rest = ["{} {}".format(name, number) for name, number in result.unanswered.items()]
            print("    not answered: " + ", ".join(rest))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checker", type=Path)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--stops", type=int, default=10, help="in each run of a program")
    parser.add_argument("--seconds", type=float, help="begin no other program after that time")
    options = parser.parse_args()
    there = runtimes()
    if not there:
        print("skipped: no compiler")
        return 77
    results = {runtime: Result() for runtime in there}
    begun, failed = time.monotonic(), 0
    for seed in range(options.first, options.first + options.programs):
        if options.seconds and time.monotonic() - begun > options.seconds:
            break
        with tempfile.TemporaryDirectory(prefix="ompdbg-legal-") as scratch:
            programs: Dict[Tuple[str, str], Optional[Path]] = {}
            for runtime, result in results.items():
                if runtime.program() not in programs:
                    programs[runtime.program()] = compiled(seed, runtime, Path(scratch))
                program = programs[runtime.program()]
                if program is None:
                    continue
                status, output = check(
                    options.checker.resolve(), program, seed, options.stops, runtime
                )
                result.programs += 1
                # No runtime stands every legal program: gomp_team_start of GCC 12 to 16 overruns its
                # stack in that of seed 20034, and LLVM's runtime has faults of its own. What a
                # program is that is being ended by them, nobody can tell.
                if RUNTIME_FAILED.search(output):
                    result.failed += 1
                    print("seed {}, {}: {}".format(seed, runtime.name, "an assertion of its own"))
                    continue
                note(result, output)
                ended = status == ENDED and ends_alone(program, seed, runtime)
                result.ended += ended
                if status == 0 or ended:
                    continue
                failed += 1
                given = " ".join("{}={}".format(*pair) for pair in settings(seed).items())
                print("seed {}, {}, {}: {}".format(seed, runtime.compiler, runtime.name, given))
                print("\n".join(output.splitlines()[:8]), flush=True)
    report(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
