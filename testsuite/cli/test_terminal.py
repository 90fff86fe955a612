# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text on a terminal: colours of threads that stand out, and what survives where it is narrow."""

import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest
from harness import own_programs, processes, setup, terminal

ROOT = Path(__file__).resolve().parents[2]
OMPDBG = ROOT / "build/ompdbg"
VARIANTS = ("O2", "clang")
STUCK, WAITING, CRASHED = "\033[31m", "\033[2m", "\033[1;31m"
PLACE = re.compile(r"\b[\w-]+\.c:\d+")


def program_of(name: str, variant: str) -> Path:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def painted(command: str, target: object, *options: str) -> str:
    return terminal.printed([OMPDBG, command, *options, target], 120)


@pytest.mark.parametrize("variant", VARIANTS)
def test_who_waits_and_who_can_never_go_on(ompdbg: Any, variant: str) -> None:
    """A deadlock of two threads; two others wait at the end of their region."""
    with processes.ready_program(program_of("hangs", variant), ["lock_pair"]) as pid:
        findings = ompdbg.json("why", pid, status=1)["findings"]
        threads = ompdbg.json("threads", pid)["threads"]
        table, tree = painted("threads", pid), painted("bt", pid, "--tree")
        regions, why = painted("regions", pid), painted("why", pid)
    stuck = {number for one in findings if one["severity"] == "stuck" for number in one["waiters"]}
    assert len(stuck) == 2
    rows: Dict[int, str] = {}
    for line in table.splitlines():
        number = re.match(r"[ *]*(\d+)  ", line)
        if number is not None:
            rows[int(number[1])] = line
    for thread in threads:
        row, is_stuck = rows[thread["gdb"]], thread["gdb"] in stuck
        assert (STUCK in row) == is_stuck, row
        assert (WAITING in row) == (thread["wait"] is not None and not is_stuck), row
    for text in (tree, regions):
        assert text.count(STUCK) == 2 and text.count(WAITING) == 1, text
        assert re.search(re.escape(STUCK) + r"\s*(- )?lock ", text)
        assert re.search(re.escape(WAITING) + r"\s*(- )?barrier", text)
    assert STUCK + "Probable deadlock: 2 threads" in why


def test_who_has_crashed(tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    core = processes.kernel_core(setup.program("hung", "O2"), (), tmp_path)
    for command in ("threads", "bt"):
        lines = painted(command, core, *_tree(command)).splitlines()
        assert sum(CRASHED in line for line in lines) == 1
    assert painted("why", core).startswith(CRASHED + "SIGABRT in thread ")


def _tree(command: str) -> List[str]:
    return ["--tree"] if command == "bt" else []


def words(text: str) -> List[str]:
    """The places in the source that a text has."""
    return PLACE.findall(text)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "name, arguments",
    [("hung", []), ("nested", ["3", "2", "4"]), ("many", ["64"]), ("hangs", ["lock_pair"])],
)
def test_lines_survive_at_60_columns(name: str, arguments: List[str], variant: str) -> None:
    with processes.ready_program(program_of(name, variant), arguments) as pid:
        for command in ("threads", "regions", "tasks", "locks", "bt", "why"):
            wide = terminal.printed([OMPDBG, command, pid], 190, {"NO_COLOR": "1"})
            narrow = terminal.printed([OMPDBG, command, pid], 60, {"NO_COLOR": "1"})
            assert sorted(words(narrow)) == sorted(words(wide)), command
            if command != "bt":
                assert max(map(len, narrow.splitlines())) <= 60, command


def test_a_long_state_leaves_the_line_at_60_columns(tmp_path: Path) -> None:
    source = ROOT / "testsuite/cli/programs/locked.c"
    program = own_programs.compiled(str(source), tmp_path / "program")
    with processes.ready_program(program, ()) as pid:
        wide = terminal.printed([OMPDBG, "threads", pid], 190, {"NO_COLOR": "1"})
        narrow = terminal.printed([OMPDBG, "threads", pid], 60, {"NO_COLOR": "1"})
    assert max(map(len, narrow.splitlines())) <= 60
    assert "lock lock_of_the_boundary_cells" in wide and re.search(r"^.* 119 threads ", wide, re.M)
    assert sorted(words(narrow)) == sorted(words(wide)) and len(words(wide)) > 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_deep_tasks_at_60_columns(ompdbg: Any, variant: str) -> None:
    """Each line keeps the number, the line of the source and the status, and tells how deep it is."""
    with processes.ready_program(program_of("fib", variant), ["20", "4"]) as pid:
        lines = terminal.printed([OMPDBG, "tasks", pid], 60, {"NO_COLOR": "1"}).splitlines()
        tasks = {one["id"]: one for one in ompdbg.json("tasks", pid)["tasks"]}
    found: Dict[int, Tuple[int, int, str]] = {}
    for line in lines:
        row = re.match(r"( +)(?:\((\d+)\) )?#(\d+) .*:(\d+), (\w+)", line)
        if row:
            depth = int(row[2] or len(row[1]) // 2 - 1)
            found[int(row[3])] = (depth, int(row[4]), row[5])
    wanted: Dict[int, Tuple[int, int, str]] = {}
    for task in tasks.values():
        depth, at = 0, task
        while at["kind"] == "explicit":
            depth, at = depth + 1, tasks[at["parent"]]
        if task["number"] is not None and task["number"] in found:
            wanted[task["number"]] = (depth, task["function"]["line"], task["status"])
    assert found == wanted
    assert max(depth for depth, _, _ in found.values()) >= 10
    assert len(found) >= len([one for one in tasks.values() if one["status"] == "running"])


def test_long_lists_are_a_count_and_the_first(ompdbg: Any, tmp_path: Path) -> None:
    """Every second thread waits for the one in a critical construct."""
    source = ROOT / "testsuite/cli/programs/striped.c"
    program = own_programs.compiled(str(source), tmp_path / "program")
    with processes.ready_program(program, ()) as pid:
        threads = ompdbg.json("threads", pid)["threads"]
        text = ompdbg.run("why", pid).stdout
        tree = terminal.printed([OMPDBG, "bt", pid], 60, {"NO_COLOR": "1"})
    waiting = sorted(
        one["gdb"] for one in threads if one["wait"] and one["wait"]["kind"] == "critical"
    )
    assert len(waiting) == 32
    lists = re.findall(r"(\d+) threads \(([\d, ]+), \.\.\.\)", text)
    assert lists and max(map(len, text.splitlines())) < 130
    firsts = [[int(one) for one in first.split(", ")] for count, first in lists if count == "32"]
    assert waiting[: len(firsts[0])] == firsts[0] and len(firsts[0]) >= 8, text
    assert re.search(r"^ +32 .*  {},{},.*\.\.\.$".format(*waiting[:2]), tree, re.M), tree
