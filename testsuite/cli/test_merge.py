# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg merge`: processes in the same state together, the few first."""

import copy
import json
from pathlib import Path
from typing import Any, Dict, List

import pytest
from test_html import parsed
from test_report import check

FOUND, UNREADABLE = 1, 3
RANKS = 6
ODD = 4  # the rank that differs


@pytest.fixture(scope="module")
def reports(ompdbg: Any, hung: int, tmp_path_factory: pytest.TempPathFactory) -> List[Path]:
    """As if six ranks of a program hung, one of them with a thread elsewhere."""
    folder = tmp_path_factory.mktemp("reports")
    report = json.loads(ompdbg.run("report", hung, "--json").stdout)
    paths = []
    for rank in range(RANKS):
        one: Dict[str, Any] = copy.deepcopy(report)
        one["about"].update(pid=1000 + rank, rank={"variable": "PMI_RANK", "value": str(rank)})
        if rank == ODD:
            at_barrier = [
                t for t in one["threads"] if t["wait"] and t["wait"]["kind"] == "barrier"
            ]
            at_barrier[0].update(wait=None, state="work_parallel")
        paths.append(folder / f"{rank}.json")
        paths[-1].write_text(json.dumps(one), encoding="utf-8")
    return paths


def test_outliers_come_first(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    assert ompdbg.run("merge", *reports, "--json", path).returncode == FOUND
    document = json.loads(path.read_text(encoding="utf-8"))
    check(document, "merged")
    ranks = [[one["rank"] for one in group["processes"]] for group in document["groups"]]
    assert ranks == [[str(ODD)], [str(rank) for rank in range(RANKS) if rank != ODD]]
    assert document["total"] == RANKS
    works = [one for one in document["groups"][0]["threads"] if one["does"] == "works"]
    assert [one["count"] for one in works] == [1]


def test_text_and_page(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    done = ompdbg.run("merge", *reports)
    assert done.stderr == ""
    assert done.stdout.startswith("6 processes in 2 groups, the smallest first\n")
    assert "\n== 1 process: rank 4 ==\n" in done.stdout
    assert "\n== 5 processes: ranks 0-3, 5 ==\n" in done.stdout
    page = tmp_path / "all.html"
    ompdbg.run("merge", *reports, "--html", page)
    structure = parsed(page.read_text(encoding="utf-8"))
    tiles = [a for a in structure.named("b") if "tile" in (a.get("class") or "")]
    assert len(tiles) == RANKS


def test_crash_and_missing_ranks(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """A rank that crashed is the worst; those that are not there are named."""
    crashed = json.loads(reports[0].read_text(encoding="utf-8"))
    crashed["about"]["rank"] = {"variable": "PMI_RANK", "value": "7", "of": 10}
    crashed["about"]["crash"] = {
        "signal": "SIGBUS",
        "thread": crashed["threads"][-1]["gdb"],
        "lwp": crashed["threads"][-1]["lwp"],
        "address": "0x77",
        "sender": None,
    }
    (tmp_path / "7.json").write_text(json.dumps(crashed), encoding="utf-8")
    path = tmp_path / "all.json"
    assert ompdbg.run("merge", *reports, tmp_path / "7.json", "--json", path).returncode == FOUND
    document = json.loads(path.read_text(encoding="utf-8"))
    check(document, "merged")
    assert (document["ranks"], document["missing_ranks"]) == (10, [6, 8, 9])
    first = document["groups"][0]
    assert (first["severity"], [one["rank"] for one in first["processes"]]) == ("crashed", ["7"])
    assert "SIGBUS here" in [one["does"] for one in first["threads"]]
    told = ompdbg.run("merge", *reports, tmp_path / "7.json").stdout
    assert "\nNo report of ranks 6, 8, 9 of 10\n" in told
    assert f"\nSIGBUS in thread {first['crash'].split()[3]} (OpenMP thread " in told


@pytest.mark.parametrize(
    "content, said",
    [
        ('{"schema": "ompdbg/2", "kind": "report"}', 'its schema is "ompdbg/2"'),
        ('{"schema": "ompdbg/1", "threads": []}', "not a report"),
        ("[]", "not a document of ompdbg"),
        ("{", "not JSON"),
        ("[" * 100000, "not JSON"),
        ('{"schema": "ompdbg/1", "kind": "report"}', "lacks what the schema demands"),
    ],
)
def test_other_documents(
    ompdbg: Any, reports: List[Path], tmp_path: Path, content: str, said: str
) -> None:
    """The picture is made of the others."""
    other = tmp_path / "other.json"
    other.write_text(content, encoding="utf-8")
    done = ompdbg.run("merge", other, tmp_path / "none.json")
    assert (done.returncode, done.stdout) == (UNREADABLE, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 2
    if content == "{":
        path = tmp_path / "all.json"
        assert ompdbg.run("merge", *reports, other, "--json", path).returncode == FOUND
        document = json.loads(path.read_text(encoding="utf-8"))
        assert document["total"] == RANKS
        assert document["unread"] == [{"source": str(other), "reason": said}]
        done = ompdbg.run("merge", other, *reports)
        assert f"\nNot read: {other}: {said}\n" in done.stdout
