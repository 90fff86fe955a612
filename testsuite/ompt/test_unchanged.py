# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing changes for a program that is observed: its output, its status, what the runtime
answers, errno, signal masks, names of threads, what OMP_DISPLAY_ENV shows."""

from typing import Dict, List, Tuple

import oracle
import pytest
from conftest import Laboratory

RUNTIMES = ("libgomp-10", "libgomp", "libgomp-14", "libgomp-16", "libomp-14")
# Not OMP_DYNAMIC=true: the load of the machine would then decide how many threads a region gets.
SETTINGS: List[Dict[str, str]] = [
    {"OMP_DISPLAY_ENV": "true"},
    {
        "OMP_DISPLAY_ENV": "verbose",
        "OMP_NUM_THREADS": "3,2",
        "OMP_SCHEDULE": "guided,3",
        "OMP_MAX_ACTIVE_LEVELS": "2",
    },
    {
        "OMP_PROC_BIND": "spread",
        "OMP_PLACES": "{0}",
        "OMP_STACKSIZE": "1M",
        "OMP_THREAD_LIMIT": "5",
        "OMP_WAIT_POLICY": "passive",
    },
]
# How programs end: the status of main, or of exit within a region.
ENDS: List[Tuple[str, ...]] = [("0",), ("3",), ("5", "inside")]


def observers(laboratory: Laboratory, runtime: oracle.Runtime) -> Dict[str, Dict[str, str]]:
    """Environments of a program: who observes it."""
    plain = runtime.environment()
    tools = {"the checker": runtime.with_tool(laboratory.tool)}
    if runtime.family == "gomp":
        tools["nobody, with the library"] = dict(plain, LD_PRELOAD=str(oracle.INTERPOSER))
        tools["none, disabled"] = dict(runtime.with_tool(laboratory.tool), OMP_TOOL="disabled")
    for name, library in (("recorder", oracle.RECORDER), ("collector", oracle.COLLECTOR)):
        if library.exists():
            preload = "{}:{}".format(oracle.INTERPOSER, library)
            tools["the " + name] = dict(plain, LD_PRELOAD=preload)
    return tools


def shown(run: oracle.Run) -> str:
    """What a program shows, but for the settings of the tool itself."""
    lines = [line for line in run.output.splitlines() if "OMP_TOOL" not in line]
    return "\n".join([*lines, "status {}".format(run.status)])


@pytest.mark.parametrize("name", RUNTIMES)
def test_nothing_changes(laboratory: Laboratory, name: str) -> None:
    runtime = laboratory.runtime(name)
    compiler = "gcc" if runtime.family == "gomp" else "clang"
    program = laboratory.program("behaviour.c", compiler, "-O1", runtime)
    scratch = laboratory.scratch("behaviour-" + name)
    for settings in SETTINGS:
        for end in ENDS:
            command = [str(program), *end]
            alone = shown(oracle.run(command, runtime, None, scratch, settings))
            assert alone.endswith("\nstatus " + end[0])
            for who, environment in observers(laboratory, runtime).items():
                environment.update(settings)
                run = oracle.run_in(command, environment, scratch)
                assert shown(run) == alone, "{} {} {}".format(who, settings, end)
