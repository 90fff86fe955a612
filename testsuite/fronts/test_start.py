# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How an old tool is found, or not; what it is told at places that the program knows; commands of
programs in C and in Fortran; and children of fork."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Tuple

import oracle
import pytest
from conftest import DOCUMENTS, FLAGS, FRONTS, HEADERS, HERE, Museum

RUNTIMES = ("libgomp", "libomp-14")
PLACES = HERE / "programs" / "places.c"
TWICE = HERE / "programs" / "twice.c"
AT_ONCE = 4
NO_TOOL = "libompt-fronts: no ompt_tool or ompt_initialize (preload the tool)"


def printed(run: oracle.Run) -> Dict[str, int]:
    """What a program wrote of itself."""
    return {name: int(number) for name, number in re.findall(r"^(\w+) (\d+)$", run.output, re.M)}


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_places(museum: Museum, name: str, document: str) -> None:
    runtime = museum.runtime(name)
    run = museum.run([str(museum.program(PLACES, runtime))], runtime, document)
    counted = printed(run)
    assert run.status == 0, run.output
    assert not run.complaints, "\n".join(run.complaints)
    assert run.told["place"] == counted["places"] > 0
    is_gomp = runtime.family == "gomp"
    assert run.told.get("flush", 0) == (0 if is_gomp else counted["flush"])
    assert run.told["control"] == 3  # one of them is omp_control_tool
    assert (run.told["control.command"], run.told["control.modifier"]) == (64, 1 << 40)
    targets = sum(v for k, v in run.told.items() if k.startswith("target.") and "begin" in k)
    expected = counted["target"] if is_gomp and document == "tr2" else 0
    assert targets == expected


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_samples(museum: Museum, name: str, document: str) -> None:
    """Routines may be called in a signal handler, also where a worker waits for its next region."""
    runtime = museum.runtime(name)
    program = museum.program(HERE / "programs" / "samples.c", runtime)

    # Several at once: then threads are interrupted in the midst of regions' begins.
    def sampled(number: int) -> oracle.Run:
        return museum.run([str(program), str(number)], runtime, document)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for run in pool.map(sampled, range(2 * AT_ONCE)):
            assert (run.status, run.complaints) == (0, []), run.output
            assert run.told["sample"] >= printed(run)["samples"] > 0


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_child_of_fork(museum: Museum, name: str, document: str, tmp_path: Path) -> None:
    runtime = museum.runtime(name)
    environment = museum.environment(runtime, FRONTS, museum.tool(document))
    environment["CHILD_OUT"] = str(tmp_path / "child")
    run = oracle.run_in([str(museum.program(TWICE, runtime))], environment, tmp_path)
    assert (run.status, run.output, run.complaints) == (0, "", [])
    child = (tmp_path / "child").read_text(encoding="utf-8")
    # Both runtimes go on with the same tool in the child. LLVM's does not tell that its thread begins.
    found = re.findall(r"^complaint (\w+)", child, re.M)
    assert set(found) <= ({"on_thread_end"} if runtime.family == "kmp" else set())
    begun = "implicit_task_create" if document == "2013" else "implicit_task.begin"
    assert run.told[begun] == 2
    assert re.search(r"^{} 3$".format(re.escape(begun)), child, re.M), child


