# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why: the signal that has stopped or ended a program, and threads that fork() has left behind.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

FAMILIES = ("gcc", "clang")
_CRASH = "../../cli/programs/crash.c"
_WORDS = r"^{} in thread \d+ \(2/4\): work at crash\.c:\d+{}$"
_FOLLOW = ["set follow-fork-mode child", "handle SIGALRM stop print nopass"]


def compiled(name: str, family: str, folder: Path) -> str:
    try:
        flags = ("-O1", "-g", "-fopenmp")
        return str(own_programs.compiled(name, folder / "program", flags, family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def say(commands: List[str], *arguments: str) -> List[str]:
    done = processes.run_gdb("session.py", {"commands": commands}, arguments)
    return [one.get("text", "error: " + one.get("error", "")) for one in done.result]


def of_core(core: Path, *options: str) -> Tuple[int, str]:
    """What the command line says."""
    command = [str(setup.LOADER.parent / "ompdbg"), "why", *options, str(core)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way,signal", (("segv", "SIGSEGV"), ("abort", "SIGABRT")))
def test_the_signal_comes_first(way: str, signal: str, family: str, tmp_path: Path) -> None:
    program, core = compiled(_CRASH, family, tmp_path), tmp_path / "core"
    about = ", invalid write at 0x8" if way == "segv" else ""
    wanted = re.compile(_WORDS.format(signal, about), re.M)
    commands = ["break main", "run " + way, "omp why", "continue", "omp why", "thread 1", "frame"]
    commands += ["omp why", "frame", "thread", "omp why -json", "generate-core-file " + str(core)]
    said = say(commands, program)
    assert "SIG" not in said[2]
    for text in (said[4], said[7]):
        assert wanted.match(text.splitlines()[0]), text
    assert said[6] == said[8] and "thread is 1 " in said[9]
    json.loads(said[10])
    assert wanted.match(say(["omp why", "core-file"], program, str(core))[0].splitlines()[0])
    status, text = of_core(core)
    assert status == 1 and wanted.match(text.splitlines()[0])


def test_the_signal_of_a_program_in_fortran(tmp_path: Path) -> None:
    """GDB's language is the program's there."""
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled("crash.f90", tmp_path / "program", flags)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    said = say(["run", "set language auto", "omp why"], str(program))
    words = r"SIGSEGV in thread \d+ \(\d/2\): .+ at crash\.f90:\d+, invalid write at "
    assert re.match(words + r"0x0 \(null pointer\)$", said[2].splitlines()[0]), said[2]


@pytest.mark.parametrize("kind,lost", (("after", "2 of its 3"), ("within", "3 of its 4")))
def test_threads_that_fork_has_left_behind(kind: str, lost: str, tmp_path: Path) -> None:
    program, core = compiled("forked.c", "gcc", tmp_path), tmp_path / "core"
    stop = [*_FOLLOW, "run " + kind, "omp why", "omp why -json"]
    said = say([*stop, "generate-core-file " + str(core), "kill"], program)
    documents: List[Dict[str, Any]] = [json.loads(said[4])]
    documents.append(json.loads(say(["omp why -json", "core-file"], program, str(core))[0]))
    status, text = of_core(core, "--json")
    assert status == 1
    documents.append(json.loads(text))
    for document in documents:
        (found,) = document["findings"]
        assert found["rule"] == "lost_threads" and found["certain"]
        assert found["severity"] == "stuck" and len(found["waiters"]) == 1
        assert found["text"] == "Region 1: {} threads do not exist".format(lost)
        assert "fork()" in found["notes"][0]
    assert said[3].startswith(documents[0]["findings"][0]["text"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_child_that_waits_for_nobody(family: str, tmp_path: Path) -> None:
    """In the region of its parent's threads; on LLVM's runtime, which forgets them, in its own."""
    program = compiled("forked.c", family, tmp_path)
    said = say([*_FOLLOW, "run sleeps", "omp why -json", "kill"], program)
    assert json.loads(said[3])["findings"] == []
    if family == "clang":
        commands = [*_FOLLOW, "break work", "run after", "omp threads -json", "omp why -json"]
        said = say([*commands, "delete", "continue"], program)
        assert len(json.loads(said[4])["threads"]) >= 3
        rules = [one["rule"] for one in json.loads(said[5])["findings"]]
        assert "lost_threads" not in rules
