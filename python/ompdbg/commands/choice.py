# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options by which commands choose threads: by team, level, state or number."""

from __future__ import annotations

from typing import List

from ompdbg.commands.options import Option


def _states() -> List[str]:
    from ompdbg.inferior import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else sorted(process.states())


def _teams() -> List[str]:
    from ompdbg.inferior import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else [team.label for team in process.teams()]


STATE = Option("-state", "STATE", _states)
TEAM = Option("-team", "TEAM", _teams)
LEVEL = Option("-level", "LEVEL")
NUMBERS = Option("-num", "NUMBERS")
