# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`set omp thread-names on`: names in GDB's lists of threads."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import processes, setup

NAMES = "@python {t.num: t.name for t in threads()}"


def program_of(name: str, variant: str) -> Path:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def run(program: Path, commands: List[str], **more: Any) -> List[Any]:
    done = processes.run_gdb("session.py", {"commands": commands, **more}, [str(program)])
    said: List[Dict[str, Any]] = done.result
    assert not [one for one in said if "error" in one]
    return [one.get("text", one.get("value")) for one in said]


def tells(name: str, row: Dict[str, Any], table: str) -> bool:
    """Whether a name tells what the table does: what the thread does."""
    lines = [line.replace("*", " ").split(None, 1) for line in table.splitlines()]
    rest = next(line[1] for line in lines if line and line[0] == str(row["gdb"]))
    words = re.fullmatch(r"omp (\d+/\d+ )?(.*)", name)
    assert words is not None, name
    number = "{}/{} ".format(row["thread_num"], row["team_size"])
    assert words[1] == (None if row["thread_num"] is None else number)
    assert words[2] == row["does"]
    return words[2] in re.split(r"\s{2,}", rest)


@pytest.mark.parametrize("variant", ("O2", "static", "clang", "omp19"))
def test_names_tell_number_and_state(variant: str) -> None:
    commands = [NAMES, "thread apply 3 thread name mine", "set omp thread-names on", NAMES]
    commands += ["omp threads -json", "info threads", "interpreter-exec mi2 -thread-info"]
    commands += ["set omp thread-names off", NAMES, "omp threads"]
    found = run(program_of("hung", variant), commands, stop="fixture_ready")
    before, named, document, table, mi, after = (found[i] for i in (0, 3, 4, 5, 6, 8))
    assert "lock block_lock[3]" in " ".join(named.values())
    seen = set()
    for row in json.loads(document)["threads"]:
        number = str(row["gdb"])
        assert row["name"] == ("mine" if number == "3" else before[number])
        if number == "3":
            expected = "mine"
        elif row["openmp"]:
            expected = named[number]
            assert tells(expected, row, found[9])
            seen.add(row["activity"])
        else:
            expected = before[number]
        assert named[number] == expected
        assert '"{}"'.format(expected) in table
        assert 'name="{}"'.format(expected) in mi
    assert "lock" in seen
    assert after == {**before, "3": "mine"}


@pytest.mark.parametrize("variant", ("O2", "clang"))
def test_names_follow_the_program(variant: str) -> None:
    program = program_of("nested", variant)
    stop = ["break state_open", "break fixture_ready", "run"]
    ask = [NAMES, "omp threads -json", "omp threads"]
    commands = ["set omp thread-names on", *stop, *ask]
    commands += ["tbreak abort", "delete 1", "continue", *ask, "run", *ask]
    found = run(program, commands, arguments=["2", "2", "2"])
    for at in (4, 10, 14):
        names, document, table = found[at : at + 3]
        rows = json.loads(document)["threads"]
        assert any(row["level"] for row in rows) or at == 4
        for row in rows:
            assert not row["openmp"] or tells(names[str(row["gdb"])], row, table)


def test_names_in_a_core(tmp_path: Path) -> None:
    """Of which GDB tells no stop."""
    program = program_of("hung", "O2")
    core = tmp_path / "core"
    run(program, ["gcore {}".format(core)], stop="fixture_ready")
    before = [("-iex", "set auto-load off"), ("-iex", "source {}".format(setup.LOADER))]
    before += [("-iex", "set debuginfod enabled off"), ("-iex", "set omp thread-names on")]
    command = [setup.GDB, "-nx", "-q", *(word for pair in before for word in pair), str(program)]
    done = subprocess.run(
        command,
        input="core {}\ninfo threads\n".format(core).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=processes.environment(),
        timeout=processes.GDB_SECONDS,
    )
    said = done.stdout.decode()
    assert '"omp 1/8 ' in said, said
