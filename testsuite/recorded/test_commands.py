# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libompdbg over recorded targets: what the commands would show, against the headers of the
programs as they were when recorded."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
import recording
from conftest import BUILD, RELEASES, ROOT

sys.path[:0] = [str(ROOT / "testsuite" / name) for name in ("gdb", "fuzz")]

import recorded_targets  # noqa: E402
from harness import expect, expect_tasks  # noqa: E402

PRINTER = BUILD / "testsuite" / "recorded" / "printer" / "print-recorded"
LIBRARY = BUILD / "libompd" / "libompd.so"
DOCUMENTS = ("threads", "stacks", "tasks")

Said = Dict[str, Dict[str, Any]]  # documents by name of the target
CASES: List[Any] = [
    pytest.param((release, target), id="{}-{}".format(release.name, target.name))
    for release in RELEASES
    for target in release.targets
]


class RecordedCase:
    """A recorded target, as harness.cases.Case has it."""

    mode = "recorded"

    def __init__(self, target: recording.Target) -> None:
        self.program = target.program
        self.arguments = target.arguments
        self.variant = target.variant
        self.state = target.state
        self.name = " ".join((self.program,) + self.arguments)


@pytest.fixture(name="said", scope="session")
def _said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What libompdbg says of all targets."""
    return say(tmp_path_factory.mktemp("recorded") / "all.targets", recording.paths())


def say(file: Path, recordings: List[Path]) -> Said:
    """What libompdbg says of the targets of recordings, which it finds in a file that is written."""
    recorded_targets.write(file, recordings, True)
    command = [str(PRINTER), str(LIBRARY), str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    lines = iter(done.stdout.decode().splitlines())
    return {name: {one: json.loads(next(lines)) for one in DOCUMENTS} for name in lines}


def documents(said: Said, param: Tuple[recording.Release, recording.Target]) -> Dict[str, Any]:
    """Those of a target."""
    release, target = param
    return said["{}-{}".format(release.name, target.name)]


@pytest.mark.parametrize("param", CASES)
def test_threads_are_as_the_header_says(said: Said, param: Any) -> None:
    release, target = param
    if target.variant == "static" and release.libc == "glibc 2.31":
        pytest.skip("its static C library has source lines, like code of the program")
    case: Any = RecordedCase(target)
    problems: List[str] = expect.thread_problems(case, documents(said, param))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("param", [one for one in CASES if one.values[0][1].expected["tasks"]])
def test_tasks_are_as_the_header_says(said: Said, param: Any) -> None:
    case: Any = RecordedCase(param[1])
    wanted = expect_tasks.expected(case, True)
    assert expect_tasks.found(case, documents(said, param), True) == wanted
