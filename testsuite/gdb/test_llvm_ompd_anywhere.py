# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's own OMPD library beside ours where running programs happen to be: no difference that
docs/llvm-libompd.md does not explain."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Tuple

import pytest

from harness import agreement, counts, processes, setup

import build  # from fixtures/

TABLE = agreement.rows()
# LLVM's runtime makes as many teams as there are processors, unless it is told otherwise.
VARIABLES = {"OMP_DEBUG": "enabled", "KMP_TEAMS_THREAD_LIMIT": "15"}
AGREED_AT_LEAST = 40  # at each stop


@dataclass(frozen=True)
class Restless:
    """A program that is stopped where it happens to be."""

    program: str
    arguments: Tuple[str, ...]
    stops: int
    begin: str
    end: str
    seed: int

    def __str__(self) -> str:
        return "-".join((self.program,) + self.arguments)


MORE = 10 if setup.FULL else 1
PROGRAMS = [
    Restless("stress", ("5", "300"), 10 * MORE, "compute", "__kmp_free_team", 41),
    Restless("leagues", ("300",), 5 * MORE, "count", "", 42),
]


@pytest.mark.parametrize("release", build.OMPD_RELEASES)
@pytest.mark.parametrize("restless", PROGRAMS, ids=str)
def test_answers_agree(restless: Restless, release: int) -> None:
    variant = "ompd{}".format(release)
    try:
        program = setup.program(restless.program, variant)
        theirs = build.runtime_folder(build.VARIANTS[variant]) / "libompd.so"
    except build.Skipped as reason:
        pytest.skip(str(reason))
    problems = []
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        task = {
            "arguments": list(restless.arguments),
            "libraries": {"ours": str(setup.LIBRARY), "theirs": str(theirs)},
            "folder": scratch,
            "seed": restless.seed,
            "stops": restless.stops,
            "begin": restless.begin,
            "end": restless.end,
        }
        processes.run_gdb("ask_anywhere.py", task, [str(program)], VARIABLES)
        for number in range(restless.stops):
            answers = [
                agreement.read(Path(scratch) / "{}-{}".format(number, name))
                for name in ("ours", "theirs")
            ]
            assert [crashed_at for _, crashed_at in answers] == [None, None]
            found = agreement.compare(answers[0][0], answers[1][0])
            left, used = agreement.unexplained(found, release, TABLE)
            counts.agreed.update(found.agreed)
            counts.numbers["explained"] += sum(used.values())
            problems += ["stop {}: {}".format(number, difference) for difference in left]
            assert sum(found.agreed.values()) >= AGREED_AT_LEAST
    assert not problems, "\n".join(problems[:20])
