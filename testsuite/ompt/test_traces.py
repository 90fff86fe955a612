# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace of a whole run holds exactly what the program counts of itself."""

import re
import subprocess
from pathlib import Path
from typing import Dict, List

import expected
import oracle
import pytest
from conftest import Laboratory
from generator import generate

PRINT = oracle.ROOT / "build" / "testsuite" / "recorder" / "print_trace"
CASES = [
    ("libgomp", "constructs.c", "gcc"),
    ("libgomp", "cxx.cpp", "g++"),
    ("libomp-14", "constructs.c", "clang"),
    ("libomp-14", "kernels.c", "clang"),
    ("libgomp", "kernels.c", "gcc"),
    ("libgomp-10", "kernels.c", "gcc"),
    ("libgomp-16", "kernels.c", "gcc"),
    ("libomp-19", "kernels.c", "clang"),
]
SEEDS = (101, 102, 103)

# The numbers of include/ompt/recorder.h, and what the programs call them.
SYNC = """barrier barrier_implicit barrier_explicit barrier_implementation taskwait taskgroup
    reduction barrier_implicit_workshare barrier_implicit_parallel barrier_teams""".split()
MUTEX = "lock test_lock nest_lock test_nest_lock critical atomic ordered".split()
WORK = """loop sections single_executor single_other workshare distribute taskloop scope -
    loop_static loop_dynamic loop_guided loop_other""".split()
STATUS = """complete yield cancel detach early_fulfill late_fulfill switch
    taskwait_complete""".split()
DEPENDENCES = "in out inout mutexinoutset source sink inoutset".split()
KINDS: Dict[int, "tuple[str, List[str]]"] = {
    1: ("thread_begin", "initial worker other unknown".split()),
    2: ("thread_end", ["any"]),
    9: ("schedule", STATUS),
    10: ("work_begin", WORK),
    11: ("work_end", WORK),
    13: ("sync_begin", SYNC),
    14: ("sync_end", SYNC),
    15: ("wait_begin", SYNC),
    16: ("wait_end", SYNC),
    17: ("acquire", MUTEX),
    18: ("acquired", MUTEX),
    19: ("released", MUTEX),
    20: ("lock_init", MUTEX),
    21: ("lock_destroy", MUTEX),
    26: ("dependences", DEPENDENCES),
}
WITHOUT = {22: "nest_begin.all", 23: "nest_end.all", 24: "masked_begin.all", 25: "masked_end.all"}
CREATED = {4: "explicit", 8: "target", 16: "taskwait"}
FLAGS = {0x100: "undeferred", 0x200: "untied", 0x400: "final"}
CANCEL = {0x11: "parallel", 0x12: "sections", 0x14: "loop", 0x18: "taskgroup"}

# What a trace does not have: control, errors, and that the end of a region is one of a league.
ABSENT = "control|error|parallel_end"


def fields(line: str) -> Dict[str, int]:
    """Those of a line that are numbers."""
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)(?= |$)", line)}


def told(lines: List[str]) -> Dict[str, int]:
    """The numbers of events, by the names that the checking tool has for them."""
    result: Dict[str, int] = {}
    for line in lines:
        row = fields(line)
        if line.startswith("begun "):
            result["task_begin.explicit"] = row["number"]
        if not line.startswith("count "):
            continue
        kind, detail = row["kind"], row["detail"]
        if kind in KINDS:
            name, details = KINDS[kind]
            names = [name + "." + (details[detail - 1] if detail else "any")]
        elif kind in WITHOUT:
            names = [WITHOUT[kind]]
        elif kind == 3:
            names = ["parallel_begin." + ("league" if detail else "parallel")]
        elif kind == 5:
            names = ["implicit_begin." + ("implicit" if detail else "initial")]
        elif kind == 6:
            names = ["implicit_end." + ("implicit" if detail else "initial")]
        elif kind == 7:
            names = ["task_create." + CREATED[detail & 0xFC]]
            if names == ["task_create.explicit"]:
                names += ["task_flag." + name for flag, name in FLAGS.items() if detail & flag]
        elif kind == 27 and detail in CANCEL:
            names = ["cancel." + CANCEL[detail] + "_activated"]
        else:
            names = []
        for name in names:
            result[name] = result.get(name, 0) + row["number"]
    return result


def traced(command: List[str], runtime: oracle.Runtime, scratch: Path) -> oracle.Run:
    """Run a program with a trace, in place of the tool."""
    trace = scratch / "trace"
    for path in scratch.glob("trace*"):
        path.unlink()
    preloaded = [str(oracle.INTERPOSER), str(oracle.RECORDER)]
    environment = dict(
        runtime.environment(), LD_PRELOAD=":".join(preloaded), OMPDBG_TRACE=str(trace)
    )
    run = oracle.run_in(command, environment, scratch)
    printed = subprocess.run([str(PRINT), str(trace)], capture_output=True, text=True, check=False)
    lines = printed.stdout.splitlines()
    run.told = told(lines)
    if printed.returncode:
        run.complaints.append(printed.stdout)
        return run
    info = fields([line for line in lines if line.startswith("info ")][0])
    for name in ("lost_events", "lost_threads", "lost_tasks", "damaged", "unknown_code"):
        if info[name]:
            run.complaints.append("{}: {}".format(name, info[name]))
    if info["events"] != info["read"] or info["end"] != 1 or "note -" not in lines:
        run.complaints.append("not whole: {}".format(info))
    return run


def wrong_with(run: oracle.Run, runtime: oracle.Runtime, but: str = "") -> List[str]:
    """All that is wrong with a run."""
    wrong = list(run.complaints)
    if run.status != 0 or not run.counted:
        return wrong + ["status {}: {}".format(run.status, run.output)]
    return wrong + expected.differences(run, runtime, "|".join(filter(None, (ABSENT, but))))


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_programs(laboratory: Laboratory, case: "tuple[str, str, str]") -> None:
    name, source, compiler = case
    runtime = laboratory.runtime(name)
    program = laboratory.program(source, compiler, "-O2", runtime)

    def one(which: str) -> List[str]:
        command = [str(program), *([which] if which else [])]
        scratch = laboratory.scratch("trace-{}-{}".format("-".join(case), which))
        run = traced(command, runtime, scratch)
        wrong = run.complaints if which == "exit_inside" else wrong_with(run, runtime)
        return ["{}: {}".format(which or source, text) for text in wrong]

    listed = subprocess.run(
        [str(program)], env=runtime.environment(), capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split() or [""] if name != "control"]  # wants a tool
    wrong = [text for name in names for text in one(name)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_generated(laboratory: Laboratory, seed: int) -> None:
    """Random legal programs."""
    runtime = laboratory.runtime("libgomp")
    source = "generated/{}.c".format(seed)
    program = laboratory.program(source, "gcc", "-O2", runtime, generate(seed, False))
    run = traced([str(program)], runtime, laboratory.scratch("trace-{}".format(seed)))
    wrong = wrong_with(run, runtime, expected.unknown(run, runtime))
    assert not wrong, "\n".join(wrong)
