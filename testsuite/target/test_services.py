# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libtarget's services say of core files and processes: what the source has."""

import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Tuple

import comparing
import pytest
from harness import processes

PROGRAMS = Path(__file__).resolve().parent / "programs"
PRINTER = comparing.PRINTER

_FRAME = re.compile(r" frame (\d+) (\S+) ([01])([01])([01])([01]) (.+)")
_PLACE = re.compile(r"  place (.*) \| (.*) \| (\S+) \| (.*):(\d+)")
_NONE = "-"

pytestmark = pytest.mark.skipif(
    bool(processes.kernel_core_problem()), reason=processes.kernel_core_problem() or "none"
)


class Frame(NamedTuple):
    """A frame in the program itself."""

    function: str
    line: int
    kind: str  # "", "inlined", "signal", "tail call"


def built(command: Sequence[str], suffix: str, folder: Path) -> Path:
    """Build the program of these tests in a language."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    program = folder / "services"
    source = str(PROGRAMS / f"services{suffix}")
    place = ["-J", str(folder)] if suffix == ".f90" else []
    subprocess.run([*command, *place, source, "-o", str(program)], check=True)
    return program


def core_of(program: Path, folder: Path) -> Path:
    """Let a program abort. Return its core file."""

    def allow_core() -> None:
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    done = subprocess.run(
        [str(program)], cwd=str(folder), stderr=subprocess.DEVNULL, preexec_fn=allow_core
    )
    assert done.returncode == -signal.SIGABRT
    (core,) = folder.glob("core*")
    return core


def ask(target: object, *questions: str) -> List[str]:
    """Return what the printer says."""
    done = subprocess.run(
        [str(PRINTER), str(target), *questions], stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode().splitlines()


def lines_of(suffix: str) -> Dict[str, int]:
    """Return the marked lines of a program's source."""
    text = (PROGRAMS / f"services{suffix}").read_text(encoding="utf-8").splitlines()
    marks = ((re.search(r"LINE: (\w+)", line), number) for number, line in enumerate(text, 1))
    return {mark[1]: number for mark, number in marks if mark is not None}


def frames_in(said: Sequence[str]) -> List[Frame]:
    """Return the frames of the first thread that are in the program, or of a signal."""
    found: List[Frame] = []
    for index, line in enumerate(said):
        frame = _FRAME.fullmatch(line)
        if frame is None:
            continue
        _, _, _, is_signal, is_inlined, is_tail_call, object_file = frame.groups()
        place = _PLACE.fullmatch(said[index + 1])
        flags = (is_signal, is_inlined, is_tail_call)
        kinds = [
            kind for kind, flag in zip(("signal", "inlined", "tail call"), flags) if flag == "1"
        ]
        kind = kinds[0] if kinds else ""
        if kind == "signal":
            found.append(Frame("", 0, kind))
        elif object_file == _NONE and place is not None:
            found.append(Frame(place[1], int(place[5]), kind))
    return found


def answers(said: Sequence[str], *questions: str) -> Dict[str, List[str]]:
    """Return the answers to questions about variables and layouts."""
    found: Dict[str, List[str]] = {}
    for line in said:
        question, _, answer = line.partition(" ")
        if question in questions:
            found.setdefault(question, []).append(answer)
    return found


# ---- C ----------------------------------------------------------------------------------------


def frames_of_c(optimized: bool) -> List[Frame]:
    """Return what the program in C has on its stack."""
    line = lines_of(".c")
    kinds = {name: "inlined" for name in ("innermost", "inlined")}
    if optimized:
        kinds.update(first="tail call", second="tail call")
    names = ("innermost", "inlined", "third", "second", "first", "handler")
    found = [Frame(name, line[name], kinds.get(name, "")) for name in names]
    return [*found, Frame("", 0, "signal"), Frame("main", line["main"], "")]


@pytest.mark.parametrize(
    "command, optimized",
    [
        (("gcc", "-O0", "-g"), False),
        (("gcc", "-O2", "-g", "-gdwarf-4"), True),
        (("clang", "-O0", "-g"), False),
    ],
)
def test_stack_in_c(command: Sequence[str], optimized: bool, tmp_path: Path) -> None:
    """Inlined functions, functions that left no frame, the frame of a signal."""
    core = core_of(built(command, ".c", tmp_path), tmp_path)
    assert frames_in(ask(core)) == frames_of_c(optimized)


