# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of constructs in GDB's own `bt -full`, and in MI: each once, by its own name, with the
value that the construct's code sees, and with the type that the source gives it.

The programs tell what they see: rows "construct|variable|type|value" in `seen`.
"""

import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

# In scope, though without a value there, or of a type that has no text of its own.
UNAVAILABLE = '"<unavailable>"'
UNTOLD = {"k", "turn", "body"}
# GCC describes no private copies of worksharing constructs.
NOT_DESCRIBED = {("gcc", "item")}
# Clang does not tell how much a task of C++ shares.
SHARED_BY_TASK = "task of shop::Mesh::sweep<double>", ("count", "step", "seed", "result", "this")
SEEN = "@python [gdb.parse_and_eval('seen')[i].string() for i in range(128)]"
COUNT_CALLS = (
    "python gdb.calls = []; "
    "gdb.events.inferior_call.connect(lambda event: gdb.calls.append(str(event)))"
)
CALLS = "@python gdb.calls"
# Of the variables of the selected thread's frames, those whose name GDB's DAP server can't tell.
NAMELESS = (
    "@python [str(one.symbol()) for frame in __import__('gdb.frames').frames.execute_frame_filters("
    "gdb.newest_frame(), 0, -1) for one in frame.frame_locals() or () "
    "if not hasattr(one.symbol(), 'print_name')]"
)
LIST = (
    "python gdb.execute(\"interpreter-exec mi2 '-stack-list-variables --thread %d --frame {} "
    "--simple-values'\" % gdb.selected_thread().global_num)"
)
HEAD = re.compile(r"^#(\d+) +(?:0x\w+ in )?(.*?) \(((?:[^()]|\(\w+\))*)\)(?: at .*)?$")
OMP_HEAD = re.compile(
    r"^#(\d+) +(?:((?:[a-z]+ )+of .*) at \S+:\d+, .*|(.*?) \((?:[^()]|\(\w+\))*\) at \S+:\d+)$"
)
# What `print` says of a value's type, where the rows of a frame do not.
TYPE = re.compile(r"^\([^()]*(?:\([^()]*\)[^()]*)*[&*](?: restrict)?\) ")
SHARING = re.compile(r" \((shared|firstprivate|private)\)$")
ROW = re.compile(r"^ {8}(\S+) = (.*)$")


def in_c(kind: str) -> str:
    """A type as of C: GDB writes it in the language of the innermost frame."""
    return re.sub(r"\((\d+)\)$", r"[\1]", kind).replace("struct ", "")


class Seen(NamedTuple):
    """A variable as the construct's code sees it."""

    kind: str
    value: str


class Frame(NamedTuple):
    """A frame as GDB shows it."""

    level: int
    thread: int
    rows: List[Tuple[str, str]]


def compiled(name: str, tmp_path: Path, compiler: str, optimized: str) -> Path:
    flags = (optimized, "-g", "-fopenmp", *(["-fno-inline"] if name.endswith(".f90") else []))
    try:
        return own_programs.compiled(
            name, tmp_path / "variables", flags, compiler, ("variables_seen.c",)
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))


def session(arguments: List[Path], commands: List[str], **more: Any) -> List[Any]:
    words = [str(argument) for argument in arguments]
    said = processes.run_gdb("session.py", {"commands": commands, **more}, words).result
    return [one.get("text", one.get("value", one.get("error"))) for one in said]


def told(rows: List[str]) -> Dict[str, Dict[str, Seen]]:
    found: Dict[str, Dict[str, Seen]] = {}
    for row in rows:
        if row:
            place, name, kind, value = row.split("|")
            found.setdefault(place, {})[name] = Seen(kind, value)
    return found


def plain(value: str) -> str:
    """In the notation of C; of a reference the value alone."""
    value = re.sub(r"^@0x\w+: ", "", value)
    return "{" + value[1:-1] + "}" if value.startswith("(") and value.endswith(")") else value


def shown(text: str) -> Dict[str, Frame]:
    """The frames that `thread apply all bt -full` printed, by name, those of the thread that
    stopped before those of others."""
    parts = re.split(r"^Thread (\d+) .*?:(?=\n|#)", text, flags=re.M)
    threads = sorted(zip(parts[1::2], parts[2::2]), key=lambda part: "inspect" not in part[1])
    found: Dict[str, Frame] = {}
    for number, part in threads:
        frame = None
        for line in part.splitlines():
            head, row = HEAD.match(line), ROW.match(line)
            if head is not None:
                frame = Frame(int(head[1]), int(number), [])
                found.setdefault(head[2], frame)
            elif row is not None and frame is not None:
                frame.rows.append((row[1], plain(row[2])))
    return found


def shown_by_omp(text: str) -> Dict[str, Frame]:
    """The frames that `omp bt -full` printed."""
    found: Dict[str, Frame] = {}
    frame = None
    for line in text.splitlines():
        head, row = OMP_HEAD.match(line), ROW.match(line)
        if head is not None:
            frame = Frame(int(head[1]), 0, [])
            name = head[2] or head[3]
            for one in (name, re.sub(r"\([^()]*\)(?: const)?$", "", name)):
                found.setdefault(one, frame)
        elif row is not None and frame is not None:
            frame.rows.append((row[1], plain(SHARING.sub("", row[2]))))
    return found


def printed_values(text: str) -> Dict[int, str]:
    """What `print` gave in each frame, by its number, where that has such a variable."""
    parts = re.split(r"^#(\d+) .*\n", text, flags=re.M)
    values = {int(level): said.partition(" = ") for level, said in zip(parts[1::2], parts[2::2])}
    return {
        level: plain(TYPE.sub("", value.partition("\n")[0]))
        for level, (_, found, value) in values.items()
        if found
    }


