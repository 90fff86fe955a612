# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that LLVM has for its OMPD library over another one, as their RUN lines say."""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

import build  # noqa: E402  (of the fixtures)

# The runtime that the tests expect: it has its symbols, and OMPD.
RUNTIME = build.VARIANTS["ompd23"]
SECONDS = 600
# Teams of the same size on any machine; a list, of which nthreads-var has more than a number.
NUM_THREADS = "4,4,4"
# What it wants to see first depends on which thread comes first to one of its breakpoints. LLVM does
# not notice: the wrapped line, below, has lost its FileCheck.
ATTEMPTS = {"openmp_examples/ompd_icvs.c": 3}
_RUN = re.compile(r"^// RUN: *(.*)$")
# The rest of a RUN line that was wrapped without a backslash.
_WRAPPED = re.compile(r"^// (%t.*)$")
_GDB_FAULTS = ("internal-error", "A fatal error internal to GDB")
# Both kinds of tests print lines that begin so where they find a mistake.
_COMPLAINT = re.compile(r"^(?:Failed|Skip|OMPT-OMPD mismatch|Python Exception)\b.*", re.M)
# A pipe's first program is the compiler or the debugger.
_SCRIPT = 'exec 3>&{}\n{}\necho "${{PIPESTATUS[@]}}" >&3'


@dataclass(frozen=True)
class Outcome:
    """How a test ended."""

    statuses: List[int]  # exit statuses of the last pipe that was run; none: it did not end
    verdict: str  # what FileCheck said
    output: str  # what GDB said, with the program and the plug-in

    @property
    def passed(self) -> bool:
        return bool(self.statuses) and not any(self.statuses)

    @property
    def gdb_survived(self) -> bool:
        """The debugger ended by itself, at the end of its commands."""
        return self.statuses[:1] == [0] and not any(sign in self.output for sign in _GDB_FAULTS)

    @property
    def complaints(self) -> List[str]:
        """The lines in which the plug-in says that something is wrong."""
        return _COMPLAINT.findall(self.output)


def folder() -> Path:
    """Return where the runtime, the plug-in and the tests are. Raises build.Skipped."""
    if not find_filecheck():
        raise build.Skipped("no FileCheck (Debian's package llvm-14-tools, or of another release)")
    if shutil.which("clang") is None:
        raise build.Skipped("no clang")
    found = build.runtime_folder(RUNTIME).parent
    problem = setup.plugin_problem(found / "gdb" / "ompd", RUNTIME.release)
    if problem:
        raise build.Skipped(problem)
    return found


def find_filecheck() -> str:
    """Return LLVM's program that compares an output with what is expected; "" if there is none."""
    found = list(Path("/usr/lib").glob("llvm-*/bin/FileCheck"))
    return shutil.which("FileCheck") or str(found[0] if found else "")


def run_lines(source: Path) -> List[str]:
    """Return the commands of a test."""
    found: List[str] = []
    for line in source.read_text(encoding="utf-8").splitlines():
        command, rest = _RUN.match(line), _WRAPPED.match(line)
        if found and found[-1].endswith("\\") and command is not None:
            found[-1] = found[-1].rstrip("\\") + command.group(1)
        elif found and rest is not None:
            found[-1] += " " + rest.group(1)
        elif command is not None:
            found.append(command.group(1))
    return found


def _substitutes(where: Path, source: Path, scratch: Path) -> Dict[str, str]:
    """Return what the words of RUN lines stand for, in the order in which they are replaced."""
    tests = where / "test"
    flags = "-I {} -I {} -L {}".format(tests, where / "include", where / "lib")
    return {
        "%gdb-compile-and-run": "%gdb-compile && %gdb-run",
        "%gdb-compile": "clang -fopenmp -g -gdwarf-4 %s -o %t " + flags,
        "%gdb-run": "%gdb-test -x {} %t".format(tests / "test.cmd"),
        "%gdb-test": "env OMP_DEBUG=enabled {} -nx -iex 'set debug-file-directory' -x {}".format(
            setup.GDB, where / "gdb" / "ompd" / "__init__.py"
        ),
        "FileCheck": find_filecheck(),
        "%S": str(source.parent),
        "%s": str(source),
        "%t": str(scratch / source.stem),
    }


def run_test(where: Path, name: str, library: Path, scratch: Path) -> Outcome:
    """Run the commands of a test until one fails. The plug-in finds that OMPD library."""
    source = where / "test" / name
    shutil.copy(str(library), str(scratch / "libompd.so"))
    variables = {
        "HOME": str(scratch),
        "LD_LIBRARY_PATH": "{}:{}".format(scratch, where / "lib"),
        "OMP_NUM_THREADS": NUM_THREADS,
    }
    statuses: List[int] = []
    verdict = ""
    for line in run_lines(source):
        for word, meaning in _substitutes(where, source, scratch).items():
            line = line.replace(word, meaning)
        statuses, said = run_line(line, scratch, processes.environment(variables))
        verdict += said
        if any(statuses) or not statuses:
            break
    outputs = [path.read_text("utf-8", "replace") for path in sorted(scratch.glob("*.out*"))]
    return Outcome(statuses, verdict, "".join(outputs))


def run_line(line: str, scratch: Path, variables: Dict[str, str]) -> "tuple[List[int], str]":
    """Return the exit statuses of the programs in a pipe, and what they wrote to no file."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="ascii") as statuses:
        process = subprocess.Popen(
            ["bash", "-c", _SCRIPT.format(writing, line)],
            cwd=str(scratch),
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            errors="replace",
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        try:
            said, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return [], said + "no end after {} s".format(SECONDS)
        return [int(word) for word in statuses.read().split()], said
