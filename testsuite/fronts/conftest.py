# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools of 2013 and of TR2, and the programs of testsuite/ompt, compiled once for each runtime."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ompt")]

import oracle  # noqa: E402

FRONTS = oracle.BUILD / "fronts" / "libompt-fronts.so"
HEADERS = oracle.ROOT / "include" / "ompt"
DOCUMENTS = ("2013", "tr2")
FLAGS = ["-D_GNU_SOURCE", "-std=gnu11", "-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror"]
COMPILERS = {"gomp": {"c": "gcc", "f90": "gfortran"}, "kmp": {"c": "clang"}}
WORKERS = 2
SECONDS = 120
# Its tool answers omp_control_tool with a number that is no answer of TR2's.
SKIPPED = {"control"}


class Museum:
    """A folder with the tools and the programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtimes: Dict[str, oracle.Runtime] = {}
        self.programs: Dict[Tuple[str, str], Path] = {}
        self.runs: Dict[Tuple[str, str, str], Dict[str, oracle.Run]] = {}
        for document in DOCUMENTS:
            sources = [str(path) for path in self.tool_sources(document)]
            command = ["gcc", *FLAGS, "-shared", "-I" + str(HEADERS), *sources]
            subprocess.run([*command, "-o", str(self.tool(document))], check=True)

    @staticmethod
    def tool_sources(document: str) -> List[Path]:
        """What a tool is made of."""
        return [HERE / "tools" / name for name in ("tool_{}.c".format(document), "report.c")]

    def tool(self, document: str) -> Path:
        """The tool written to a document."""
        return self.folder / "tool_{}.so".format(document)

    def runtime(self, name: str) -> oracle.Runtime:
        """A runtime; skips the test if it is not there."""
        if name not in self.runtimes:
            try:
                self.runtimes[name] = oracle.runtime(name, self.folder)
            except oracle.Absent as reason:
                pytest.skip(str(reason))
        return self.runtimes[name]

    def program(self, source: Path, runtime: oracle.Runtime, *options: str) -> Path:
        """A program, compiled once."""
        compiler = COMPILERS[runtime.family][source.suffix[1:]]
        if not shutil.which(compiler):
            pytest.skip("no " + compiler)
        key = (source.name, runtime.name)
        if key not in self.programs:
            target = self.folder / "-".join(key)
            self.programs[key] = oracle.compile_program(
                source, compiler, ["-O1", *options], target, runtime
            )
        return self.programs[key]

    def environment(self, runtime: oracle.Runtime, *preloaded: Path) -> Dict[str, str]:
        """What a program runs with: as docs/ompt-fronts.md says, the same on both runtimes."""
        libraries = [str(path) for path in (oracle.INTERPOSER, *preloaded)]
        return dict(runtime.environment(), LD_PRELOAD=":".join(libraries))

    def run(
        self, command: List[str], runtime: oracle.Runtime, document: str, *preloaded: Path
    ) -> oracle.Run:
        """Run a program with an old tool, or with these libraries."""
        name = "-".join([document, runtime.name, *(Path(word).name for word in command)])
        scratch = self.folder / "runs" / name
        scratch.mkdir(parents=True, exist_ok=True)
        found = preloaded or (FRONTS, self.tool(document))
        return oracle.run_in(command, self.environment(runtime, *found), scratch)

    def runs_of(
        self, source: Path, runtime: oracle.Runtime, document: str
    ) -> Dict[str, oracle.Run]:
        """Runs of all that a program lists, or of itself; each is run once."""
        key = (source.name, runtime.name, document)
        if key in self.runs:
            return self.runs[key]
        program = str(self.program(source, runtime))
        listed = subprocess.run(
            [program],
            env=runtime.environment(),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=SECONDS,
        )
        names = [name for name in listed.stdout.split() or [""] if name not in SKIPPED]
        with ThreadPoolExecutor(WORKERS) as pool:
            runs = pool.map(
                lambda name: self.run([program, *name.split()], runtime, document), names
            )
            self.runs[key] = dict(zip(names, runs))
        return self.runs[key]


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Museum:
    """Shared by all tests."""
    if not (FRONTS.exists() and oracle.INTERPOSER.exists()):
        pytest.skip("there is no {}: run ./dev build".format(FRONTS))
    return Museum(tmp_path_factory.mktemp("fronts"))