def linked() -> List[str]:
    """Options for a program that is linked with the library."""
    place = str(FRONTS.parent)
    return ["-L" + place, "-Wl,--no-as-needed,-rpath," + place, "-lompt-fronts"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_tool_in_the_program(museum: Museum, document: str, tmp_path: Path) -> None:
    """Linked with the library, not preloaded."""
    runtime = museum.runtime("libgomp")
    sources = [str(TWICE), *map(str, museum.tool_sources(document))]
    options = [*FLAGS, "-fopenmp", "-I" + str(HEADERS), *linked()]
    program = tmp_path / "program"
    subprocess.run(["gcc", *sources, *options, "-o", str(program)], check=True)
    run = oracle.run_in([str(program)], museum.environment(runtime), tmp_path)
    assert (run.status, run.output, run.complaints) == (0, "", [])
    assert run.told["parallel_create" if document == "2013" else "parallel_begin"] == 1


def test_fortran(museum: Museum) -> None:
    runtime = museum.runtime("libgomp")
    program = museum.program(HERE / "programs" / "control.f90", runtime, *linked())
    run = museum.run([str(program)], runtime, "2013", museum.tool("2013"))
    name = "ompdbg's OMPT for GCC's libgomp"
    assert (run.status, run.complaints) == (0, [])
    assert run.output.splitlines() == [name, "{} {}".format(name[:6], 6)]
    assert run.told["control"] == 3
    assert (run.told["control.command"], run.told["control.modifier"]) == (64, 3)


def lines(museum: Museum, name: str, preloaded: List[Path], scratch: Path) -> List[str]:
    """What a program prints with these libraries."""
    runtime = museum.runtime(name)
    environment = museum.environment(runtime)
    environment["LD_PRELOAD"] = ":".join(map(str, preloaded))
    run = oracle.run_in([str(museum.program(TWICE, runtime))], environment, scratch)
    assert run.status == 0
    return run.output.splitlines()


@pytest.mark.parametrize("name", RUNTIMES)
def test_messages(museum: Museum, name: str, tmp_path: Path) -> None:
    both = [oracle.INTERPOSER, FRONTS]
    assert set(lines(museum, name, both, tmp_path)) == {NO_TOOL}
    assert lines(museum, name, [*both, museum.tool("2013")], tmp_path) == []
    # A tool for OMPT 5 starts where there is no old one.
    if oracle.RECORDER.exists():
        assert lines(museum, name, [*both, oracle.RECORDER], tmp_path) == []
    alone = lines(museum, name, [FRONTS, museum.tool("2013")], tmp_path)
    if name == "libomp-14":
        assert alone == []
    else:
        missing = "this program uses libgomp (preload libompt-gomp.so as well)"
        assert alone == ["libompt-fronts: " + missing]


@pytest.mark.parametrize("name", RUNTIMES)
def test_tool_of_today(museum: Museum, name: str, tmp_path: Path) -> None:
    """Its initializer may have the name of that of 2013."""
    runtime = museum.runtime(name)
    tool = tmp_path / "tool_5.so"
    command = ["gcc", *FLAGS, "-shared", "-I" + str(HEADERS), str(HERE / "tools" / "tool_5.c")]
    subprocess.run([*command, "-o", str(tool)], check=True)
    environment = museum.environment(runtime, FRONTS, tool)
    run = oracle.run_in([str(museum.program(TWICE, runtime))], environment, tmp_path)
    assert (run.status, set(run.output.split())) == (0, {"finalized"})


@pytest.mark.parametrize("document", DOCUMENTS)
def test_strange_runtimes(museum: Museum, document: str, tmp_path: Path) -> None:
    """One without OMPT of today, and one that comes when the tool has another."""
    source = HERE / "programs" / "runtime.c"
    runtime = museum.runtime("libgomp")
    preloaded = (FRONTS, museum.tool(document))
    cases: List[Tuple[List[str], List[str], str]] = [
        ([], [], "the runtime lacks OMPT of OpenMP 5.0 (no tool starts)"),
        (["-fopenmp"], ["second"], "a second OpenMP runtime in the process (not observed)"),
    ]
    for options, words, text in cases:
        program = tmp_path / "program"
        command = ["gcc", "-w", "-I" + str(HEADERS), *options, str(source), *linked()]
        subprocess.run([*command, "-o", str(program)], check=True)
        environment = museum.environment(runtime, *preloaded)
        run = oracle.run_in([str(program), *words], environment, tmp_path)
        assert (run.status, run.output) == (0, "libompt-fronts: {}\n".format(text))


@pytest.mark.parametrize("name", RUNTIMES)
def test_tools_switched_off(museum: Museum, name: str, tmp_path: Path) -> None:
    runtime = museum.runtime(name)
    environment = museum.environment(runtime, FRONTS, museum.tool("tr2"))
    environment["OMP_TOOL"] = "disabled"
    run = oracle.run_in([str(museum.program(TWICE, runtime))], environment, tmp_path)
    assert (run.status, run.output, run.told) == (0, "", {})
