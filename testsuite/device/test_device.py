# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace of each device equals what programs count: kernels, bytes each way, constructs; on libgomp and
on LLVM's x86-64 devices."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Set, Tuple

import pytest

import device_runs
import oracle

ROOT = device_runs.ROOT
DOCUMENT = ROOT / "docs" / "device-tracing.md"
SOURCES = ("constructs.c", "cxx.cpp", "fortran.f90")
CASES = [("libgomp", source, option) for source in SOURCES for option in ("-O0", "-O2")] + [
    ("libgomp-{}".format(release), "constructs.c", "-O2") for release in (10, 14, 16)
]
# What ompt_set_callback answers for ompt_callback_device_initialize.
NEVER, SOMETIMES, ALWAYS = 1, 3, 5
ALL_MODES = (*device_runs.MODES, device_runs.TR2)
SOURCES_OF_LAYER = ("buffer", "entry", "host", "layer", "tr2", "trace")


def devices_differ(run: oracle.Run, answer: int, number: int) -> List[str]:
    """Whether the tool met other devices, or got other answers than the document says."""
    found = (run.told.get("answer_initialize"), run.told.get("devices"))
    wrong = [] if found == (answer, number) else ["devices: {}".format(found)]
    for name, said in answers("always" if answer == ALWAYS else "sometimes paired").items():
        if run.told.get(name) != said:
            wrong.append("{}: {}, not {}".format(name, run.told.get(name), said))
    return wrong


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the tools in it."""
    made = tmp_path_factory.mktemp("device")
    device_runs.build_tools(made)
    return made


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_libgomp(folder: Path, case: Tuple[str, str, str]) -> None:
    name, source, option = case
    compiler = "gfortran" if source.endswith("90") else "g++" if source.endswith("pp") else "gcc"
    if not shutil.which(compiler):
        pytest.skip("no " + compiler)
    try:
        runtime = oracle.runtime(name, folder)
    except oracle.Absent as reason:
        pytest.skip(str(reason))
    program = device_runs.compile_program(source, option, folder, runtime)
    wrong: List[str] = []
    for which, run in device_runs.run_program(program, runtime, folder, ALL_MODES):
        found = device_runs.differences(run, which)
        if which.mode != device_runs.TR2:
            found += devices_differ(run, SOMETIMES, 1)
        wrong += ["{}: {}".format(which, text) for text in found]
    assert not wrong, "\n".join(wrong)


def test_target_tasks(folder: Path) -> None:
    """A kernel that may wait is a task, whose frames are those on the stack (testsuite/ompt)."""
    runtime = oracle.runtime("libgomp", folder)
    program = device_runs.compile_program("constructs.c", "-O1", folder, runtime)
    checker = oracle.build_tool(folder)
    for name in ("nowait", "nowait_in_team", "private_copies"):
        mode = {"OMPT_CHECKER": "frames"}
        run = oracle.run([str(program), name], runtime, checker, folder, mode)
        assert run.status == 0 and not run.complaints, (name, run)
        kernels = run.counted["kernels"] - (name == "private_copies")
        assert run.told["task_create.target"] == run.told["task_begin.target"] == kernels


def test_llvm_19(folder: Path) -> None:
    """The layer is preloaded; the programs run on four devices, and use one."""
    try:
        runs = device_runs.run_on_llvm(folder, ALL_MODES)
    except device_runs.Absent as reason:
        pytest.skip(str(reason))
    wrong = []
    for program, which, run in runs:
        found = device_runs.differences(run, which)
        if which.mode != device_runs.TR2:
            found += devices_differ(run, ALWAYS, 4)
        wrong += ["{} {}: {}".format(program, which, text) for text in found]
    assert not wrong, "\n".join(wrong)
    assert len(runs) > 40


def test_llvm_14_never_tells(folder: Path) -> None:
    """It has no callbacks for devices; the program runs as without the tool."""
    try:
        runtime = oracle.runtime("libomp-14", folder)
    except oracle.Absent as reason:
        pytest.skip(str(reason))
    program = folder / "constructs-14"
    source = str(device_runs.PROGRAMS / "constructs.c")
    support = str(device_runs.PROGRAMS / "counts.c")
    # Without code for devices, of which the plug-in would leave files behind.
    flags = ["-fopenmp", "-O1", "-w", "-lomptarget"]
    subprocess.run(["clang", *flags, source, support, "-o", str(program)], check=True)
    for name in ("threads", "nowait_in_team"):
        environment = runtime.with_tool(folder / "libdevicetool.so")
        environment.update({"LD_PRELOAD": str(device_runs.LAYER), "DEVICE_TOOL": "emi"})
        run = oracle.run_in([str(program), name], environment, folder)
        assert run.status == 0 and not run.complaints, run
        assert run.told == {"answer_initialize": NEVER, "finalized": 1}


def table(heading: str) -> List[List[str]]:
    """Rows of a table in the document, but for its head."""
    text = DOCUMENT.read_text(encoding="utf-8").partition("\n## {}\n".format(heading))[2]
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def routines(header: str, start: str, end: str) -> Set[str]:
    """Types of routines in a part of a header, without their suffix."""
    text = (ROOT / "include" / "ompt" / header).read_text(encoding="utf-8")
    return set(re.findall(r"\(\*(\w+)_t\)\(", text.partition(start)[2].partition(end)[0]))


def test_document_has_each_entry_point() -> None:
    rows = {row[0].strip("`"): row[1] for row in table("Entry points")}
    assert set(rows) == routines("omp-tools.h", "device tracing interface", "#ifdef")
    old = {"ompt_target_" + name.strip("`") for name in rows.values() if name != "none"}
    assert old == routines("ompt_tr2.h", "// ---- Routines, by a device's", "#ifdef")


def answers(as_callback: str) -> Dict[str, int]:
    """What the document says that a tool is answered."""
    text = (ROOT / "include" / "ompt" / "omp-tools.h").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"^\t(ompt_(?:callback|native)_\w+) = (\w+),$", text, re.M))
    events = {name for name in numbers if name.startswith("ompt_callback_")}
    words = {"never": 1, "impossible": 2, "sometimes paired": 4, "always": 5}
    said = {}
    for row in table("Events") + table("Native records"):
        named = re.findall(r"`(ompt_(?:callback|native)_\w+)`", row[0])
        word = row[1].partition(";")[0]
        for name in named:
            key = "answer_" if name in events else "answer_native_"
            said[key + str(int(numbers[name], 0))] = words[as_callback if "as " in word else word]
    others = {"answer_" + number for name, number in numbers.items() if name in events}
    said.update({name: words["impossible"] for name in others - set(said)})
    return said


@pytest.mark.parametrize("sanitizer", ["", "thread", "address,undefined"])
def test_storm(folder: Path, sanitizer: str) -> None:
    """Many threads, under a runtime that does nothing but send events."""
    program = folder / ("storm-" + sanitizer)
    sources = [str(ROOT / "ompt" / "device" / (name + ".c")) for name in SOURCES_OF_LAYER]
    includes = ["-I" + str(ROOT / part) for part in ("ompt", "include")]
    flags = [*device_runs.FLAGS, "-pthread"]
    if sanitizer:
        flags.append("-fsanitize=" + sanitizer)
    source = str(device_runs.HERE / "storm.c")
    command = ["gcc", *flags, *includes, source, *sources, "-o", str(program)]
    subprocess.run(command, check=True)
    run = subprocess.run(
        [str(program), *(["threads"] if sanitizer == "thread" else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=device_runs.SECONDS,
    )
    assert run.returncode == 0 and not run.stdout, run.stdout