def test_functions_without_symbols(tmp_path: Path) -> None:
    """They have a begin, and nothing else."""
    program = built(("gcc", "-O2", "-g"), ".c", tmp_path)
    with_names = ask(core_of(program, tmp_path))
    subprocess.run(["strip", str(program)], check=True)
    (core,) = tmp_path.glob("core*")
    stripped = ask(core)
    of_main = [line for line in with_names if line.startswith("  place main |")]
    start = of_main[0].split(" | ")[2]
    assert f"  place - | - | {start} | -:0" in stripped


def test_variables_in_c(tmp_path: Path) -> None:
    """Their members and elements; of a lock, the innermost; thread-local ones."""
    core = core_of(built(("gcc", "-O2", "-g"), ".c", tmp_path), tmp_path)
    size = 8 + 40 + 24 + 8  # of struct node
    wanted: Dict[str, List[str]] = {
        "nodes+0": ["nodes", "nodes[0][0].id"],
        "nodes+8": ["nodes[0][0].lock"] * 2,
        f"nodes+{3 * size + 8}": ["nodes[1][1].lock"] * 2,
        f"nodes+{5 * size + 8 + 40 + 16}": ["nodes[2][1].flags.number"] * 2,
        "nodes+12": [],  # nothing has a name within a lock
        "locks+120": ["locks[3]"] * 2,
        "table+12": ["table[1]", "table[1][0]"],
        "table+20": ["table[1][2]"] * 2,
        "local.0+4": ["local[1]"] * 2,
        "flags:": ["0 24 0 0"],
        "flags:low": ["0 4 0 3"],
        "flags:high": ["0 4 3 5"],
        "flags:wide": ["0 4 8 20"],
        "flags:end": ["4 1 0 0"],
        "flags:inner": ["8 2 0 0"],
        "flags:word": ["16 8 0 0"],
        "node:flags.number": ["64 4 0 0"],
        "node:nothing": [],
        "nothing:id": [],
    }
    said = ask(core, *wanted, "mine", "main")
    found = answers(said, *wanted)
    assert {question: found.get(question, []) for question in wanted} == wanted
    assert any(line.startswith("mine in thread 1 0x") for line in said)
    version = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, check=True).stdout
    assert f"  GCC {version.decode().partition('.')[0].strip()}" in said


# As LLVM's runtime is written: C++, structures known by typedefs, unions around them, bit fields.
LIBRARY = """
typedef unsigned long long word;
typedef struct part { int first; unsigned one : 1; unsigned two : 3; } part_t;
typedef union thread thread_t;
struct thread_base { word number; struct { char c; thread_t *next; }; part_t part; };
typedef struct thread_base thread_base_t;
union thread { double align; char pad[128]; thread_base_t th; };
thread_t a_thread;
"""
# It has a type of its own by the same name.
USER = """
#include <stdlib.h>
typedef struct { char all; } thread_t;
thread_t mine;
int main(void) { abort(); }
"""


def test_layouts_of_a_library(tmp_path: Path) -> None:
    """Only the library's own types count."""
    (tmp_path / "types.cc").write_text(LIBRARY, encoding="ascii")
    (tmp_path / "main.c").write_text(USER, encoding="ascii")
    library, program = tmp_path / "libtypes.so.1", tmp_path / "services"
    options = ["-g", "-shared", "-fPIC", "-Wl,-soname,libtypes.so.1", str(tmp_path / "types.cc")]
    subprocess.run(["g++", *options, "-o", str(library)], check=True)
    options = ["-g", str(tmp_path / "main.c"), "-Wl,--no-as-needed", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["gcc", *options, str(library), "-o", str(program)], check=True)
    wanted = {
        "thread_t:": ["0 128 0 0"],
        "thread_t:th": ["0 32 0 0"],
        "thread_base_t:": ["0 32 0 0"],
        "thread_base:next": ["16 8 0 0"],
        "thread_base_t:next": ["16 8 0 0"],
        "thread_base_t:part": ["24 8 0 0"],
        "part_t:two": ["4 4 1 3"],
        "part_t:three": [],
        "thread_t:all": [],
    }
    core, questions = core_of(program, tmp_path), [f"{name}@libtypes.so.1" for name in wanted]
    found = answers(ask(core, *questions), *questions)
    assert [found.get(one, []) for one in questions] == list(wanted.values())
    assert ask(core, "thread_t:all@services")[-1] == "thread_t:all@services 0 1 0 0"


