# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg print`, by debug information alone: as in GDB, on processes and core files."""

import json
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import jsonschema
import pytest
from harness import own_programs, processes

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/ompdbg.schema.json").read_text(encoding="utf-8"))
USAGE = 2
MORE = {"declared.cpp": ("declared_elsewhere.cpp", "declared_again.c")}
EXPRESSIONS = {
    "printed.c": (
        *("mine", "distinct", "narrow", "counter", "own", "total", "table", "table[1][0:2]"),
        *("mesh->cells[place].kind", "mesh->cells[1]", "*mesh->first", "mesh->first->next"),
        *(
            "mesh->name",
            "mesh->tag",
            "mesh->field[2:5]",
            "mesh->field[place]",
            "mesh.cells[2].rho",
        ),
        *("mesh->cells[1].level", "&total", "mesh->cells[0:2]", "only_here", "nosuch", "argc"),
    ),
    "printed.cpp": ("mine", "this->scale", "scale", "low", "shop::open", "self.scale"),
    "declared.cpp": (
        *("mine", "mesh", "mesh.number", "mesh.cells[1].kind", "mesh.cells[0:2]", "*mesh.part"),
        *("mesh.part->size", "cell", "cell.rho", "last->kind", "*last", "*base"),
    ),
    "printed.f90": (
        *("mine", "items", "items(2)", "items(2:3)", "line", "line(1:3)", "cells(2)", "MINE"),
        *("cells(2)%rho", "cells(2)%id", "grid", "grid(2,3)", "grid(:,3)", "steps"),
    ),
}


@pytest.mark.parametrize(
    "name, compiler",
    [
        *((n, "gcc") for n in EXPRESSIONS),
        *((n, "clang") for n in EXPRESSIONS if n != "printed.f90"),
    ],
)
def test_values_are_those_of_gdb(ompdbg: Any, name: str, compiler: str, tmp_path: Path) -> None:
    """The documents of a core file, where both evaluate, are equal."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    flags = ("-O0", "-g", "-fopenmp")
    try:
        more = MORE.get(name, ())
        program = own_programs.compiled(name, tmp_path / "program", flags, compiler, more)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    core = processes.kernel_core(program, (), tmp_path)
    words = EXPRESSIONS[name]
    commands = ["set language auto", *(f"omp print -all -json {one}" for one in words)]
    spec = {"commands": commands, "kill": False}
    said = processes.run_gdb("session.py", spec, [str(program), str(core)]).result[1:]
    documents: Dict[str, Any] = {}
    for one, gdbs in zip(words, said):
        status = USAGE if one == "nosuch" else 0
        ours = documents[one] = ompdbg.json("print", one, core, status=status)
        jsonschema.validate(ours, SCHEMA)
        assert ours == json.loads(gdbs["text"]), one
    assert len(documents["mine"]["values"]) >= 2
    (outlier,) = [group for group in documents["mine"]["values"] if group["outlier"]]
    assert outlier["thread_nums"] == [2]
    if name in MORE:
        # GDB takes the first of two different structures with the name.
        (unclear,) = ompdbg.json("print", "*unclear", core)["values"]
        assert unclear["problem"] == "incomplete type"


@pytest.fixture(name="running", scope="module")
def running_program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The program in C."""
    folder = tmp_path_factory.mktemp("printed")
    program = own_programs.compiled("printed.c", folder / "program", ("-O0", "-g", "-fopenmp"))
    with processes.ready_program(program, ()) as pid:
        yield pid


def test_text(ompdbg: Any, running: int) -> None:
    assert ompdbg.run("print", "mine", running).stdout.splitlines() == [
        "   Thread  OMP        Value             In",
        "!       3  2/4        -1.5              work",
        "      1-2  2 threads  12.5              work",
        '        4  3/4        no symbol "mine"  wait_for',
        "4 threads: 2 have the same value, 1 differs (!), 1 without",
        "Minimum -1.5 in thread 3 (2/4), maximum 12.5 in threads 1-2",
    ]


def test_formats_and_choice(ompdbg: Any, running: int) -> None:
    formatted: List[Any] = []
    for letter in "xduot":
        document = ompdbg.json("print", f"/{letter}", "narrow", running, "--num", "2")
        formatted += [group["value"] for group in document["values"]]
    assert formatted == ["0xfffe", "-2", "65534", "0177776", "1111111111111110"]
    (group,) = ompdbg.json("print", "distinct", running, "--team", "1", "--num", "1")["values"]
    assert (group["value"], group["threads"]) == ("10", [2])


def test_wrong_expressions(ompdbg: Any, running: int) -> None:
    wrong = {
        "mine = 3": "an assignment would change the program; nothing was evaluated",
        "counter++": '"++" would change the program; nothing was evaluated',
        "mine + 1": 'cannot evaluate "+ 1" (only variables, members, elements, * and &)',
        "mine -team 1": '"-team" comes after the expression (options go before it)',
        "mine --team=1": '"--team" comes after the expression (options go before it)',
        "foo(": 'the expression "foo(" is not complete',
        "": 'the expression "" is not complete',
        "*": 'the expression "*" is not complete',
        "(" * 5000: f'the expression "{"(" * 5000}" is not complete',
    }
    for words, why in wrong.items():
        done = ompdbg.run("print", words, running)
        assert (done.returncode, done.stdout) == (USAGE, "")
        if len(words) < 80:
            assert done.stderr == f"ompdbg print: {why}.\n"
    done = ompdbg.run("print", "/y", "mine", running)
    assert done.stderr == 'ompdbg print: invalid format "y" (expected x, d, u, o or t).\n'
    assert ompdbg.run("print", "mine").returncode == USAGE
    assert ompdbg.run("print").returncode == USAGE


def test_long_lines(ompdbg: Any, running: int) -> None:
    """No line of any text is longer than 199 columns, and arguments are short."""
    for words in (("bt", "--full"), ("print", "mesh"), ("print", "*mesh")):
        lines = ompdbg.run(*words, running).stdout.splitlines()
        assert max(map(len, lines)) < 200


@pytest.mark.parametrize("expression", ["nosuch", "wait_for(3)"])
def test_names_of_no_variable(ompdbg: Any, running: Any, expression: str) -> None:
    """The exit status says that nothing has the name; a function exists, and is not called."""
    done = ompdbg.run("print", expression, running)
    assert done.returncode == USAGE
    if expression == "nosuch":
        assert 'no symbol "nosuch"' in done.stdout
    else:
        assert done.stderr == "ompdbg print: functions are not called.\n"
