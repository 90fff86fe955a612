# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs count of themselves is what a tool is told, on both families of runtimes; and on
libgomp the frames of tasks are those on the stack, at each event."""

import re
from typing import List, Set, Tuple

import expected
import oracle
import pytest
from conftest import Laboratory
from generator import generate

SOURCES = {"constructs.c": "c", "kernels.c": "c", "cxx.cpp": "cxx", "fortran.f90": "fortran"}
COMPILERS = {
    "gomp": {"c": "gcc", "cxx": "g++", "fortran": "gfortran"},
    "kmp": {"c": "clang", "cxx": "clang++"},
}
# The installed releases with and without optimization, others with it.
INSTALLED = ("libgomp", "libomp-14")
OTHERS = ("libgomp-10", "libgomp-14", "libgomp-16")
CASES = [
    (name, source, option)
    for name in INSTALLED + OTHERS
    for source, language in SOURCES.items()
    for option in ("-O0", "-O2")
    if language in COMPILERS["gomp" if "gomp" in name else "kmp"]
    and (name in INSTALLED or option == "-O2")
]
SEEDS = range(1, 13)

# Ends in the midst of a region: what had ended before is not certain.
EXIT = "exit_inside"


def check(name: str, run: oracle.Run, runtime: oracle.Runtime) -> List[str]:
    """All that is wrong with a run."""
    wrong = expected.complaints(run, runtime)
    if run.status != 0:
        wrong.append("status {}: {}".format(run.status, run.output))
    if name != EXIT:
        wrong += expected.differences(run, runtime)
    elif runtime.family == "gomp" and run.told.get("parallel_begin.parallel") != 1:
        wrong.append("the tool was not finalized")
    return wrong


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_programs(laboratory: Laboratory, case: Tuple[str, str, str]) -> None:
    name, source, option = case
    runtime = laboratory.runtime(name)
    compiler = COMPILERS[runtime.family][SOURCES[source]]
    program = laboratory.program(source, compiler, option, runtime)
    faults: Set[str] = set()

    def all_wrong(which: str, run: oracle.Run) -> List[str]:
        faults.update(run.complaints)
        return check(which, run, runtime)

    mode = {"OMPT_CHECKER": "frames" if runtime.family == "gomp" else "all"}
    wrong = laboratory.run_all(program, runtime, mode, all_wrong)
    assert not wrong, "\n".join(wrong)
    if case == ("libomp-14", "constructs.c", "-O2"):
        for difference, pattern in expected.KMP_COMPLAINTS.items():
            seen = any(re.fullmatch(pattern, text) for text in faults)
            assert seen or difference in expected.KMP_BY_CHANCE, pattern


@pytest.mark.parametrize("source", ("constructs.c", "kernels.c"))
def test_without_cancellation(laboratory: Laboratory, source: str) -> None:
    """The library makes tasks in another way then: that of most programs."""
    runtime = laboratory.runtime("libgomp")
    program = laboratory.program(source, "gcc", "-O2", runtime)

    def all_wrong(which: str, run: oracle.Run) -> List[str]:
        return [] if which.startswith("cancel_") else check(which, run, runtime)

    settings = {"OMPT_CHECKER": "frames", "OMP_CANCELLATION": "false"}
    wrong = laboratory.run_all(program, runtime, settings, all_wrong)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_generated(laboratory: Laboratory, seed: int) -> None:
    """Random legal programs; many more by hand, with run.py."""
    runtime = laboratory.runtime("libgomp")
    option = ("-O2", "-O0")[seed % 2]
    source = "generated/{}.c".format(seed)
    program = laboratory.program(source, "gcc", option, runtime, generate(seed, False))
    run = oracle.run(
        [str(program)],
        runtime,
        laboratory.tool,
        laboratory.scratch(str(seed)),
        {"OMPT_CHECKER": "frames"},
    )
    assert run.status == 0, run.output
    assert not run.complaints, "\n".join(run.complaints)
    wrong = expected.differences(run, runtime, expected.unknown(run, runtime))
    assert not wrong, "\n".join(wrong)


def test_differences_are_documented() -> None:
    """Each has a row in docs/ompt.md, and each row is one of these."""
    text = (oracle.ROOT / "docs" / "ompt.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|", text, re.M)
    assert len(rows) == len(set(rows))
    assert set(rows) == {*expected.DIFFERENCES, *expected.KMP_COMPLAINTS, EXIT.replace("_", "-")}
