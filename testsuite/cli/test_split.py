# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debug information in files of its own (-gsplit-dwarf): read where it is there, missed where it is not,
and never replaced by a guess."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest
from harness import processes, rest, setup
from test_waits import PROGRAMS, line_of

THREADS = 4
MISSING = "ompdbg: warning: split.dwo: not found (debug information of 1 unit is missing)\n"
WAYS = [(family, version) for family in ("gcc", "clang") for version in (4, 5)]


class Split:
    """A program whose debug information is in split.dwo beside it, and a core file of its hang."""

    def __init__(self, family: str, version: int, folder: Path) -> None:
        self.folder, self.rest = folder, folder / "split.dwo"
        compiler = setup.CC if family == "gcc" else build.clang_of(setup.CC)
        if shutil.which(compiler) is None:
            pytest.skip("no " + compiler)
        shutil.copy(str(PROGRAMS / "split.c"), str(folder))
        flags = ["-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-O0", "-fopenmp"]
        for step in (["-c", "split.c"], ["split.o", "-o", "split"]):
            subprocess.run([compiler, *flags, *step], cwd=str(folder), check=True)
        self.program = folder / "split"
        with rest.hanging([str(self.program)], THREADS, folder) as process:
            self.core = process.core()


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: f"{way[0]}-{way[1]}")
def split(request: Any, tmp_path_factory: Any) -> Split:
    """A program of each compiler and release of DWARF."""
    family, version = request.param
    return Split(family, version, tmp_path_factory.mktemp("split"))


def places(document: Dict[str, Any]) -> List[int]:
    """The lines where the threads are."""
    return sorted(one["location"]["line"] for one in document["threads"])


def test_it_is_read(ompdbg: Any, split: Split) -> None:
    """Lines, values and the name of what the program has are those of the source."""
    at = [line_of("split.c", mark) for mark in ("barrier", "barrier", "hold", "sleep")]
    assert places(ompdbg.json("threads", split.core)) == sorted(at)
    values = ompdbg.json("print", "local", split.core)
    told = sorted(int(one["value"]) for one in values["values"])
    assert told == [1, 11, 21, 31], values
    assert {one["value"] for one in ompdbg.json("print", "width", split.core)["values"]} == {"4"}


@pytest.mark.parametrize("is_pipe", (False, True))
def test_it_is_missing(ompdbg: Any, split: Split, is_pipe: bool) -> None:
    """One line says so, and what is left is true; a pipe with its name is no file."""
    aside = split.rest.with_suffix(".aside")
    split.rest.rename(aside)
    try:
        if is_pipe:
            os.mkfifo(str(split.rest))
        told = ompdbg.run("threads", split.core)
        report = json.loads(ompdbg.run("report", split.core, "--json").stdout)
    finally:
        aside.replace(split.rest)
    assert told.stderr == MISSING
    assert MISSING[len("ompdbg: warning: ") : -1] in report["about"]["problems"]
    words = ("barrier ", "critical table ", "sleeps")
    assert [told.stdout.count(f"  {word}") for word in words] == [2, 1, 1], told.stdout


def test_it_is_missing_in_gdb(split: Split) -> None:
    """GDB may fail to unwind then: no state is told that the thread is not in."""
    aside = split.rest.with_suffix(".aside")
    split.rest.rename(aside)
    try:
        task = {"commands": ["omp threads"], "kill": False}
        arguments = [str(split.program), str(split.core)]
        said = processes.run_gdb("session.py", task, arguments, clean=False).result
    finally:
        aside.replace(split.rest)
    text = said[0]["text"]
    for word in ("end of region", "starting or ending", "idle"):
        assert word not in text, text
    assert text.count("implicit") == THREADS, text


def test_packages(ompdbg: Any, split: Split) -> None:
    """A package is read by elfutils 0.191 and later; others say that it was not."""
    tools = [tool for tool in ("llvm-dwp", "dwp") if shutil.which(tool)]
    package = split.folder / "split.dwp"
    for tool in tools:
        subprocess.run(
            [tool, "-e", "split", "-o", package.name], cwd=str(split.folder), check=False
        )
    if not package.exists():
        pytest.skip("no llvm-dwp")
    aside = split.rest.with_suffix(".aside")
    split.rest.rename(aside)
    try:
        told = ompdbg.run("threads", split.core)
    finally:
        aside.replace(split.rest)
        package.unlink()
    if told.stderr:
        assert f"{package}: debug information of 1 unit not read (elfutils 0.1" in told.stderr
    else:
        assert f"hold at split.c:{line_of('split.c', 'hold')}" in told.stdout
