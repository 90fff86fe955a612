# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as JSON and as text, and the JSON of all commands against its schema."""

import json
from pathlib import Path
from typing import Any, Dict

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="there is no python3-jsonschema")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "ompdbg.schema.json").read_text(encoding="utf-8"))
FINE, FOUND, USAGE, NOT_WRITTEN = 0, 1, 2, 5

# Of each command, the definition in the schema and its exit status on a hung program.
COMMANDS = {
    "threads": ("doc_threads", FINE),
    "tasks": ("doc_tasks", FINE),
    "bt": ("doc_stacks", FINE),
    "regions": ("doc_regions", FINE),
    "icvs": ("doc_icvs", FINE),
    "env": ("doc_env", FINE),
    "locks": ("doc_locks", FINE),
    "why": ("doc_why", FOUND),
    "thread-info": ("doc_inquiries", FINE),
    "task-info": ("doc_inquiries", FINE),
    "parallel-info": ("doc_inquiries", FINE),
    "status": ("status", FINE),
    "report": ("report", FOUND),
}


def check(document: Dict[str, Any], name: str) -> None:
    """Raises if the document is not what the schema says of it."""
    schema = {key: value for key, value in SCHEMA.items() if key != "anyOf"}
    validator = jsonschema.validators.validator_for(SCHEMA)
    validator({**schema, "allOf": [{"$ref": "#/$defs/" + name}]}).validate(document)


def test_schema_itself() -> None:
    jsonschema.validators.validator_for(SCHEMA).check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        check({"schema": "ompdbg/2", "findings": []}, "doc_why")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(ompdbg: Any, hung: int, command: str) -> None:
    name, status = COMMANDS[command]
    check(ompdbg.json(command, hung, status=status), name)


def without_schema(document: Dict[str, Any]) -> Dict[str, Any]:
    """What a command says by itself."""
    return {name: said for name, said in document.items() if name != "schema"}


def test_report_is_what_the_commands_say(ompdbg: Any, hung: int) -> None:
    report = ompdbg.json("report", hung, status=FOUND)
    for name, command, status in (
        ("threads", "threads", FINE),
        ("regions", "regions", FINE),
        ("locks", "locks", FINE),
        ("icvs", "icvs", FINE),
        ("environment", "env", FINE),
        ("findings", "why", FOUND),
    ):
        assert report[name] == ompdbg.json(command, hung, status=status)[name]
    assert report["teams"] == ompdbg.json("threads", hung)["teams"]
    assert report["status"] == without_schema(ompdbg.json("status", hung))
    assert report["about"]["pid"] == hung
    assert report["verdict"]["text"] in [one["text"] for one in report["findings"]]
    threads = [number for stack in report["stacks"] for number in stack["threads"]]
    assert sorted(threads) == [thread["gdb"] for thread in report["threads"]]
    tasks = [task for task in report["tasks"]["listed"] if task["kind"] == "explicit"]
    blocked = {task["id"] for task in tasks if task["status"] == "blocked"}
    assert len(tasks) == 4 and len(blocked) == 3
    # Each waits for the one before it.
    assert {other for task in tasks for other in task["dependers"]} == blocked


def test_text_has_all_sections(ompdbg: Any, hung: int) -> None:
    done = ompdbg.run("report", hung)
    assert (done.returncode, done.stderr) == (FOUND, "")
    for title in ("Diagnosis", "Regions", "Stacks", "Tasks", "Locks", "Runtime"):
        assert f"\n== {title} ==\n" in done.stdout
    assert "6 of 8 threads have " in done.stdout
    assert "\nunavailable: " not in done.stdout


def test_files(ompdbg: Any, hung: int, tmp_path: Path) -> None:
    names = {kind: tmp_path / f"report.{kind}" for kind in ("text", "html", "json")}
    words = [word for kind, path in names.items() for word in (f"--{kind}", path)]
    done = ompdbg.run("report", hung, *words)
    assert (done.returncode, done.stdout, done.stderr) == (FOUND, "", "")
    assert sorted(tmp_path.iterdir()) == sorted(names.values())
    check(json.loads(names["json"].read_text(encoding="utf-8")), "report")
    assert names["html"].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_file_that_cannot_be_written(ompdbg: Any, hung: int, tmp_path: Path) -> None:
    done = ompdbg.run("report", hung, "--json", tmp_path / "missing" / "report.json")
    assert done.returncode == NOT_WRITTEN
    assert done.stderr.endswith("report.json: No such file or directory.\n")


def test_json_before_the_target(ompdbg: Any, hung: int) -> None:
    done = ompdbg.run("report", "--json", hung)
    assert json.loads(done.stdout)["about"]["pid"] == hung
    assert ompdbg.run("report").returncode == USAGE
