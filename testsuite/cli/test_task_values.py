# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg task`: values of tasks that have begun, against what programs/begun.c writes of them."""

import re
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import build  # from fixtures/
import jsonschema
import pytest
from harness import own_programs, processes

from test_task import PROGRAMS, SCHEMA

FLAGS = ("-g", "-fopenmp")


def _compiled(name: str, folder: Path, family: str, level: str) -> Path:
    try:
        return own_programs.compiled(
            str(PROGRAMS / name), folder / "program", (level, *FLAGS), family
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))


def _said(file: Path) -> Dict[str, Dict[str, str]]:
    """The variables of each task, by its depth."""
    lines = [dict(re.findall(r"(\w+)=({.*?}|\S+)", line)) for line in file.open()]
    return {one["depth"]: one for one in lines}


def _tasks(ompdbg: Any, target: object) -> Iterator[Dict[str, Any]]:
    for task in ompdbg.json("tasks", target)["tasks"]:
        if task["kind"] == "explicit":
            document = ompdbg.json("task", task["number"], target)
            jsonschema.validate(document, SCHEMA)
            yield document["task"]


def _values(task: Dict[str, Any]) -> Dict[str, str]:
    return {one["name"]: one["value"] for one in task["values"]}


@pytest.mark.parametrize("family, level", [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0")])
def test_values_of_tasks_that_have_begun(
    ompdbg: Any, tmp_path: Path, family: str, level: str
) -> None:
    program, file = _compiled("begun.c", tmp_path, family, level), tmp_path / "said"
    with processes.ready_program(program, (str(file),)) as pid:
        tasks = list(_tasks(ompdbg, pid))
        texts = [ompdbg.run("task", task["number"], pid).stdout for task in tasks]
        command = ["gcore", "-o", str(tmp_path / "core"), str(pid)]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
    said = _said(file)
    assert {_values(task)["depth"]: _values(task) for task in tasks} == said and len(said) == 4
    assert sorted(task["status"] for task in tasks) == ["running"] + 3 * ["suspended"]
    for task, text in zip(tasks, texts):
        shared = {one["name"]: one["shared"] for one in task["values"]}
        # A copy of Clang's may have been made of nothing, and GCC passes what is only read so, too.
        corner = False if family == "gcc" else None
        assert shared == {"sum": True, "own": False, "corner": corner, "depth": None}
        for name, value in _values(task).items():
            title = {"sum": "Shared", "own": "Private"}.get(name, "Value")
            title = "Firstprivate" if name == "corner" and family == "gcc" else title
            assert f"  {title:<12} {name} = {value}\n" in text
    core = list(_tasks(ompdbg, tmp_path / f"core.{pid}"))
    assert [_values(task) for task in core] == [_values(task) for task in tasks]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_references_of_a_task_that_waits(ompdbg: Any, tmp_path: Path, level: str) -> None:
    """One that was passed as it is shares its object."""
    program, file = _compiled("references.cpp", tmp_path, "gcc", level), tmp_path / "said"
    with processes.ready_program(program, (str(file),)) as pid:
        (task,) = (one for one in _tasks(ompdbg, pid) if one["status"] == "blocked")
    found = re.findall(r"(\w+)=({.*?}|\S+)", file.read_text(encoding="utf-8"))
    assert _values(task) == dict(found)
    shared = {one["name"]: one["shared"] for one in task["values"]}
    assert shared == {"alias": True, "place": True, "copied": False}


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_code_that_has_left_by_a_jump(ompdbg: Any, tmp_path: Path, depth: int) -> None:
    """No values, and not those of an older task with the same code."""
    program, file = _compiled("begun.c", tmp_path, "gcc", "-O2"), tmp_path / "said"
    with processes.ready_program(program, (str(file), str(depth))) as pid:
        tasks = {task["number"]: task for task in _tasks(ompdbg, pid)}
        text = ompdbg.run("task", depth + 1, pid).stdout
    # Numbers are those of the depths: each is the only child of the one before.
    above = [{"depth": said} for said in sorted(_said(file)) if int(said) > depth]
    assert [_values(tasks[number]) for number in sorted(tasks)[depth + 1 :]] == above
    assert [_values(tasks[number]) for number in sorted(tasks)[: depth + 1]] == [{}] * (depth + 1)
    assert "  Values       <unavailable>: the stacks do not show its frame\n" in text


def test_a_task_executed_below_that_of_another_thread(ompdbg: Any, tmp_path: Path) -> None:
    """A taskwait of LLVM's runtime executes descendants: what generated one may lie elsewhere."""
    program = _compiled("descendant.c", tmp_path, "clang", "-O0")
    with processes.ready_program(program, ()) as pid:
        tasks: List[Dict[str, Any]] = list(_tasks(ompdbg, pid))
    by_kind = {_values(task).get("kind"): task for task in tasks}
    parent, child = sorted(
        (task for task in tasks if task["status"] == "suspended"), key=lambda one: one["number"]
    )
    # The child lies on the thread of SECOND; its parent on that of FIRST.
    assert child["thread_num"] in (None, by_kind["SECOND"]["thread_num"])
    assert parent["thread_num"] in (None, by_kind["FIRST"]["thread_num"])
    assert by_kind["FIRST"]["thread_num"] != by_kind["SECOND"]["thread_num"]
    assert {child["parent"], by_kind["FIRST"]["parent"]} == {parent["id"], child["id"]}
    assert _values(child).get("kind", "CHILD") == "CHILD"
    assert _values(parent).get("kind", "PARENT") == "PARENT"
