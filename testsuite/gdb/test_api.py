# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts inside GDB: `import ompdbg; ompdbg.threads()`. The same as the commands' JSON."""

import json
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import processes, setup

OMPDBG = "@python "
OMPDBG += "[one._asdict() for one in __import__('ompdbg').{}]"
WHERE = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"


@pytest.mark.parametrize("variant", ["O2", "clang", "omp19"])
@pytest.mark.parametrize("name", ["hung", "nested 2 2 2"])
def test_plain_objects(name: str, variant: str) -> None:
    words = name.split()
    try:
        program = str(setup.program(words[0], variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = [WHERE, "omp threads -json", "omp bt -json", OMPDBG.format("threads()")]
    commands += [OMPDBG.format("teams()"), OMPDBG.format("stack()"), WHERE]
    spec = {"commands": commands, "arguments": words[1:], "stop": "fixture_ready"}
    said = processes.run_gdb("session.py", spec, [program]).result
    assert said[0] == said[-1]
    document, stack = json.loads(said[1]["text"]), json.loads(said[2]["text"])
    threads, teams, frames = (one["value"] for one in said[3:6])
    for row, one in zip(document["threads"], threads):
        same = ("lwp", "running", "openmp", "thread_num", "team_size", "level", "active_level")
        for field in (*same, "state", "task_kind"):
            assert one[field] == row[field], field
        assert one["number"] == row["gdb"]
        if row["wait"] is not None:
            assert one["wait"][0] == row["wait"]["kind"]
            assert one["wait"][3] == row["wait"]["symbol"]
    assert len(threads) == len(document["threads"])
    assert len(teams) == len(document["teams"])
    members: List[int] = sorted(number for team in teams for number in team["threads"])
    in_teams = [row["gdb"] for row in document["threads"] if row["level"]]
    assert members == sorted(in_teams)
    told: List[Dict[str, Any]] = [
        {"thread": part["thread"], **frame}
        for part in stack["stacks"][0]["parts"]
        for frame in part["frames"]
    ]
    for frame, one in zip(told, frames):
        for field in ("thread", "level", "construct", "function", "file", "line"):
            assert one[field] == frame[field]
    assert len(told) == len(frames) > 0


def test_without_a_program() -> None:
    program = str(setup.program("hung", "O2"))
    lines = ["import ompdbg", "try: ompdbg.threads()", "except ompdbg.Error as e: print(e)"]
    spec = {"commands": ["python exec({!r})".format("\n".join(lines))]}
    said = processes.run_gdb("session.py", spec, [program]).result
    assert said == [{"text": "the program is not running\n"}]
