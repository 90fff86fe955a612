# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp bt -all` tells stacks that are the same once, and `omp frame` selects what it shows."""

import json
import re
from pathlib import Path
from typing import Any, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

VARIANTS = ("O2", "clang", "omp19")


def program_of(name: str, variant: str) -> Path:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def run(program: Path, arguments: List[str], commands: List[str]) -> List[Any]:
    spec = {"commands": commands, "arguments": arguments, "stop": "fixture_ready"}
    found: List[Any] = processes.run_gdb("session.py", spec, [str(program)]).result
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_team_of_64_is_told_in_three_stacks(variant: str) -> None:
    """Thread 0 is in the critical construct, 1 waits for it, the others at a barrier."""
    program = program_of("many", variant)
    for width in (0, 80):
        commands = ["set width {}".format(width), "omp bt -all -no-tree", "omp bt -all -full"]
        _, said, full = run(program, ["64"], commands)
        blocks = said["text"].rstrip("\n").split("\n\n")
        stacks = {re.findall(r" \((\S+)/64\), team 1,", b)[0]: b for b in blocks}
        assert list(stacks) == ["0", "1", "2-63"]
        assert re.match(r"-- threads [\d, -]+ \(2-63/64\), ", stacks["2-63"])
        line = build.line_of("many", "barrier")
        assert "parallel region of main at many.c" in stacks["2-63"] or "crowd" in stacks["2-63"]
        assert re.search(r"[: ]{}$".format(line), stacks["2-63"], re.M), stacks["2-63"]
        assert "main (" in stacks["2-63"]
        # Local variables differ.
        assert len(full["text"].rstrip("\n").split("\n\n-- ")) == 64


def test_arguments_of_one_are_told() -> None:
    said = run(program_of("hung", "O0"), [], ["omp bt -all"])
    alone = [b for b in said[0]["text"].split("\n\n") if "(3/8)" in b]
    assert len(alone) == 1 and "level (from=3, to=4) at hung.c" in alone[0]


@pytest.mark.parametrize("variant", ("O0", "O2", "clang", "clang-O0", "omp19"))
def test_omp_frame(variant: str) -> None:
    where = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"
    line = "@python gdb.selected_frame().find_sal().line"
    places = ["{}:{}".format(thread, level) for thread in range(1, 25) for level in range(24)]
    commands = ["omp bt -all -json"]
    for place in places:
        commands += ["omp frame " + place, where, line]
    said = run(program_of("nested", variant), ["3", "2", "4"], commands)
    stacks = json.loads(said[0]["text"])["stacks"]
    answers = {place: said[3 * i + 1 : 3 * i + 4] for i, place in enumerate(places)}
    deepest = max(stacks, key=lambda stack: len(stack["parts"]))
    assert len(deepest["parts"]) == 4
    for part in deepest["parts"]:
        frame = part["frames"][0]
        told = answers["{}:{}".format(part["thread"], frame["level"])]
        assert told[1]["value"] == [part["thread"], frame["level"]]
        assert told[2]["value"] == frame["line"]
        lines = told[0]["text"].splitlines()
        assert lines[0].startswith("-- thread {} (".format(part["thread"]))
        assert lines[1].startswith("#{} ".format(frame["level"]))
        assert frame["function"] in lines[1]
        assert lines[2].startswith("{}\t".format(frame["line"]))


def test_bad_frames_change_nothing() -> None:
    where = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"
    wrong = ["x", "1:2:3", "99", "77:0", "1:", ":1", "-1", "1 2", "99999999999999999999"]
    commands = [where, *("omp frame " + word for word in wrong), where]
    said = run(program_of("hung", "O2"), [], commands)
    assert said[0] == said[-1]
    for word, one in zip(wrong, said[1:]):
        assert re.fullmatch(r"omp frame: [^\n]+\.", one["error"]), (word, one)
    assert said[3]["error"] == "omp frame: thread 2 has no frame 99."
    assert said[4]["error"] == "omp frame: no thread 77."


def test_stacks_in_one_line(tmp_path: Path) -> None:
    """They are told together, but where their addresses are told, too."""
    program = own_programs.compiled("one_line.c", tmp_path / "program", ("-O0", "-g", "-fopenmp"))
    told, raw = run(program, [], ["omp bt -all", "omp bt -all -raw"])
    assert "(1-2/3)" in told["text"]
    assert "(1-2/3)" not in raw["text"]
    calls = re.findall(r"(0x\w+) in parallel region of main .*, line (\d+)$", raw["text"], re.M)
    assert len(set(calls)) == 3 and len({line for _, line in calls}) == 2, calls
