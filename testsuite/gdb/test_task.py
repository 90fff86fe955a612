# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp task`: one task in full, and its frame."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

SELECTED = "@python (gdb.selected_thread().num, gdb.selected_frame().name())"


SHOW = (
    "@python [(t.number, t.thread, gdb.execute(f'omp task {{t.number}}', to_string=True))"
    " for t in __import__('ompdbg').tasks() if t.status == '{}' and t.kind == 'explicit']"
)


def _run(variant: str, commands: List[str]) -> List[Any]:
    spec = {"commands": commands, "stop": "fixture_ready", "arguments": ["depend"]}
    program = str(setup.program("tasks", variant))
    found: List[Any] = processes.run_gdb("session.py", spec, [program]).result
    return found


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_a_task_that_runs_is_selected(variant: str) -> None:
    commands = [SHOW.format("blocked"), SELECTED, SHOW.format("running"), SELECTED]
    blocked, still, running, after = (one["value"] for one in _run(variant, commands))
    number, _, text = blocked[0]
    assert text.startswith(f"#{number} task of depend at tasks.c:")
    assert "  Waits for    #" in text and "Executed by" not in text
    assert still == [1, "fixture_ready"]  # as it was at the stop
    ((number, thread, text),) = running
    assert text.startswith(f"#{number} task of depend at tasks.c:")
    assert f"  Executed by  thread {thread} (" in text and f"-- thread {thread} (" in text
    assert after == [thread, "wait_for"]  # the innermost of the program's own code
    assert thread != 1


@pytest.mark.parametrize("built", ["gcc -O2", "clang -O0"])
def test_values_of_tasks_that_wait(tmp_path: Path, built: str) -> None:
    """GDB and the command line tell the same."""
    source = setup.ROOT / "testsuite" / "cli" / "programs" / "given.c"
    program = tmp_path / "given"
    command = [*built.split(), "-g", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    spec = {"commands": ["omp tasks", "omp tasks -queued -json"], "stop": "stay"}
    text, said = processes.run_gdb("session.py", spec, [str(program)]).result
    tasks = json.loads(said["text"])["tasks"]
    values = [{one["name"]: one["value"] for one in task["values"]} for task in tasks]
    assert sorted(one["n"] for one in values) == ["0", "1", "2"]
    assert {one["corner"] for one in values} == {"{x = 3, y = 4}"}
    assert text["text"].count(", corner = {x = 3, y = 4}") == len(tasks)
    if built.startswith("gcc"):
        assert {one["written"] for one in values} == {"1.5"}
        assert text["text"].count("shared written = 1.5") == len(tasks)


@pytest.mark.parametrize("family, level", [("gcc", "-O2"), ("clang", "-O0")])
def test_values_of_tasks_that_have_begun(tmp_path: Path, family: str, level: str) -> None:
    """They are those that the program writes, and there are none of tasks without a frame."""
    program, said = tmp_path / "begun", tmp_path / "said"
    source = setup.ROOT / "testsuite" / "cli" / "programs" / "begun.c"
    try:
        flags = (level, "-g", "-fopenmp")
        own_programs.compiled(str(source), program, flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = [f"omp task {number} -json" for number in range(1, 5)] + ["omp task 2"]
    spec = {"commands": commands, "stop": "stay", "arguments": [str(said)]}
    *documents, text = processes.run_gdb("session.py", spec, [str(program)]).result
    tasks = [json.loads(one["text"])["task"] for one in documents]
    values = [{one["name"]: one["value"] for one in task["values"]} for task in tasks]
    lines = said.read_text(encoding="utf-8").splitlines()
    assert values == [dict(re.findall(r"(\w+)=({.*?}|\S+)", line)) for line in lines]
    assert "  Shared       sum = {}\n".format(values[1]["sum"]) in text["text"]


def test_wrong_numbers() -> None:
    words = ("99", "0", "x", "")
    said = _run("O2", [f"omp task {word}" for word in words] + [SELECTED])
    assert [one.get("text") or one["error"] for one in said[:-1]] == [
        "omp task: no task #99 (the last one is #10).",
        'omp task: invalid number "0" (expected 17 or #17).',
        'omp task: invalid number "x" (expected 17 or #17).',
        "omp task: missing number of a task.",
    ]
    assert said[-1]["value"][0] == 1


@pytest.mark.parametrize("variant", ["O2", "clang"])
@pytest.mark.parametrize("option", ["", " -json"])
def test_the_selection_stays(variant: str, option: str) -> None:
    """Unless the task runs, and as long as only JSON is wanted."""
    show = SHOW.replace("{{t.number}}", "{{t.number}}" + option).replace("== '{}'", "{}")
    of = "" if option else "!= 'running'"
    commands = [SELECTED, "thread 2", SELECTED, show.format(of or "is not None"), SELECTED]
    _, _, before, shown, after = _run(variant, commands)
    assert before["value"][0] == 2 and len(shown["value"]) > 1
    assert after["value"] == before["value"]
