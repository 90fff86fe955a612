# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A condition of `omp break` names what a construct has of its own: it is asked when the thread comes
to the construct's body, and holds as often as the program counts."""

from pathlib import Path
from typing import Any, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes

PLACES = [("gcc", "-O0"), ("clang", "-O0")]
_AT_END = "gdb.newest_frame().name() == 'finished'"
STOPS = 40  # more than there are


@pytest.fixture(params=PLACES, ids="".join)
def program(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    compiler, optimized = request.param
    try:
        flags = (optimized, "-g", "-fopenmp")
        return str(own_programs.compiled("numbered.c", tmp_path / "numbered", flags, compiler))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def values(program: str, wanted: str, name: str, counter: str) -> Tuple[List[int], int]:
    """What the name stands for at each stop, and how often the program says that there is one."""
    ask = "@python None if {} else int(gdb.parse_and_eval('{}'))".format(_AT_END, name)
    go_on = "python None if {} else gdb.execute('continue')".format(_AT_END)
    commands = ["break finished", "omp break " + wanted, "run", *[ask, go_on] * STOPS]
    commands.append("@python int(gdb.parse_and_eval('{}'))".format(counter))
    said: List[Any] = processes.run_gdb("session.py", {"commands": commands}, [program]).result
    told = [one["value"] for one in said if "value" in one]
    return [one for one in told[:-1] if one is not None], told[-1]


def test_tasks(program: str) -> None:
    found, count = values(program, "task-begin if n == 5", "n", "tasks")
    assert 10 < count < STOPS and found == [5] * count


def test_regions(program: str) -> None:
    found, count = values(program, "parallel-begin in open_region if size == 5", "size", "regions")
    assert count == 1 and found == [5]
