# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OMPD interface of 2016 and the later one, by a debugger of each in one program, on the same
target: what one says of it, the other says."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

import build  # noqa: E402  (of the fixtures)

WALK = ROOT / "build" / "testsuite" / "api" / "tr2_walk"
OMPDBG = ROOT / "build" / "ompdbg"
TOOL = ROOT / "testsuite" / "gdb" / "programs" / "tool.c"
LIBRARY = ROOT / "build" / "libompd" / "libompd.so"
LIBRARY_2016 = ROOT / "build" / "libompd-tr2" / "libompd-tr2.so"

Program = Tuple[str, ...]
PROGRAMS: Tuple[Program, ...] = (("nested",), ("icvs", "env"), ("tasks",), ("teams",))
VARIANTS = ("O2", "clang")
# What is lost is an error, as what is read or freed twice is.
VALGRIND = ("valgrind", "-q", "--error-exitcode=9", "--leak-check=full")
KINDS = ("logical", "own")  # of stacks
UNKNOWN = 0  # from here on: what the runtime recorded is no frame of the thread's stack


def fixture(name: str, variant: str) -> Path:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def compare(target: object, least: int, *under: str) -> None:
    """At least so many values are compared, and none differs."""
    command = [*under, WALK, "compare", LIBRARY, LIBRARY_2016, target]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=600, check=False
    )
    said = re.search(r"^(\d+) values, 0 lines differ, 0 blocks not freed$", done.stdout, re.M)
    assert said is not None and done.returncode == 0, done.stdout + done.stderr
    assert int(said.group(1)) >= least


@pytest.mark.parametrize("program", PROGRAMS, ids="-".join)
@pytest.mark.parametrize("variant", VARIANTS)
def test_process(program: Program, variant: str) -> None:
    with processes.ready_program(fixture(program[0], variant), program[1:]) as pid:
        compare(pid, 200)


@pytest.mark.parametrize("program", PROGRAMS[:2], ids="-".join)
@pytest.mark.parametrize("variant", VARIANTS)
def test_core_file(program: Program, variant: str, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    core = processes.kernel_core(fixture(program[0], variant), program[1:], tmp_path)
    compare(core, 200)


@pytest.mark.parametrize("variant", VARIANTS)
def test_memory_under_valgrind(variant: str, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if shutil.which(VALGRIND[0]) is None:
        problem = "no " + VALGRIND[0]
    if problem:
        pytest.skip(problem)
    name, *arguments = PROGRAMS[0]
    compare(processes.kernel_core(fixture(name, variant), arguments, tmp_path), 200, *VALGRIND)


@pytest.mark.parametrize("variant", ("static", "stripped", "gcc-omp14", "omp19"))
def test_variants(variant: str) -> None:
    """Programs without a dynamic linker, without symbols, on another library's file name."""
    with processes.ready_program(fixture("nested", variant), ()) as pid:
        compare(pid, 1000)


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tool (OMPT), with which LLVM's runtime keeps states and frames."""
    target = tmp_path_factory.mktemp("tool") / "libtool.so"
    subprocess.run([setup.CC, "-shared", "-fPIC", str(TOOL), "-o", str(target)], check=True)
    return target


def answer(*words: object) -> Any:
    done = subprocess.run(
        [str(OMPDBG), *map(str, words), "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_recipe(target: object) -> Dict[Tuple[int, str], List[int]]:
    """The program's frames as section 11.4 finds them: by thread, on its "own" stack or in the
    "logical" one, which goes on on others."""
    command = [WALK, "unwind", LIBRARY_2016, target]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found: Dict[Tuple[int, str], List[int]] = {}
    for line in done.stdout.splitlines():
        lwp, kind, address = line.split()
        found.setdefault((int(lwp), kind), []).append(int(address, 16))
    return found


def by_bt(parts: List[Dict[str, Any]]) -> List[int]:
    """The same as `omp bt` shows them; inlined functions are in one frame with their callers."""
    found: List[int] = []
    for frame in (frame for part in parts for frame in part["frames"]):
        address = int(frame["address"], 16)
        if frame["kind"] == "user" and found[-1:] != [address]:
            found.append(address)
    return found


@pytest.mark.parametrize(
    "program, variant, threads",
    [(name, variant, 8) for name in ("nested", "hung") for variant in ("clang", "ompd23")]
    + [("nested", "gcc-omp14", 8), ("waits", "clang", 9), ("cxx", "clang", 4)]
    + [("tasks", "clang", 4), ("teams", "clang", 6)],
)
def test_unwinding(program: str, variant: str, threads: int, tool: Path, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    tracking = "OMP_DEBUG=enabled" if variant == "ompd23" else f"OMP_TOOL_LIBRARIES={tool}"
    command = (tracking, str(fixture(program, variant)))
    core = processes.kernel_core(Path("/usr/bin/env"), command, tmp_path)
    compare(core, 300)
    # Behind a deferred task the chain of those that generated it goes its own way.
    same_frames(core, threads, ("own",) if program == "tasks" else KINDS)


def test_unwinding_a_process(tool: Path) -> None:
    """Locks, critical and ordered regions, barriers and taskwait: each thread waits in another."""
    command = (f"OMP_TOOL_LIBRARIES={tool}", str(fixture("waits", "clang")))
    with processes.ready_program(Path("/usr/bin/env"), command) as pid:
        same_frames(pid, 9)


def same_frames(target: object, threads: int, kinds: Tuple[str, ...] = KINDS) -> None:
    recipe = by_recipe(target)
    lwps = {thread["gdb"]: thread["lwp"] for thread in answer("threads", target)["threads"]}
    stacks = [stack["parts"] for stack in answer("bt", target)["stacks"]]
    stacks = [parts for parts in stacks if parts[0]["team"] is not None]
    assert len(stacks) == threads
    unknown: Set[int] = set()
    for parts in stacks:
        number = parts[0]["thread"]
        lwp = lwps[number]
        for kind in kinds:
            shown = [part for part in parts if kind == "logical" or part["thread"] == number]
            expected = by_bt(shown)
            found = recipe[lwp, kind]
            if UNKNOWN in found:
                unknown.add(number)
                continue
            # Behind main `omp bt` shows nothing.
            if shown[-1]["frames"][-1]["function"] == "main":
                found = found[: len(expected)]
            assert found == expected
    assert len(unknown) < threads / 2, unknown
