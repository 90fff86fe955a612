# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every recorded place is one of the program, though LLVM's runtime gives tools some of its own code."""

import json
import subprocess
from pathlib import Path
from typing import Any, Iterator, List

import pytest
from conftest import PRELOADED, PROGRAMS, SECONDS, ask, preload, run
from harness import processes

SOURCE = PROGRAMS / "taskloop.c"


def on_llvm(compiler: str, folder: Path) -> Path:
    """The program of a compiler, linked with LLVM's runtime."""
    compiled, program = folder / "taskloop.o", folder / "taskloop"
    for words in (
        [compiler, "-g", "-O1", "-fopenmp", "-c", str(SOURCE), "-o", str(compiled)],
        ["clang", "-fopenmp", str(compiled), "-o", str(program)],
    ):
        subprocess.run(words, check=True, timeout=SECONDS)
    return program


def places(document: Any) -> Iterator[Any]:
    """All places in a document."""
    if isinstance(document, dict) and {"function", "address", "object"} <= set(document):
        yield document
    elif isinstance(document, (dict, list)):
        for one in document.values() if isinstance(document, dict) else document:
            yield from places(one)


@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_no_place_is_in_the_runtime(compiler: str, tmp_path: Path) -> None:
    program = on_llvm(compiler, tmp_path)
    with processes.ready_program(program, (), preload(*PRELOADED)) as pid:
        commands = (("history", "--all"), ("tasks",), ("why",), ("threads",), ("regions",))
        texts = [run(name, pid, *options).stdout for name, *options in commands]
        events = ask("history", pid, "--all")["events"]
        report = ask("report", pid)
    for text in texts:
        assert text and "kmpc" not in text and "GOMP" not in text and "libomp" not in text
        assert " at by " not in text and not text.endswith(" at")
    found: List[Any] = list(places([events, report]))
    assert found and {one["object"] for one in found} == {str(program)}
    made = [one for one in events if one["kind"] == "task_create"]
    recorded = [task["recorded"] for task in report["tasks"]["listed"] if "recorded" in task]
    assert made and recorded
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    (line,) = [i for i, text in enumerate(lines, 1) if text.endswith("// makes the tasks")]
    # Newer releases of the runtime have the call.
    assert all(one["location"] is None or one["location"]["line"] == line for one in made)
    assert all(one["location"] is None or one["location"]["line"] == line for one in recorded)


def test_no_construct_is_in_the_runtime(tmp_path: Path) -> None:
    """In a profile they have an unknown place."""
    program, trace = on_llvm("clang", tmp_path), tmp_path / "trace"
    assert run("record", "-o", trace, "--", program, "ends").returncode == 0
    constructs = json.loads(run("profile", trace, "--json", "-").stdout)["constructs"]
    assert {"task", "taskloop"} <= {one["kind"] for one in constructs}
    assert {one["object"] for one in places(constructs)} == {str(program)}
