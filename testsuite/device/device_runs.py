# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that count what they do on devices, with a tool that traces the devices."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "testsuite" / "ompt"))

import oracle  # noqa: E402

PROGRAMS = HERE / "programs"
FLAGS = ["-D_GNU_SOURCE", "-std=gnu11", "-O1", "-g", "-Wall", "-Werror"]
FRONTS = oracle.BUILD / "fronts" / "libompt-fronts.so"
LAYER = ROOT / "build" / "ompt" / "device" / "libompdbg-device.so"
DEBIAN_FOLDER = ROOT / "tools" / "debian-folder"
SECONDS = 120

# How the tool traces. With `refuse`, the trace ends after two records.
MODES = ("emi", "plain native", "", "small native", "refuse native")
TR2 = "tr2"  # the tool of that document
# What starts with a routine that allocates is not traced from the first on by the tool of TR2.
TR2_CASES = ("kernel", "to_and_from", "data", "enter_exit", "nowait", "threads", "arrays")
# Cases that need orders to the tool.
LATE = ("control",)


@dataclass(frozen=True)
class Case:
    """A run of a program."""

    name: str
    mode: str

    @property
    def words(self) -> str:
        """Those for the tool."""
        return self.mode + (" late" if self.name in LATE else "")


def build_tools(folder: Path) -> None:
    """The tool, and that of TR2."""
    for name, library in (("tool", "libdevicetool.so"), ("tr2", "libtr2tool.so")):
        include = "-I" + str(ROOT / "include" / "ompt")
        source = str(HERE / "tool" / (name + ".c"))
        command = ["gcc", *FLAGS, "-fPIC", "-shared", include, source, "-o", str(folder / library)]
        subprocess.run(command, check=True)


def differences(run: oracle.Run, case: Case) -> List[str]:
    """All that is wrong with a run: what the tool found, and other counts than the program's."""
    wrong = list(run.complaints)
    if run.status:
        wrong.append("status {}: {}".format(run.status, run.output))
    if "finalized" not in run.told:
        wrong.append("the tool was not finalized")
    if "refuse" in case.mode:
        if run.told.get("records") != 2:
            wrong.append("{} records".format(run.told.get("records")))
        return wrong
    counted = run.counted
    if case.mode == TR2:
        counted = {name: counted.get(name, 0) for name in run.told if name in UNCOUNTED}
    for name, number in counted.items():
        if run.told.get(name, 0) != number:
            wrong.append("{}: {}, not {}".format(name, run.told.get(name, 0), number))
    for name in UNCOUNTED:
        if run.told.get(name, 0) and not counted.get(name, 0):
            wrong.append("{}: {}, not 0".format(name, run.told[name]))
    if case.mode == TR2 and run.told.get("native_kernels") != run.told.get("kernels"):
        wrong.append("native_kernels: {}".format(run.told))
    if "native" in case.mode:
        wrong += native_differences(run.told)
    if case.mode == "emi" or "plain" in case.mode:
        wrong += callback_differences(run.told, case)
    return wrong


UNCOUNTED = ("kernels", "to_bytes", "from_bytes", "allocs", "deletes", "targets", "updates")


def native_differences(told: Dict[str, int]) -> List[str]:
    """Where native records are not those of the other kind."""
    pairs = (
        ("native_kernels", ("kernels",)),
        ("native_bytes", ("to_bytes", "from_bytes")),
        ("native_others", ("allocs", "deletes")),
    )
    return [
        "{}: {}".format(name, told.get(name, 0))
        for name, same in pairs
        if told.get(name, 0) != sum(told.get(part, 0) for part in same)
    ]


def callback_differences(told: Dict[str, int], case: Case) -> List[str]:
    """Where callbacks were not called for what was recorded: but for pauses."""
    constructs = sum(
        told.get(name, 0) for name in ("targets", "enter_datas", "exit_datas", "updates")
    )
    operations = sum(told.get(name, 0) for name in ("to", "from", "allocs", "deletes"))
    pairs = {
        "said_targets": constructs,
        "said_target_ends": constructs,
        "said_kernels": told.get("kernels", 0),
        "said_data_ops": operations,
    }
    if case.mode == "emi":
        pairs["said_kernel_ends"] = told.get("kernels", 0)
    late = case.name in LATE
    return [
        "{}: {}, recorded {}".format(name, told.get(name, 0), number)
        for name, number in pairs.items()
        if (told.get(name, 0) < number if late else told.get(name, 0) != number)
    ]


# ---- On this machine -------------------------------------------------------------------------


def compile_program(source: str, option: str, folder: Path, runtime: oracle.Runtime) -> Path:
    """A program of programs/ for a libgomp."""
    target = folder / "{}{}-{}".format(source, option, runtime.name)
    support = target.with_suffix(".counts.o")
    compiler = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}[Path(source).suffix]
    common = ["-fopenmp", "-g", "-w", option, "-I" + str(PROGRAMS), *runtime.flags()]
    subprocess.run(
        ["gcc", *common, "-c", str(PROGRAMS / "counts.c"), "-o", str(support)], check=True
    )
    newer = []
    if runtime.release >= 13:
        newer.append("-DHAS_ASYNC")
    if runtime.system:
        newer += ["-Wl,--allow-shlib-undefined", runtime.folder + "/libgomp.so.1"]
    command = [compiler, *common, str(PROGRAMS / source), str(support), *newer, "-o", str(target)]
    subprocess.run(command, check=True, cwd=folder)
    return target


