# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of which debug information tells too little: nothing false is shown, by GDB's own
`bt -full` and by `omp bt -full`; and regions that are not called by the runtime have their names."""

import re
import subprocess
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes

UNKNOWN = re.compile(r'"?<(unavailable|optimized out)>"?')
FRAME = re.compile(r"^#\d+ +(?:0x\w+ in )?((?:\w+ )+of )?([\w:]+)")
ROW = re.compile(r"^ {8}(\w+) = (.*)$")

OMPDBG = Path(__file__).resolve().parents[2] / "build" / "ompdbg"

Frames = List[Tuple[str, Dict[str, str]]]


def said(
    name: str,
    compiler: str,
    optimized: str,
    tmp_path: Path,
    commands: List[str],
    more: Sequence[str] = (),
) -> List[str]:
    try:
        flags = (optimized, "-g", "-fopenmp")
        program = own_programs.compiled(name, tmp_path / "unknown", flags, compiler, more)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task = {"commands": commands, "stop": "inspect"}
    result = processes.run_gdb("session.py", task, [str(program)]).result
    return [one.get("text", one.get("error")) for one in result]


def without_gdb(core: Path) -> str:
    command = [str(OMPDBG), "bt", "--full", str(core)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def frames(text: str, is_first: bool = False) -> Frames:
    """What each frame of the user's is called, with its variables; of those of one name the last,
    or the first, which hides the others."""
    found: Frames = []
    for line in text.splitlines():
        head, row = FRAME.match(line), ROW.match(line)
        if head is not None:
            found.append(((head[1] or "") + head[2], {}))
        elif row is not None and found:
            if not is_first or row[1] not in found[-1][1]:
                found[-1][1][row[1]] = row[2]
    return found


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sections_and_serial_regions(compiler: str, tmp_path: Path) -> None:
    cores = [tmp_path / "first", tmp_path / "third"]
    commands = ["bt -full", "omp bt -full", f"generate-core-file {cores[0]}", "continue"]
    commands += ["bt -full", "omp bt -full", "continue", "bt -full", "omp bt -full"]
    commands += [f"generate-core-file {cores[1]}"]
    told_all = said("unknown.c", compiler, "-O0", tmp_path, commands)
    first, full, _, _, second, full_of_second, _, third, full_of_third, _ = told_all
    dead, dead_of_third = map(without_gdb, cores)
    for text in (first, full, dead):
        told = frames(text)
        names = ["inspect", "parallel region of sections", "sections", "main"]
        assert [name for name, _ in told] == names, text
        variables = told[1][1]
        # These are copies of some elements: the first is not that of index 0.
        assert UNKNOWN.fullmatch(variables["fixed"]), variables
        assert UNKNOWN.fullmatch(variables["length"]), variables
        assert variables["whole"] == "{0, 700, 0}" or compiler == "gcc", variables
        assert told[2][1]["fixed"] == "{1, 2, 3, 4, 5, 6}"
    for text in (third, full_of_third, dead_of_third):
        name, variables = frames(text, is_first=True)[1]
        assert name == "orphaned"
        for copy in ("fixed", "shared") + (("array",) if compiler == "clang" else ()):
            assert UNKNOWN.fullmatch(variables[copy]), text
        if compiler == "clang":
            assert variables["whole"] == "{0, 700, 0}", text
        else:
            assert UNKNOWN.fullmatch(variables["whole"]), text
    for text in (second, full_of_second):
        told = frames(text)
        names = ["inspect", "parallel region of serial", "target region of serial"]
        names += ["parallel region of serial", "serial", "main"]
        assert [name for name, _ in told] == names, text
        for _, variables in told[1:4]:
            assert variables["outer"] in ("9", "9 (private)"), text
            is_unknown = compiler == "gcc" and UNKNOWN.fullmatch(variables["inner"])
            assert is_unknown or variables["inner"].startswith("{1, 2, 3}"), text


# At each stop, what the innermost construct's copies of whole arrays have, and of which arrays it has copies of
# some elements only.
COPIES: Dict[str, List[Tuple[Dict[str, str], str]]] = {
    "copies.c": [
        ({}, ""),
        (
            {
                "own": "{10, 11, 12}",
                "matrix": "{{20, 21}, {22, 23}}",
                "global": "{30, 31, 32, 33}",
                "within": "{60, 61, 62}",
                "outer": "{70, 71}",
                "fixed": "{80, 81}",
            },
            "cells table ours",
        ),
    ],
    "copies.cpp": [
        ({"own": "{10, 11, 12}", "generic": "{5.5, 6.5}"}, "parts sums"),
        ({"own": "{10, 11, 12}", "generic": "{7, 8}"}, "parts sums"),
        ({"own": "{10, 11, 12}"}, "members"),
    ],
}


@pytest.mark.parametrize("optimized", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", COPIES)
def test_copies_of_arrays(name: str, compiler: str, optimized: str, tmp_path: Path) -> None:
    """Those of all elements are shown; those of some look as if they were the whole array."""
    commands = []
    for number in range(len(COPIES[name])):
        commands += ["bt -full", "omp bt -full", f"gcore {tmp_path / str(number)}", "continue"]
    told = said(name, compiler, optimized, tmp_path, commands, ["copies_elsewhere.c"])
    shown = set()
    for number, (whole, parts) in enumerate(COPIES[name]):
        texts = told[number * 4 : number * 4 + 2] + [without_gdb(tmp_path / str(number))]
        for kind, text in enumerate(texts):
            variables = frames(text, is_first=True)[1][1]
            for one, value in whole.items():
                is_known = variables.get(one) in (value, value + " (private)")
                assert is_known or UNKNOWN.search(variables.get(one, "<unavailable>")), (one, text)
                shown.update([(number, kind, one)] if is_known else [])
            for one in parts.split():
                # What GCC's code has of elements of an array, it does not call by the array's name.
                if compiler == "clang" and one in variables:
                    assert UNKNOWN.match(variables[one]), (one, text)
    if compiler == "clang" and optimized == "-O0":
        # The variables of a template are of several types, another function has one of the name at a fixed
        # address, and where there are members, a copy may be one's.
        unsure = ("generic", "fixed")
        sure = [(n, one) for n in range(2) for one in COPIES[name][n][0] if one not in unsure]
        assert {(n, kind, one) for n, one in sure for kind in range(3)} <= shown


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_constants(compiler: str, tmp_path: Path) -> None:
    """A variable that code does not need is shown if its value is known; enumerators are none."""
    commands = ["bt -full", "omp bt -full", f"gcore {tmp_path / 'core'}", "omp print count"]
    told = said("constants.c", compiler, "-O2", tmp_path, commands)
    without = without_gdb(tmp_path / "core")
    for text in (*told[:2], without):
        variables = frames(text, is_first=True)[1][1]
        assert {name: value.split()[0] for name, value in variables.items() if name != "pair"} == {
            "count": "7",
            "scale": "2.5",
            "colour": "GREEN",
        }, text
    # Clang's code has the first member alone.
    lost = "{first = 1, second = <optimized out>}"
    assert ("{first = 1, second = 2}" if compiler == "gcc" else lost) in without
    assert "1 0/1 7 main" in " ".join(told[3].split())


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_optimized_out_as_a_whole(compiler: str, tmp_path: Path) -> None:
    """GDB tells so in one word, of classes that the standard library tells how to print, too."""
    for text in said("unknown.cpp", compiler, "-O1", tmp_path, ["bt -full", "omp bt -full"]):
        assert "Exception" not in text
        rows = [rows for name, rows in frames(text) if name == "task of solve"]
        assert len(rows) == 1, text
        assert rows[0]["lost"] == "<optimized out>" and len(rows[0]) == 2, text
        # A newer Clang tells of a register that the call has changed.
        assert UNKNOWN.fullmatch(rows[0]["field"]), text


@pytest.mark.parametrize("optimized", ["-O1", "-O2"])
def test_frame_that_pushed_arguments(optimized: str, tmp_path: Path) -> None:
    """Clang tells places by the stack pointer of before, and keeps telling of registers that the
    call changes."""
    core = tmp_path / "core"
    commands = ["bt -full", "omp bt -full", f"generate-core-file {core}"]
    commands += ["set print frame-arguments all", "bt"]
    first, full, _, _, heads = said("pushed.c", "clang", optimized, tmp_path, commands)
    for text in (first, full, without_gdb(core)):
        told = dict(frames(text))
        for function, variable, value in (
            ("next", "ending", "{201, 202, 203}"),
            ("plain", "array", "{100, 10, 20, 30}"),
            ("aligned", "array", "{200, 10, 20, 30}"),
        ):
            shown = told[function][variable]
            assert UNKNOWN.fullmatch(shown) or shown == value, text
        # Of what is in registers that calls preserve, some is known.
        values = {"plain": "101", "aligned": "201"}
        known = [name for name in values if told[name]["a"] == values[name]]
        assert known, text
        for name in values.keys() - known:
            assert told[name]["a"] == "<optimized out>", text
    assert re.search(r"in main \(argc=[^,]*, argv=.*<optimized out>", heads), heads


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_length_of_another_place(compiler: str, tmp_path: Path) -> None:
    """GCC tells it by the variable that it was computed from, which has changed since then."""
    core = tmp_path / "core"
    commands = ["bt -full", "omp bt -full", f"generate-core-file {core}"]
    first, full, _ = said("lengths.c", compiler, "-O2", tmp_path, commands)
    for text in (first, full, without_gdb(core)):
        variables = dict(frames(text, is_first=True))
        for function, known in ("solve", 3), ("steady", 3), ("within", 4):
            array = variables[function]["array"]
            elements = "{" + ", ".join(str(number + 1) for number in range(known)) + "}"
            assert UNKNOWN.fullmatch(array) or array == elements, text
        # What the function was called with that this one is inlined into.
        arguments = re.search(r" within \((.*?)\) ", text)
        assert arguments is not None, text
        told = dict(one.split("=", 1) for one in arguments[1].split(", "))
        assert told["first"] in ("3", "<optimized out>"), text
        assert told["second"] in ("2", "<optimized out>"), text
