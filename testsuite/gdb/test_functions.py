# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convenience functions, in conditions of breakpoints too, and `omp apply`."""

import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

ROUNDS = 10
POINTS = 2 + 4 * ROUNDS + 4 * ROUNDS + ROUNDS


def points(tmp_path: Path, compiler: str) -> str:
    try:
        flags = ("-O0", "-g", "-fopenmp")
        return str(own_programs.compiled("points.c", tmp_path / "points", flags, compiler))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def run(program: str, commands: List[str], **more: Any) -> processes.Finished:
    return processes.run_gdb("session.py", {"commands": commands, **more}, [program])


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_condition_that_is_never_true(compiler: str, tmp_path: Path) -> None:
    """The program itself asks the runtime; what is told is the same, everywhere."""
    differs = (
        "$_omp_thread_num() != number || $_omp_num_threads() != size || $_omp_level() != level"
        ' || $_omp_in_task("tasks") != in_task || $_omp_in_task("team")'
        ' || !$_streq($_omp_state(), level ? "work_parallel" : "work_serial")'
    )
    commands = [
        "break point if {} || $n++ < 0".format(differs),
        "set var $n = 0",
        "run",
        "print $n",
    ]
    done = run(points(tmp_path, compiler), commands)
    assert done.result[-1]["text"].split(" = ")[1] == "{}\n".format(POINTS)
    assert "{} points".format(POINTS) in done.output
    assert "hit Breakpoint" not in done.output + str(done.result)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_conditions_choose_threads(compiler: str, tmp_path: Path) -> None:
    counts = {
        "$_omp_thread_num() == 2 && $_omp_num_threads() == 4": ROUNDS,
        "$_omp_level() == 2 && $_omp_thread_num() == 1": 2 * ROUNDS,
        '$_streq($_omp_team(), "1.1")': 2 * ROUNDS,
        '$_omp_in_task("tasks")': ROUNDS,
        '$_streq($_omp_state(), "work_serial")': 2,
    }
    commands = []
    for number, condition in enumerate(counts):
        commands += ["set var $n{} = 0".format(number)]
        commands += ["break point if ({}) ? $n{}++ < 0 : 0".format(condition, number)]
    commands += ["run", *("print $n{}".format(number) for number in range(len(counts)))]
    done = run(points(tmp_path, compiler), commands)
    told = [int(one["text"].split(" = ")[1]) for one in done.result[-len(counts) :]]
    assert told == list(counts.values())
    assert "{} points".format(POINTS) in done.output


def test_without_a_thread() -> None:
    functions = ["thread_num()", "num_threads()", "level()", "team()", "state()", 'in_task("x")']
    program = str(setup.program("notomp", "O2"))
    stops: Tuple[Dict[str, str], ...] = ({}, {"stop": "fixture_ready"})
    for stop in stops:
        said = run(program, ["print $_omp_" + name for name in functions], **stop).result
        values = [one["text"].split(" = ")[1].strip() for one in said]
        assert values == ["-1", "-1", "-1", '"-"', '"?"', "0"]


VARIANTS = ("O2", "clang")


@pytest.mark.parametrize("variant", VARIANTS)
def test_apply(variant: str) -> None:
    try:
        program = str(setup.program("nested", variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    where = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"
    choices: Dict[str, int] = {
        "-level 3": 3 * 2 * 4,
        "-level 2": 0,
        "-team 1.2.1": 4,
        "-num 0,2-3 -level 3": 3 * 2 * 3,
        "-state wait_barrier": -1,
        "-team 1.2.1 -num 3": 1,
    }
    commands = [where]
    for choice in choices:
        commands.append("omp apply {} echo at $_thread\\n".format(choice))
        commands.append("omp apply {} print $_omp_thread_num()".format(choice))
        commands.append("omp apply {} -q -- bt 1".format(choice))
    commands.append(where)
    said = run(program, commands, stop="fixture_ready", arguments=["3", "2", "4"]).result
    assert said[0] == said[-1]
    for (choice, number), text, printed, quiet in zip(
        choices.items(), said[1::3], said[2::3], said[3::3]
    ):
        if number == 0:
            assert printed["error"] == "omp apply: there is no such OpenMP thread."
            continue
        headings = re.findall(r"^-- thread \S+ \((\d+)/4\)", text["text"], re.M)
        assert len(headings) == number or (number < 0 and headings)
        assert re.findall(r"\$\d+ = (\d+)$", printed["text"], re.M) == headings
        assert "-- thread" not in quiet["text"]
        assert len(re.findall(r"^#\d+ ", quiet["text"], re.M)) == len(headings)


def test_apply_and_errors() -> None:
    program = str(setup.program("hung", "O2"))
    first = run(
        program,
        [
            "omp apply --",
            "omp apply -team",
            "omp apply -x bt",
            "omp apply -team 9 bt",
            "omp apply -num x bt",
            "omp apply -level -1 bt",
            "omp apply -c -s bt",
            "omp apply nonsense",
            "omp apply -c -num 0-1 nonsense",
            "omp apply -s -num 0-1 nonsense",
        ],
        stop="fixture_ready",
    ).result
    errors = [one.get("error") for one in first]
    assert errors[:7] == [
        "omp apply: missing command.",
        'omp apply: option "-team" needs a value: TEAM.',
        'omp apply: no option "-x"; see "help omp apply".',
        'omp apply: no team "9".',
        'omp apply: invalid thread number "x" (expected 0, 1, ...).',
        'omp apply: invalid level "-1" (expected 0, 1, ...).',
        "omp apply: -c and -s exclude each other.",
    ]
    assert "nonsense" in str(errors[7])
    assert first[8]["text"].count("nonsense") == 2 and first[8]["text"].count("-- thread") == 2
    assert first[9]["text"] == ""