def is_described(compiler: str, place: str, name: str) -> bool:
    construct, shared = SHARED_BY_TASK
    is_lost = compiler == "clang" and place == construct and name in shared
    return not is_lost and (compiler, name) not in NOT_DESCRIBED


def rows_of(frame: Frame, variables: Dict[str, Seen]) -> List[Tuple[str, str]]:
    return [row for row in frame.rows if row[0] in variables or row[0] not in UNTOLD]


def bare_name(name: str) -> str:
    """Without arguments and parameters, which long names are shown without."""
    shorter = re.sub(r"\([^()]*\)|<[^<>]*>", "", name)
    return bare_name(shorter) if shorter != name else name.replace(" const", "")


def assert_all(frames: Dict[str, Frame], seen: Dict[str, Dict[str, Seen]], compiler: str) -> None:
    """Every variable of every construct, and nothing else."""
    for place, variables in seen.items():
        place = {bare_name(name): name for name in frames}.get(bare_name(place), place)
        assert place in frames, (place, sorted(frames))
        rows = rows_of(frames[place], variables)
        expected = {
            name: one.value
            for name, one in variables.items()
            if is_described(compiler, place, name)
        }
        assert len(rows) == len(dict(rows)), (place, rows)
        # A newer compiler may describe what others do not.
        more = {name: value for name, value in rows if name not in expected}
        assert {**expected, **more} == dict(rows), place
        for name, value in more.items():
            assert value in (variables[name].value, UNAVAILABLE, UNAVAILABLE.strip('"')), (
                place,
                name,
            )


def assert_true(
    frames: Dict[str, Frame], seen: Dict[str, Dict[str, Seen]], compiler: str
) -> List[str]:
    """What is not optimized out, as the code sees it; answers the values."""
    values = []
    for place, variables in seen.items():
        rows = rows_of(frames[place], variables) if place in frames else []
        assert len(rows) == len(dict(rows)), (place, rows)
        assert {name for name, _ in rows} <= set(variables), (place, rows)
        for name, value in rows:
            if "<optimized out>" not in value and value != UNAVAILABLE:
                assert value == variables[name].value, (place, name)
                values.append(value)
    return values


@pytest.mark.parametrize(
    "name, compiler",
    [("variables.c", "gcc"), ("variables.c", "clang"), ("variables.cpp", "gcc")]
    + [("variables.cpp", "clang"), ("variables.f90", "gcc")],
)
def test_unoptimized(name: str, compiler: str, tmp_path: Path) -> None:
    program = compiled(name, tmp_path, compiler, "-O0")
    core = tmp_path / "core"
    every = "thread apply all bt -full"
    text, rows, *more, nameless, calls, _ = session(
        [program],
        [every, SEEN, COUNT_CALLS]
        + [every, "interpreter-exec mi2 '-enable-frame-filters'"]
        + [LIST.format(level) for level in range(20)]
        + [NAMELESS, CALLS, "generate-core-file " + str(core)],
        stop="inspect",
    )
    seen, frames = told(rows), shown(text)
    assert len(seen) >= 3
    assert_all(frames, seen, compiler)
    assert shown(more[1]) == frames
    assert nameless == [] and calls == []  # nothing is called in the program
    stopped = frames[next(name for name in frames if "inspect" in name)].thread
    for place, variables in seen.items():
        frame = frames[place]
        if frame.thread != stopped:
            continue
        listed = dict(
            re.findall(r'\{name="(\w+)",(?:arg="1",)?type="([^"]*)"', more[3 + frame.level])
        )
        for variable, one in variables.items():
            if one.kind and is_described(compiler, place, variable):
                # Clang makes references of what is shared, and so hides which were some before.
                kind = one.kind.rstrip(" &") if compiler == "clang" else one.kind
                assert in_c(listed[variable]) == in_c(kind), (place, listed)
    # A core file tells the same; so do `omp bt -full`, and `print` where GDB finds the variable.
    names = sorted({name for variables in seen.values() for name in variables})
    prints = ["frame apply all -c print " + name for name in names]
    dead, full, *printed = session([program, core], [every, "omp bt -full", *prints], kill=False)
    frames = shown(dead)
    assert_all(frames, seen, compiler)
    assert_all(shown_by_omp(full), seen, compiler)
    stopped = frames[next(name for name in frames if "inspect" in name)].thread
    values = {name: printed_values(text) for name, text in zip(names, printed)}
    agreed = 0
    # Of a private copy and the argument by its name, in one block, GDB 18 prints the argument.
    is_new = setup.gdb_version() >= 18
    for place, variables in seen.items():
        frame = frames[place]
        is_false = compiler == "clang" and (is_new or "task of " in place)
        for name, value in frame.rows if frame.thread == stopped and not is_false else ():
            # Compilers tell of some arrays where they begin; Clang, of what a task shares, not that.
            kind = in_c(variables[name].kind) if name in variables else ""
            if kind and not kind.endswith("]") and frame.level in values[name]:
                assert value == values[name][frame.level], (place, name)
                agreed += 1
    assert agreed >= 8 or compiler == "clang" and is_new


@pytest.mark.parametrize(
    "name, compiler",
    [("variables.c", "gcc"), ("variables.c", "clang"), ("variables.cpp", "gcc")]
    + [("variables.cpp", "clang"), ("variables.f90", "gcc")],
)
def test_optimized(name: str, compiler: str, tmp_path: Path) -> None:
    program = compiled(name, tmp_path, compiler, "-O2")
    commands = [COUNT_CALLS, "thread apply all bt -full", SEEN, "omp bt -all -full", CALLS]
    _, text, rows, _, calls = session([program], commands, stop="inspect")
    values = assert_true(shown(text), told(rows), compiler)
    assert len(values) >= 10 or compiler == "clang"
    assert calls == []