# ---- C++ --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command, of_lambda",
    [
        (("g++", "-O0", "-g"), "operator()"),
        (("g++", "-O2", "-g"), "operator()"),
        (("clang++", "-O2", "-g"), "main::$_0::operator()"),
    ],
)
def test_names_in_cxx(command: Sequence[str], of_lambda: str, tmp_path: Path) -> None:
    """With their scopes, without parameters."""
    core = core_of(built(command, ".cpp", tmp_path), tmp_path)
    line = lines_of(".cpp")
    wanted: List[Tuple[str, str, str]] = [
        ("(anonymous namespace)::stop", "stop", ""),
        ("shapes::box<double, 2>::inlined<int>", "inlined", "inlined"),
        ("shapes::box<double, 2>::operator()", "operator", ""),
        ("shapes::square::draw", "draw", ""),
        ("plain", "plain", ""),
        (of_lambda, "lambda", ""),
        ("main", "main", ""),
    ]
    expected = [Frame(name, line[mark], kind) for name, mark, kind in wanted]
    size = 8 + 4 * 8  # of a hidden structure
    questions = {
        "_ZN12_GLOBAL__N_16hidingE+0": "(anonymous namespace)::hiding",
        f"_ZN12_GLOBAL__N_16hidingE+{size + 16}": "(anonymous namespace)::hiding[1].numbers[1]",
        "_ZN6shapes7squaresE+32": "shapes::squares[1].all",
    }
    said = ask(core, *questions)
    assert frames_in(said) == expected
    found = answers(said, *questions)
    assert {name: found[name][0] for name in questions} == questions


# ---- Fortran ----------------------------------------------------------------------------------


def test_names_in_fortran(tmp_path: Path) -> None:
    """Modules, procedures within procedures, the order of indices, bounds."""
    core = core_of(built(("gfortran", "-O0", "-g"), ".f90", tmp_path), tmp_path)
    line = lines_of(".f90")
    size = 8 + 8 + 24  # of a cell
    wanted = {
        "__heat_MOD_cells+0": ["heat::cells", "heat::cells(1,1)%id"],
        f"__heat_MOD_cells+{5 * size + 8}": ["heat::cells(2,2)%lock"] * 2,
        f"__heat_MOD_cells+{11 * size + 32}": ["heat::cells(4,3)%values(3)"] * 2,
        "__heat_MOD_locks+40": ["heat::locks(5)"] * 2,
        "both_+0": ["shared", "shared(1)"],
    }
    said = ask(core, *wanted)
    assert frames_in(said)[:4] == [
        Frame("heat::stop_here", line["stop"], ""),
        Frame("solve::smooth", line["smooth"], ""),
        Frame("heat::solve", line["solve"], ""),
        Frame("services", line["main"], ""),
    ]
    assert answers(said, *wanted) == wanted


# ---- Processes --------------------------------------------------------------------------------


def test_process(tmp_path: Path) -> None:
    """A thread that runs is where it was stopped."""
    program = tmp_path / "spins"
    source = PROGRAMS / "spins.c"
    subprocess.run(["gcc", "-O1", "-g", str(source), "-o", str(program)], check=True)
    (line,) = [
        number
        for number, text in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        if "spin(count" in text
    ]
    end = time.monotonic() + 30
    with subprocess.Popen([str(program)]) as process:
        try:
            frames: List[Frame] = []
            while [frame.function for frame in frames] != ["spin", "main"]:
                assert time.monotonic() < end, frames
                said = ask(process.pid)
                frames = frames_in(said)
        finally:
            process.kill()
    assert frames[1] == Frame("main", line, "")
    (thread,) = [line.split() for line in said if line.startswith("thread ")]
    assert thread == ["thread", "1", "1", "spins", str(process.pid), "01"]
