# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the tests that LLVM has for OMPT with GCC, and runs them on libgomp with our library."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "testsuite" / "llvm_ompd"))

import suite as ompd_suite  # noqa: E402  (how LLVM's tests are run)
from harness import processes  # noqa: E402

LIBRARY = ROOT / "build" / "ompt" / "gomp" / "libompt-gomp.so"
RELEASE = "19"
# Events that no program of GCC's lets libgomp see. A test that only wants to hear of others does not
# get to read that these never come.
NEVER = "flush masked master reduction task_dependence".split()
# Preloads the library, and a tool after it.
_RUNNER = r"""#!/bin/sh
{{ LD_PRELOAD={library}${{TEST_TOOL:+:$TEST_TOOL}} "$@"; echo $? >{scratch}/status; }} |
  sed "/^0: Could not register callback 'ompt_callback_\({never}\)'/d"
exit "$(cat {scratch}/status)"
"""
_COMPLAINT = "error: |undefined reference|is empty"
_LIMIT = "timeout 20"
# One of them calls a function that it does not declare: an error since GCC 14.
_OLD_C = "-Wno-error=implicit-function-declaration"


class Skipped(Exception):
    """The tests cannot be had here."""


@dataclass(frozen=True)
class Outcome:
    """How a test ended."""

    statuses: List[int]
    output: str

    @property
    def passed(self) -> bool:
        return bool(self.statuses) and not any(self.statuses)

    @property
    def complaint(self) -> str:
        """The first error, of the compiler, of the linker or of FileCheck, with what it is about."""
        lines = self.output.splitlines()
        starts = [i for i, line in enumerate(lines) if re.search(_COMPLAINT, line)]
        return "\n".join(lines[starts[0] : starts[0] + 3]) if starts else ""


def folder() -> Path:
    """Return the folder of LLVM's tests for OMPT. Raises Skipped."""
    if not ompd_suite.find_filecheck():
        raise Skipped("no FileCheck (Debian's package llvm-14-tools, or of another release)")
    if not LIBRARY.exists():
        raise Skipped("no libompt-gomp.so in build/")
    done = subprocess.run(
        [str(ROOT / "tools" / "build-libomp"), "ompt", RELEASE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    if done.returncode == 77:
        raise Skipped(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()) / "test" / "ompt"


def names(where: Path) -> List[str]:
    """Return the names of all tests."""
    sources = [*where.glob("**/*.c"), *where.glob("**/*.cpp")]
    return sorted(str(path.relative_to(where)) for path in sources)


def _substitutes(where: Path, source: Path, scratch: Path) -> Dict[str, str]:
    """Return what the words of RUN lines stand for, in the order in which they are replaced."""
    folders = [where, where.parent, ROOT / "include" / "ompt"]
    flags = "{} -include {} -fno-omit-frame-pointer -rdynamic -w {}".format(
        " ".join("-I {}".format(folder) for folder in folders), HERE / "llvm_omp.h", _OLD_C
    )
    compiler, run = "gcc -fopenmp " + flags, "{} {} %t".format(_LIMIT, scratch / "run")
    libraries = "-lm -lgomp -Wl,--as-needed {}".format(LIBRARY)  # of omp_control_tool
    return {
        "%libomp-compile-and-run": "%libomp-compile && %libomp-run",
        "%libomp-cxx-compile-and-run": "%libomp-cxx-compile && %libomp-run",
        "%libomp-c99-compile-and-run": "%libomp-c99-compile && %libomp-run",
        "%libomp-cxx-compile": "g++ -fopenmp {} -std=c++17 %s -o %t {}".format(flags, libraries),
        "%libomp-c99-compile": compiler + " -std=c99 %s -o %t " + libraries,
        "%libomp-compile": compiler + " %s -o %t " + libraries,
        "%libomp-run": run,
        "%clang %flags": compiler,
        "%sort-threads": "sort -n -s",
        "%preload-tool": "env TEST_TOOL=%T/tool.so",
        "%no-as-needed-flag": "-Wl,--no-as-needed",
        " -lomp ": " -lgomp ",
        "FileCheck": "tee -a {} | {}".format(scratch / "output", ompd_suite.find_filecheck()),
        "%S": str(source.parent),
        "%T": str(scratch),
        "%s": str(source),
        "%t": str(scratch / source.stem),
    }


def run_test(where: Path, name: str, scratch: Path) -> Outcome:
    """Run the commands of a test until one fails."""
    source = where / name
    runner = scratch / "run"
    never = r"\|".join(NEVER)
    text = _RUNNER.format(library=LIBRARY, scratch=scratch, never=never)
    runner.write_text(text, encoding="utf-8")
    runner.chmod(0o755)
    variables = {"HOME": str(scratch)}
    statuses: List[int] = []
    verdict = ""
    for line in ompd_suite.run_lines(source):
        for word, meaning in _substitutes(where, source, scratch).items():
            line = line.replace(word, meaning)
        line = "set -o pipefail; " + line
        statuses, said = ompd_suite.run_line(line, scratch, processes.environment(variables))
        verdict += said
        if any(statuses) or not statuses:
            break
    written = scratch / "output"
    output = written.read_text("utf-8", "replace") if written.exists() else ""
    shutil.rmtree(str(scratch), ignore_errors=True)
    return Outcome(statuses, verdict + output)
