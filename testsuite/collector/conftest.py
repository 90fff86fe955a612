# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run under a collector: the tool of programs/tool.c, or themselves. Runtimes, and the
programs that count what they do, are those of the tests of OMPT."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "ompt"))

import oracle  # noqa: E402

PROGRAMS = HERE / "programs"
HEADER = oracle.ROOT / "include" / "ompt" / "omp_collector.h"
INCLUDE = "-I{}".format(HEADER.parent)
Variables = Optional[Dict[str, str]]

# Events by the names that they have in docs/collector.md.
EVENTS = {
    number: re.sub("^OMP_EVENT_(THR_)?", "", name)
    for name, number in re.findall(r"(OMP_EVENT_\w+) = (\d+)", HEADER.read_text("utf-8"))
    if int(number) < 4096
}


@dataclass
class Told:
    """What the tool was told of a run."""

    status: int
    output: str
    counted: Dict[str, int]  # by the program itself
    events: Dict[str, int] = field(default_factory=dict)
    errors: Dict[str, int] = field(default_factory=dict)  # of each registration
    parents: Dict[int, int] = field(default_factory=dict)  # of each task
    late: int = 0  # ends of barriers of regions that had ended before
    samples: int = 0
    complaints: List[str] = field(default_factory=list)


def parse(run: oracle.Run, path: Path) -> Told:
    """Read what the tool wrote."""
    told = Told(run.status, run.output, run.counted)
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        word, _, rest = line.partition(" ")
        if word == "complaint":
            told.complaints.append(rest)
            continue
        if word in ("late", "samples"):
            setattr(told, word, int(rest))
            continue
        key, number = rest.split()
        if word == "event":
            told.events[EVENTS[key]] = int(number)
        elif word == "register":
            told.errors[EVENTS[key]] = int(number)
        else:
            told.parents[int(key)] = int(number)
    return told


class Laboratory:
    """A folder with the tool and the programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tool = folder / "libtool.so"
        flags = ["-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-Wall", "-Werror"]
        source = str(PROGRAMS / "tool.c")
        subprocess.run(["gcc", *flags, INCLUDE, source, "-o", str(self.tool)], check=True)
        self.runtimes: Dict[str, oracle.Runtime] = {}
        self.programs: Dict[Tuple[str, ...], Path] = {}

    def runtime(self, name: str) -> oracle.Runtime:
        """A runtime; skips the test if it is not there."""
        if name not in self.runtimes:
            try:
                self.runtimes[name] = oracle.runtime(name, self.folder)
            except oracle.Absent as reason:
                pytest.skip(str(reason))
        for library in (oracle.COLLECTOR, oracle.INTERPOSER):
            if not library.exists():
                pytest.skip("there is no {}: run ./dev build".format(library))
        return self.runtimes[name]

    def program(self, source: Path, compiler: str, runtime: oracle.Runtime) -> Path:
        """A program, compiled once for each family of runtimes."""
        if not shutil.which(compiler):
            pytest.skip("no " + compiler)
        key = (source.name, compiler, runtime.family)
        if key not in self.programs:
            target = self.folder / "-".join(key)
            options = ["-O1", INCLUDE]
            self.programs[key] = oracle.compile_program(source, compiler, options, target, runtime)
        return self.programs[key]

    def run(
        self,
        command: List[str],
        runtime: oracle.Runtime,
        extra: Variables = None,
        tool: bool = True,
    ) -> Told:
        """Run a program with the collector library, and the tool."""
        scratch = self.folder / "runs" / re.sub(r"[^\w-]", "_", "-".join(command[-2:]))
        scratch.mkdir(parents=True, exist_ok=True)
        out = scratch / "collected"
        out.unlink(missing_ok=True)
        preload = [oracle.INTERPOSER, oracle.COLLECTOR, *([self.tool] if tool else [])]
        environment = dict(
            runtime.environment(),
            COLLECTOR_OUT=str(out),
            LD_PRELOAD=":".join(str(library) for library in preload),
            **(extra or {}),
        )
        return parse(oracle.run_in(command, environment, scratch), out)


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """Shared by all tests."""
    return Laboratory(tmp_path_factory.mktemp("collector"))
