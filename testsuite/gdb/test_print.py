# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp print`, `omp thread` and `omp frame`: values in all threads, and where they are."""

import json
import re
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup
from harness.terminal import Terminal

COMPILERS = ("gcc", "clang")
# What GDB itself says in the frame of a function, of each thread that has one.
READ = (
    "@python [(t.switch(), [f.read_var('{name}').format_string() for f in __import__("
    "'gdb.FrameIterator').FrameIterator.FrameIterator(gdb.newest_frame()) "
    "if (f.name() or '').startswith('{function}')])[1] for t in threads()]"
)
SETTINGS = "@python [gdb.parameter(name) for name in ('may-write-memory', 'may-call-functions')]"
SELECTED = "@python (gdb.selected_thread().num, gdb.selected_frame().name())"
MEMORY = "@python gdb.parse_and_eval('called').format_string()"
THREADS = 4


def program_of(tmp_path: Path, name: str, compiler: str, *flags: str) -> Path:
    words = flags or ("-O0", "-g", "-fopenmp")
    try:
        return own_programs.compiled(name, tmp_path / "program", words, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def run(files: List[Path], commands: List[str], **more: Any) -> List[Any]:
    spec = {"commands": ["set language auto", *commands], "stop": "fixture_ready", **more}
    found: List[Any] = processes.run_gdb("session.py", spec, list(map(str, files))).result
    return found[1:]


def values(said: Dict[str, Any]) -> Dict[int, Any]:
    """The value, or else the problem, of each thread in a document."""
    found = {}
    for group in json.loads(said["text"])["values"]:
        for number in group["threads"]:
            found[number] = group["value"] or f"! {group['problem']}"
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_values_are_those_of_gdb(compiler: str, tmp_path: Path) -> None:
    """In each thread's frame of work(), which the last has not."""
    names = ("mine", "distinct", "narrow", "counter", "place")
    commands = [f"omp print -json {name}" for name in names]
    commands += [READ.format(name=name, function="work") for name in names]
    said = run([program_of(tmp_path, "printed.c", compiler)], commands)
    for name, ours, gdbs in zip(names, said, said[len(names) :]):
        expected = {number: one[0] for number, one in enumerate(gdbs["value"], 1) if one}
        assert len(expected) == THREADS - 1
        assert values(ours) == {**expected, THREADS: f'! no symbol "{name}"'}


def test_table(tmp_path: Path) -> None:
    """The outlier comes first and is marked; the least and the greatest are told."""
    owns = ["omp print own", "omp print 'printed.c'::own", "omp print *&own"]
    said = run([program_of(tmp_path, "printed.c", "gcc")], ["omp print mine", *owns])
    assert said[0]["text"].splitlines() == [
        "   Thread  OMP        Value             In",
        "!       3  2/4        -1.5              work",
        "      1-2  2 threads  12.5              work",
        '        4  3/4        no symbol "mine"  wait_for',
        "4 threads: 2 have the same value, 1 differs (!), 1 without",
        "Minimum -1.5 in thread 3 (2/4), maximum 12.5 in threads 1-2",
    ]
    # However it is spelled, a threadprivate variable is another one in each thread.
    for one in said[1:]:
        numbers = [line.split()[2] for line in one["text"].splitlines()[1:5]]
        assert numbers == ["40", "41", "42", "0"]


def test_table_fits(tmp_path: Path) -> None:
    """A value that is too long for a line goes on in the next."""
    program = program_of(tmp_path, "printed.c", "gcc")
    try:
        terminal = Terminal([str(program)])
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with terminal:
        terminal.type("set style enabled off")
        terminal.type("break fixture_ready")
        terminal.type("run > /dev/null")
        for width in (60, 80, 120):
            terminal.type(f"set width {width}")
            lines = terminal.type("omp print *mesh->first")
            assert max(map(len, lines)) < width
            words = " ".join(" ".join(lines).replace(" work", "").replace(" main", "").split())
            whole = "{rho = 0.5, id = 0, level = 5, kind = FLUID, next = 0x0}"
            assert words.count(whole) == 2, words


@pytest.mark.parametrize("compiler", COMPILERS)
def test_expressions(compiler: str, tmp_path: Path) -> None:
    expected = {
        "mesh->field[2:3]": "{0.5, 0.75, 1}",
        "mesh->field[2]@3": "{0.5, 0.75, 1}",
        "table[1][0:2]": "{4, 5}",
        "total * 2 + 1": "15",
        "/x total": "0x7",
        "mesh->cells[1].level": "5",
        "mesh->cells[1].kind": "SOLID",
        "mesh->tag": '"tag\\000\\000\\000\\000"',
        "sizeof(struct mesh)": "280",
        '$_strlen("a=b")': "3",
        "nosuch": '! no symbol "nosuch"',
        "mesh->nosuch": "! there is no member named nosuch",
        "*(int *) 0": "! cannot access memory at address 0x0",
    }
    commands = [f"omp print -json {words}" for words in expected]
    said = run([program_of(tmp_path, "printed.c", compiler)], commands)
    for one, value in zip(said, expected.values()):
        assert values(one) == dict.fromkeys(range(1, THREADS + 1), value)


def test_options_after_the_expression(tmp_path: Path) -> None:
    """GDB subtracts what they are called. Where that is a variable, nothing is said of options."""
    commands = [
        "omp print total -all",
        "omp print -all total -json",
        "omp print total -own -number",
    ]
    said = run([program_of(tmp_path, "printed.c", "gcc")], commands)
    hint = '"{}" was taken for a part of the expression (options go before it)'
    for one, name in zip(said, ("all", "json")):
        lines = one["text"].splitlines()
        assert f'no symbol "{name}"' in one["text"] and lines[-1] == hint.format(f"-{name}"), lines
    assert "options" not in said[2]["text"]


def test_print_elements_holds(tmp_path: Path) -> None:
    commands = [
        "set print elements 4",
        "omp print -json -num 0 mesh",
        "omp print -json mesh->field",
    ]
    said = run([program_of(tmp_path, "printed.c", "gcc")], commands)
    assert said[1]["error"] == 'omp print: no option "-num"; see "help omp print".'
    assert set(values(said[2]).values()) == {"{0, 0.25, 0.5, 0.75...}"}


def test_nothing_is_written(tmp_path: Path) -> None:
    """Assignments are refused, calls too, in one line; GDB's settings stay as they are."""
    refused = {
        "total = 3": "an assignment would change the program; nothing was evaluated",
        "total += 3": "an assignment would change the program; nothing was evaluated",
        "$rsp = 3": "an assignment would change the program; nothing was evaluated",
        "total++": '"++" would change the program; nothing was evaluated',
        "-- --total": '"--" would change the program; nothing was evaluated',
        "effect(3)": "it would call a function of the program, or write to it",
        'mesh->name == "odd"': "it would call a function of the program, or write to it",
        "foo +": None,
        "(": None,
        "": "missing expression",
        "/": "missing expression",
        "/xy total": 'invalid format "xy" (expected a letter)',
        "-team 9 total": 'no team "9"',
        "-state nosuch total": 'no state "nosuch"',
        "-team 1 -all total": "-all and -team exclude each other",
        "total --team 1": '"--team" comes after the expression (options go before it)',
    }
    commands = [SELECTED, MEMORY, SETTINGS, *(f"omp print {words}" for words in refused)]
    commands += [SELECTED, MEMORY, SETTINGS, "omp print -json total", "set may-write-memory off"]
    commands += ["omp print total", SETTINGS]
    said = run([program_of(tmp_path, "printed.c", "gcc")], commands)
    assert said[:3] == said[-7:-4]
    assert said[2]["value"] == [True, True] and said[-1]["value"] == [False, True]
    for one, why in zip(said[3:], refused.values()):
        if why is not None:
            assert one["error"] == f"omp print: {why}."
        else:
            assert "error" in one or "no symbol" in one["text"]
        assert "\n" not in one.get("error", "")
    assert set(values(said[-4]).values()) == {"7"}


def test_threads_of_the_team(tmp_path: Path) -> None:
    """Without options those of the current team."""
    try:
        program = setup.program("nested", "O0")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["omp threads -json", "omp thread 1.1.0", "@python gdb.selected_thread().num"]
    commands += ["omp print -json 1", "omp print -json -all 1", "omp print -json -team 1.2.0 1"]
    said = run([program], commands, arguments=["3", "2", "4"])
    document = json.loads(said[0]["text"])
    labels = {team["id"]: team["label"] for team in document["teams"]}
    teams: Dict[str, List[int]] = {}
    for thread in document["threads"]:
        if thread["openmp"]:
            teams.setdefault(labels.get(thread["team"], ""), []).append(thread["gdb"])
    everyone = sorted(number for numbers in teams.values() for number in numbers)
    current = next(label for label, numbers in teams.items() if said[2]["value"] in numbers)
    assert current.startswith("1.1")
    assert sorted(values(said[3])) == sorted(teams[current])
    assert sorted(values(said[4])) == everyone
    assert sorted(values(said[5])) == sorted(teams["1.2.0"])


PRINTER = """
import gdb

class Cells:
    def __init__(self, value):
        self._value = value

    def to_string(self):
        begin, end = (self._value["_M_impl"][name] for name in ("_M_start", "_M_finish"))
        return "cells of {} to {}".format(begin.dereference(), (end - 1).dereference())

class Changing:
    def __init__(self, value):
        self._value = value

    def to_string(self):
        return gdb.parse_and_eval("{}")

def find(value):
    name = str(value.type.strip_typedefs())
    if name.startswith("std::vector<double"):
        return Cells(value)
    return Changing(value) if name == "shop::Base<double>" else None

gdb.pretty_printers.append(find)
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_templates(compiler: str, tmp_path: Path) -> None:
    """Pretty printers print; members have their names alone; operators are not called, nor do
    printers call or write."""
    printers = [tmp_path / "call.py", tmp_path / "write.py"]
    for path, words in zip(printers, ("changed(1)", "shop::open = 8")):
        path.write_text(PRINTER.replace('{}")', words + '")'), encoding="utf-8")
    names = ("mine", "scale", "low", "cells", "shop::open")
    commands = [f"source {printers[0]}", *(f"omp print -json {one}" for one in names)]
    commands += ["omp print self(1)", "omp print *(shop::Base<double> *) this"]
    commands += [f"source {printers[1]}", "omp print *(shop::Base<double> *) this"]
    commands += ["omp print -json shop::open", "print shop::open"]
    said = run([program_of(tmp_path, "printed.cpp", compiler)], commands)
    found = [values(one) for one in said[1:6]]
    assert [one[1] for one in found] == ["3", "1.5", "0.25", "cells of 0.5 to 0.5", "3"]
    assert [one[3] for one in found] == ["-2", "-1", "0.25", "cells of 7.5 to 7.5", "3"]
    assert "would call a function" in said[6]["error"]
    assert set(values(said[10]).values()) == {"3"} and said[11]["text"] == "$1 = 3\n"
    for one in (said[7], said[9]):
        assert "called" not in str(one) and "8" not in one.get("text", "")


def test_fortran(tmp_path: Path) -> None:
    expected = {
        "mine": ["12.5", "12.5", "-1.5", "12.5"],
        "items": [f"({10 * n + 1}, {10 * n + 2}, {10 * n + 3}, {10 * n + 4})" for n in range(4)],
        "items(2:3)": [f"({10 * n + 2}, {10 * n + 3})" for n in range(4)],
        "line(1:2)": ["(0.25, 0.5)"] * 4,
        "cells(2)%rho": ["12.5", "12.5", "-1.5", "12.5"],
        "grid(2,3)": ["8"] * 4,
        "steps": ["9"] * 4,
    }
    program = program_of(tmp_path, "printed.f90", "gcc")
    said = run([program], [f"omp print -json {words}" for words in expected])
    for one, numbers in zip(said, expected.values()):
        assert values(one) == dict(enumerate(numbers, 1))


def test_values_in_constructs(tmp_path: Path) -> None:
    """Names stand for what the construct's code sees, not for what the compiler made of them."""
    for compiler in COMPILERS:
        program = program_of(tmp_path, "printed.c", compiler)
        words = ("mesh.name", "mesh.field[0:2]", "threads", "number", "sum")
        said = run([program], [f"omp print -json {one}" for one in words])
        last = [values(one)[THREADS] for one in said]
        assert re.fullmatch(r'0x\w+ "even"', last[0])
        assert last[1:] == ["{0, 0.25}", "4", "3", "0"]


# ---- Threads and frames ---------------------------------------------------------------------


def test_omp_thread(tmp_path: Path) -> None:
    """GDB's own commands then go by the thread and its innermost frame of the program's."""
    commands: List[str] = []
    for word in ("2", "3/4", "1.1", "-team 1 0"):
        commands += [f"omp thread {word}", SELECTED, "up", SELECTED]
    said = run([program_of(tmp_path, "printed.c", "gcc")], commands)
    heads = [one["text"].splitlines()[0] for one in said[::4]]
    numbers = [int(re.findall(r"\((\d)/", head)[0]) for head in heads]
    assert numbers == [2, 3, 1, 0]
    assert [one["value"] for one in said[1::4]] == [
        [3, "wait_for"],
        [4, "wait_for"],
        [2, "wait_for"],
        [1, "fixture_ready"],
    ]
    above = ["state_park", "state_park", "state_park", "state_reached"]
    assert [one["value"][1] for one in said[3::4]] == above


def test_wrong_threads_change_nothing(tmp_path: Path) -> None:
    wrong = {
        "": "missing number (expected 3, or 1.3 in team 1)",
        "4": "team 1 has threads 0/4 to 3/4",
        "3/8": "team 1 has threads 0/4 to 3/4",
        "2.0": 'no team "2"',
        "x": 'invalid thread "x" (expected 3, or 1.3 in team 1)',
        "-team 1 1.2": 'invalid thread "1.2" (expected 3, or 1.3 in team 1)',
        "99999999999999999999": (
            'invalid thread "99999999999999999999" (expected 3, or 1.3 in team 1)'
        ),
        "1 2": 'no argument "2" is expected; see "help omp thread"',
    }
    commands = [SELECTED, *(f"omp thread {word}" for word in wrong), SELECTED]
    said = run([program_of(tmp_path, "printed.c", "gcc")], commands)
    assert said[0] == said[-1]
    assert [one["error"] for one in said[1:-1]] == [
        f"omp thread: {why}." for why in wrong.values()
    ]


def test_a_thread_without_a_frame_of_the_program(tmp_path: Path) -> None:
    """Threads 1 and 3 of the team have come to the end of the region, and a line says so."""
    commands = ["omp thread 0", "omp thread 1", "omp frame", "omp frame 0", "omp thread 2"]
    more = {"stop": "arrivals_ready", "arguments": ["barriers"]}
    said = run([program_of(tmp_path, "arrivals.c", "gcc")], commands, **more)
    hint = 'no frame of the program (see "omp bt")'
    assert [one["text"].splitlines()[-1] == hint for one in said] == [
        False,
        True,
        True,
        False,
        False,
    ]


def test_omp_frame_selects_the_users(tmp_path: Path) -> None:
    try:
        program = setup.program("hung", "O0")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["omp threads -json"]
    for number in range(1, 9):
        commands += [
            f"thread {number}",
            "omp frame",
            "@python gdb.selected_frame().find_sal().line",
        ]
    said = run([program], commands)
    threads = json.loads(said[0]["text"])["threads"]
    for thread in threads[:8]:
        assert said[3 * thread["gdb"]]["value"] == thread["location"]["line"]


def test_completion(tmp_path: Path) -> None:
    commands = [
        "complete omp print -t",
        "complete omp print -all mesh->fi",
        "complete omp thread -",
    ]
    said = run(
        [program_of(tmp_path, "printed.c", "gcc")], ["omp thread 1.1", "up", "up", *commands]
    )
    told = [one["text"].split() for one in said[3:]]
    assert told[0][-1] == told[2][-1] == "-team" and "mesh->field" in told[1]