def cases_of(listed: str, modes: Sequence[str]) -> List[Case]:
    """Each case of a program, in each mode."""
    return [
        Case(name, mode)
        for name in listed.split()
        for mode in modes
        if mode != TR2 or name in TR2_CASES
    ]


def run_program(
    program: Path, runtime: oracle.Runtime, folder: Path, modes: Sequence[str]
) -> List[Tuple[Case, oracle.Run]]:
    """Run all that a program lists, with the tools in a folder."""
    listed = subprocess.run(
        [str(program)],
        env=runtime.environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    runs = []
    for case in cases_of(listed.stdout, modes):
        environment = runtime.with_tool(folder / "libdevicetool.so")
        if case.mode == TR2:
            preloaded = (oracle.INTERPOSER, FRONTS, folder / "libtr2tool.so")
            environment["LD_PRELOAD"] = ":".join(map(str, preloaded))
            del environment["OMP_TOOL_LIBRARIES"]
        environment["DEVICE_TOOL"] = case.words
        runs.append((case, oracle.run_in([str(program), case.name], environment, folder)))
    return runs


# ---- LLVM's runtime, here or in a folder with another Debian release -------------------------

LLVM = "/usr/lib/llvm-19/lib"
# What programs with code for devices are linked by.
LINKER = Path("/usr/lib/llvm-19/bin/clang-linker-wrapper")
PACKAGES = ("gcc", "libc6-dev", "clang", "clang-tools-19", "libomp-dev")
# Compiles and runs everything at once: entering the folder takes longer than a run.
SCRIPT = """
set -e
cd "$1"
common="-fopenmp -g -O2 -w -I$2"
clang $common -c "$2/counts.c" -o counts.o
offload="-fopenmp-targets=x86_64-pc-linux-gnu"
clang $common $offload -c "$2/constructs.c" -o constructs.o
clang++ $common $offload -c "$2/cxx.cpp" -o cxx.o
clang -fopenmp $offload constructs.o counts.o -o constructs
clang++ -fopenmp $offload cxx.o counts.o -o cxx
export LD_LIBRARY_PATH=$3 KMP_WARNINGS=0
device="LD_PRELOAD=$4 OMP_TOOL_LIBRARIES=$1/libdevicetool.so"
tr2="LD_PRELOAD=$4:$5:$1/libtr2tool.so"
tr2_cases=" $6 "
shift 6
for program in constructs cxx; do
    for case in $(./$program); do
        for mode in "$@"; do
            tool=$device
            if [ "$mode" = tr2 ]; then
                tool=$tr2
                [ "${tr2_cases#* $case }" != "$tr2_cases" ] || continue
            fi
            [ $case != control ] || mode="$mode late"
            at="runs/$program-$case-$(echo $mode | tr " " ,)"
            mkdir -p "$at"
            out="OMPT_CHECKER_OUT=$at/told OMPT_PROGRAM_OUT=$at/counted"
            status=0
            env $tool $out DEVICE_TOOL="$mode" timeout 30 ./$program $case >"$at/output" 2>&1 ||
                status=$?
            echo $status >"$at/status"
        done
    done
done
# LLVM's plug-in leaves the code of each kernel there.
find /tmp -maxdepth 1 -name 'tmpfile_??????' -newer constructs.o -delete
"""


class Absent(Exception):
    """A folder that cannot be had, and why."""


def is_here() -> bool:
    """Whether this machine's own Clang is that release, with what devices need."""
    clang = Path(shutil.which("clang") or "/").resolve()
    return LINKER.exists() and clang.parent == LINKER.parent


def _run(command: Sequence[str]) -> None:
    """Run a command, which has time limits of its own."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode == 77:
        raise Absent(done.stdout.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout


def run_on_llvm(folder: Path, modes: Sequence[str]) -> List[Tuple[str, Case, oracle.Run]]:
    """Run the programs on LLVM's x86-64 devices. The tools are in the folder."""
    libraries = [LLVM, str(LAYER), str(FRONTS)]
    words = [str(folder), str(PROGRAMS), *libraries, " ".join(TR2_CASES), *modes]
    inside: List[str] = []
    if not is_here():
        _run([str(DEBIAN_FOLDER), "trixie", "-", *PACKAGES])
        folder.chmod(0o755)
        inside = [str(DEBIAN_FOLDER), "run", "trixie", "--bind", str(folder), "--"]
    _run([*inside, "sh", "-c", SCRIPT, "sh", *words])
    if not (folder / "runs").exists():
        raise Absent("debian-folder: nothing comes back without mount namespaces")
    runs = []
    for scratch in sorted((folder / "runs").iterdir()):
        program, name, mode = scratch.name.split("-", 2)
        status = int((scratch / "status").read_text(encoding="ascii"))
        output = (scratch / "output").read_text(encoding="utf-8", errors="replace")
        run = oracle.read_run(scratch, status, output)
        runs.append((program, Case(name, mode.replace(",", " ").replace("late", "").strip()), run))
    return runs
