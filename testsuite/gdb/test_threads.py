# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp threads` at every stop that a fixture's header describes: live, attached, in core files."""

import re

import pytest

from harness import cases, expect
from harness.cases import Case
from harness.normal import normal
from harness.snapshots import Snapshot

ALL = cases.all_cases()
FOLDED_FROM = 32  # threads; those alike share a row then
_FOLDED = re.compile(r" (\d+) threads ")
JSON_PARTS = ("threads", "tasks", "queued", "counts", "stacks")
ALWAYS = ("threads", "tasks", "stacks", "regions", "status")


@pytest.mark.parametrize("case", ALL, ids=str)
def test_threads_are_as_the_header_says(case: Case, snapshot: Snapshot) -> None:
    problems = expect.thread_problems(case, snapshot)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_commands_succeed(case: Case, snapshot: Snapshot) -> None:
    failed = {name: said["error"] for name, said in snapshot.items() if "error" in said}
    assert failed == {}
    assert {*ALWAYS, *(JSON_PARTS if case.in_gdb or case.state.tasks else ())} <= set(snapshot)
    for name in {*JSON_PARTS, "status"} & set(snapshot):
        assert snapshot[name]["schema"] == "ompdbg/1"


@pytest.mark.parametrize("case", [c for c in ALL if c.mode == cases.GCORE], ids=str)
def test_core_says_the_same_as_the_process(
    case: Case, snapshot: Snapshot, live_snapshot: Snapshot
) -> None:
    for name in JSON_PARTS:
        assert normal(name, snapshot) == normal(name, live_snapshot)


@pytest.mark.parametrize("case", [c for c in ALL if c.mode == cases.LIVE], ids=str)
def test_table_says_the_same_as_json(case: Case, snapshot: Snapshot) -> None:
    lines = snapshot["threads_text"]["text"].splitlines()
    rows = snapshot["threads"]["threads"]
    assert lines[0].split()[0] == "Thread"
    regions = {one["id"]: one["opened"] for one in snapshot["regions"]["regions"]}
    by_number = {row["gdb"]: row for row in rows}
    end = next(n for n, line in enumerate(lines) if line.startswith(f"{len(rows)} thread"))
    count = 0
    for line in lines[1:end]:
        folded = _FOLDED.search(line)
        count += int(folded[1]) if folded else 1
        if folded:
            assert len(rows) >= FOLDED_FROM
            continue
        words = line.replace("*", " ", 1).split()
        row = by_number[int(words[0])]
        if row["thread_num"] is not None:
            assert words[1] == "{}/{}".format(row["thread_num"], row["team_size"])
            assert words[2] == str(row["level"])
        assert "  {} ".format(row["does"]) in line + " "
        # Who has left the user's code at the end of a region is shown where that began.
        began = regions.get(row["team"])
        at_end = row["wait"] is not None and row["wait"]["kind"] == "barrier_parallel"
        if row["location"] is not None and row["location"]["line"] is not None:
            places = [row["location"], began] if at_end and began else [row["location"]]
            assert any(line.endswith(":{}".format(place["line"])) for place in places)
        if row["location"] is None and at_end and began is not None and began["line"]:
            assert line.endswith(":{}".format(began["line"]))
    assert count == len(rows)
    assert lines[end].startswith("{} thread{}:".format(count, "" if count == 1 else "s"))
