# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that count what they do, with a tool that counts what it is told, and compares."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
BUILD = ROOT / "build" / "ompt"
INTERPOSER = BUILD / "gomp" / "libompt-gomp.so"
RECORDER = BUILD / "recorder" / "libompdbg-recorder.so"
COLLECTOR = BUILD / "fronts" / "collector" / "libompdbg-collector.so"
LIBOMP_FOLDER = ROOT / "tools" / "libomp-folder"
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ompdbg"
MULTIARCH = "usr/lib/x86_64-linux-gnu"
SECONDS = 30

# Cancellation happens at all, and leagues may have threads. Not OMP_MAX_TASK_PRIORITY: libgomp
# itself fails now and then where a thread waits for tasks of several priorities.
VARIABLES = {
    "OMP_CANCELLATION": "true",
    "KMP_TEAMS_THREAD_LIMIT": "16",
    "KMP_WARNINGS": "0",
}


@dataclass(frozen=True)
class Runtime:
    """A runtime of some release."""

    family: str  # gomp or kmp
    release: int
    folder: str = ""  # with the library; "": where the compiler has its own
    system: str = ""  # folder with the Debian release whose glibc it needs

    @property
    def name(self) -> str:
        """As Debian's packages are called."""
        return "lib{}-{}".format("gomp" if self.family == "gomp" else "omp", self.release)

    def flags(self) -> List[str]:
        """What programs for it are linked with."""
        if self.family == "gomp" and self.release < 11:
            return ["-DOLD_LIBGOMP"]
        if not self.system:
            return []
        loader = "{}/lib64/ld-linux-x86-64.so.2".format(self.system)
        path = "{}:{}/{}".format(self.folder, self.system, MULTIARCH)
        return ["-Wl,--dynamic-linker=" + loader, "-Wl,--disable-new-dtags,-rpath," + path]

    def environment(self) -> Dict[str, str]:
        """What programs on it run with."""
        environment = dict(os.environ, **VARIABLES)
        for name in ("OMP_TOOL", "OMP_TOOL_LIBRARIES", "LD_PRELOAD", "OMPT_CHECKER"):
            environment.pop(name, None)
        if self.folder and not self.system:
            environment["LD_LIBRARY_PATH"] = self.folder
        return environment

    def with_tool(self, tool: Path) -> Dict[str, str]:
        """The same, with a tool."""
        environment = dict(self.environment(), OMP_TOOL_LIBRARIES=str(tool))
        if self.family == "gomp":
            environment["LD_PRELOAD"] = str(INTERPOSER)
        return environment


@dataclass
class Run:
    """What a program counted and what the tool was told."""

    status: int
    output: str
    counted: Dict[str, int] = field(default_factory=dict)
    told: Dict[str, int] = field(default_factory=dict)
    complaints: List[str] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


class Absent(Exception):
    """A runtime or compiler that is not there, and why."""


# Folders of tools/debian-folder with other releases of libgomp.
SUITES = {10: "bullseye", 14: "trixie", 16: "sid"}
_VERSION = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=False)
# The release of this machine, which tests call "libgomp".
INSTALLED = int(_VERSION.stdout.split(".")[0] or 0)


def gomp(release: int, scratch: Path) -> Runtime:
    """A release of libgomp."""
    if release == INSTALLED:
        return Runtime("gomp", release)
    system = DEBIAN / SUITES[release]
    library = system / MULTIARCH / "libgomp.so.1"
    if not library.exists():
        raise Absent("debian-folder: no folder with Debian {} here".format(SUITES[release]))
    if release > INSTALLED:
        return Runtime("gomp", release, str(library.parent), str(system))
    # An older one runs with this machine's glibc, in a folder where there is nothing else.
    folder = scratch / "libgomp-{}".format(release)
    folder.mkdir(exist_ok=True)
    shutil.copy(str(library), str(folder))
    return Runtime("gomp", release, str(folder))


def kmp(release: int) -> Runtime:
    """A release of LLVM's runtime."""
    made = subprocess.run(
        [str(LIBOMP_FOLDER), str(release)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise Absent(made.stderr.strip())
    return Runtime("kmp", release, made.stdout.strip() + "/lib")


def runtime(name: str, scratch: Path) -> Runtime:
    """That of a name, as in libgomp, libgomp-14 or libomp-14."""
    family, _, release = name.partition("-")
    if family == "libomp":
        return kmp(int(release))
    return gomp(int(release or INSTALLED), scratch)


def build_tool(folder: Path) -> Path:
    """The tool."""
    library = folder / "libchecker.so"
    flags = ["-D_GNU_SOURCE", "-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-Wall", "-Werror"]
    sources = [str(path) for path in sorted((HERE / "tool").glob("*.c"))]
    include = "-I" + str(ROOT / "include" / "ompt")
    subprocess.run(["gcc", *flags, include, *sources, "-o", str(library)], check=True)
    return library


def compile_program(
    source: Path, compiler: str, options: Sequence[str], target: Path, runtime: Runtime
) -> Path:
    """A program that counts."""
    support = target.with_suffix(".counts.o")
    plain = "clang" if "clang" in compiler else "gcc"
    common = ["-fopenmp", "-g", "-w", *options]
    subprocess.run(
        [plain, *common, "-c", str(PROGRAMS / "counts.c"), "-o", str(support)], check=True
    )
    command = [compiler, *common, "-I" + str(PROGRAMS), str(source), str(support)]
    command += ["-o", str(target), "-latomic", *runtime.flags()]
    subprocess.run(command, check=True, cwd=target.parent)
    return target


def _numbers(path: Path) -> Tuple[Dict[str, int], List[str]]:
    """Lines of a name and a number, and all others."""
    numbers, others = {}, []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, rest = line.partition(" ")
            if rest.isdigit():
                numbers[name] = int(rest)
            else:
                others.append(line)
    return numbers, others


def run(
    command: Sequence[str],
    runtime: Runtime,
    tool: Optional[Path],
    scratch: Path,
    extra: Optional[Dict[str, str]] = None,
) -> Run:
    """Run a program with the tool, or without."""
    environment = runtime.with_tool(tool) if tool else runtime.environment()
    return run_in(command, {**environment, **(extra or {})}, scratch)


def run_in(command: Sequence[str], environment: Dict[str, str], scratch: Path) -> Run:
    """Run a program in an environment."""
    told, counted = scratch / "told", scratch / "counted"
    for path in (told, counted):
        path.unlink(missing_ok=True)
    environment = {
        **environment,
        "OMPT_CHECKER_OUT": str(told),
        "OMPT_PROGRAM_OUT": str(counted),
    }
    try:
        done = subprocess.run(
            list(command),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(124, "not done after {} seconds".format(SECONDS))
    return read_run(scratch, done.returncode, done.stdout)


def read_run(scratch: Path, status: int, output: str) -> Run:
    """Read what a program and the tool wrote."""
    result = Run(status, output, _numbers(scratch / "counted")[0])
    result.told, others = _numbers(scratch / "told")
    result.complaints = [line[10:] for line in others if line.startswith("complaint ")]
    result.notes = [line[5:] for line in others if line.startswith("note ")]
    return result
