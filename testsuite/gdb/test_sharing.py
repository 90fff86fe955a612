# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data-sharing attributes of variables: names of programs/sharing.c begin with theirs."""

import json
import re
import subprocess
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

NUMBER_OF_STOPS = 11
ENDED = "@python gdb.selected_inferior().pid"
ATTRIBUTES = {"s": "shared", "f": "firstprivate", "p": "private"}
HEAD = re.compile(r"#\d+ +((?:task|parallel region) of \w+)?")
ROW = re.compile(r" {8}(\w)_(\w+) = .*?(?: \((shared|firstprivate|private)\))?$")
# What is surely known without optimization. GCC passes scalars that are only read, those that are
# firstprivate and those of reductions in the same way; and of the copies that a task of Clang's has
# nothing tells what they were made of.
OF_BOTH = {
    "parallel region of region": "s_written s_list s_pair s_swap p_index p_mine p_inner p_step",
    "parallel region of tasks": "s_field f_pair",
    "task of tasks": "s_field p_within",
}
OF_ONE = {
    "gcc": {"task of tasks": "f_pair p_own"},
    "clang": {"parallel region of region": "s_read f_count f_where"},
}


def told(text: str) -> List[Tuple[str, str, Optional[str]]]:
    """The variables of constructs in `bt -full`: the construct, the name, its attribute."""
    found = []
    construct = ""
    for line in text.splitlines():
        head, row = HEAD.match(line), ROW.match(line)
        if head is not None:
            construct = head[1] or ""
        elif row is not None:
            assert construct or row[3] is None, line
            found.append((construct, "{}_{}".format(row[1], row[2]), row[3]))
    return found


def right(construct: str, name: str) -> Optional[str]:
    """The attribute of a variable."""
    if construct == "parallel region of tasks":
        return "shared"  # these names are those in the task
    return "shared" if name == "x_last" else ATTRIBUTES.get(name[0])


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_nothing_untrue(compiler: str, level: str, tmp_path: Path) -> None:
    try:
        flags = (level, "-g", "-fopenmp")
        program = own_programs.compiled("sharing.c", tmp_path / "sharing", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    core = tmp_path / "core"
    look = ["omp bt -full", "continue"] * (NUMBER_OF_STOPS - 1)
    commands = [*look, "omp bt -full", "gcore {}".format(core), "continue", ENDED]
    said = processes.run_gdb(
        "session.py", {"commands": commands, "stop": "inspect"}, [str(program)]
    )
    assert said.result[-1]["value"] == 0
    texts = [one.get("text", "") for one in said.result]
    seen: Dict[str, Set[str]] = {}
    for text in texts[: 2 * NUMBER_OF_STOPS : 2]:
        for construct, name, attribute in told(text):
            assert attribute in (None, right(construct, name)), (construct, name)
            if attribute is not None:
                seen.setdefault(construct, set()).add(name)
    if level == "-O0":
        for expected in (OF_BOTH, OF_ONE[compiler]):
            for construct, names in expected.items():
                assert set(names.split()) <= seen[construct], construct
    assert len(seen["parallel region of region"]) > 3
    command = [str(setup.COMMAND_LINE), "bt", "--full", str(core)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=processes.environment())
    text = told(done.stdout.decode())
    last = told(texts[2 * NUMBER_OF_STOPS - 2])
    assert [one for one in last if one in text] == last
    known = {(name, sharing) for _, name, sharing in text if sharing}
    assert in_report(core) == known and (known or level == "-O2")


def in_report(core: Path) -> Set[Tuple[str, str]]:
    """The variables with an attribute in a report."""
    command = [str(setup.COMMAND_LINE), "report", "--json", str(core)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, env=processes.environment(), check=False
    )
    return {
        (one["name"], one["sharing"])
        for thread in json.loads(done.stdout.decode())["variables"]
        for frame in thread["frames"]
        for one in frame["arguments"] + frame["locals"]
        if one["sharing"] is not None
    }
