# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bash completes, and that man page and help know every command."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Set

import pytest
from conftest import OMPDBG, ROOT

COMPLETION = ROOT / "tools" / "completion" / "ompdbg"
COMMANDS = set(
    "threads tasks task bt print regions icvs env locks why history status report record profile run merge".split()
)
COMMANDS |= {"thread-info", "task-info", "parallel-info"}


def completed(*words: str, folder: Path = ROOT) -> Set[str]:
    """What may stand for the last word."""
    script = f"""
        . '{COMPLETION}'
        COMP_WORDS=("$@")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _ompdbg
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    command = ["bash", "-c", script, "bash", str(OMPDBG), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_commands(ompdbg: Any) -> None:
    assert completed("") == COMMANDS | {"--help"}
    assert completed("re") == {"report", "record", "regions"}
    told = ompdbg.run("--help").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert all(f"\n    {name}" in told for name in COMMANDS)
    page = subprocess.run(
        [sys.executable, ROOT / "tools" / "manual.py", "page", OMPDBG, "docs/man/ompdbg.1.in"],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        text=True,
    ).stdout
    # Of each command its name, usage, and all options that no other part of the page has.
    for name in COMMANDS:
        entry = page.split(f"\n\\fB{name}\\fR ".replace("-", "\\-"))[1].split("\n.TP\n\\fB")[0]
        assert entry.split("\n")[1][-1] == "."
    assert all(f"\\fB\\-\\-{one}" in page for one in ("exe=FILE", "no\\-trace", "by\\-function"))


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_options_and_their_help(ompdbg: Any, command: str) -> None:
    done = ompdbg.run(command, "--help")
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    options = completed(command, "--")
    assert "--help" in options
    assert all(option in done.stdout for option in options)


def test_targets(tmp_path: Path) -> None:
    for name in ("core", "one.json", "other"):
        (tmp_path / name).touch()
    assert "core" in completed("why", "co", folder=tmp_path)
    assert str(os.getpid()) in completed("why", str(os.getpid()))
    assert str(os.getpid()) not in completed("why", "")  # it has no OpenMP
    assert completed("merge", "o", folder=tmp_path) == {"one.json"}
    assert completed("icvs", "--scope", "t") == {"thread", "task"}
    assert "true" in completed("run", "--timeout", "5", "--", "tru", folder=tmp_path)
    assert "true" in completed("record", "--", "tru", folder=tmp_path)
