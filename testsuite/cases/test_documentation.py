# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions of docs/cases.md say the cause, in commands whose answers test_cases.py checks."""

import re
from typing import Dict

import pytest
from cases import BY_SOURCE, CASES, CHILD, Case
from test_cases import check, commands

from harness import guide

MOST_COMMANDS = 3
_HEADER = re.compile(r"cases/(?P<source>\S+) -O(?P<level>[02]) \|")
_TARGET = re.compile(r" (core|\$\(.*\))$")  # of a command in a shell


def sessions() -> Dict[str, guide.Block]:
    """Return the session of each program."""
    found: Dict[str, guide.Block] = {}
    for block in guide.blocks(guide.CASES.read_text(encoding="utf-8")):
        match = _HEADER.match(block.header)
        assert match is not None and match["source"] not in found
        found[match["source"]] = block
    return found


def asked(command: str) -> str:
    """Return the question that a line of a session is."""
    if not command.startswith(guide.SHELL):
        return command.replace("omp ", "", 1)
    child = CHILD if "$(pgrep -n " in command else ""
    return _TARGET.sub("", command).replace("$ ompdbg ", "").replace("'", "") + child


def test_every_program_has_a_session() -> None:
    """And no other has one."""
    assert set(sessions()) == set(BY_SOURCE)


@pytest.mark.parametrize("case", CASES, ids=[case.source for case in CASES])
def test_session_says_the_cause(case: Case) -> None:
    """In few commands, which are among those that the program is asked about."""
    block = sessions()[case.source]
    match = _HEADER.match(block.header)
    assert match is not None
    variant = "g" + match["level"]
    known = commands(case, variant) + commands(case, variant, child=True)
    assert 1 <= len(block.said) <= MOST_COMMANDS
    for said in block.said:
        assert asked(said.command) in known
        check(case, variant, asked(said.command), "\n".join(said.lines))
