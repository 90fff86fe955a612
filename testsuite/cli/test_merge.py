# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg merge`: processes in the same state together, the few first."""

import copy
import json
import re
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import unquote

import pytest
from ompdbg.report.table import cut_place
from test_html import HOSTILE, crash, parsed, with_text
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
            at_barrier[0].update(wait=None, state="work_parallel", does="works")
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
    assert len(structure.of_class("tile")) == RANKS


def test_links_and_hosts(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """The page leads to those of ranks, from the folder where it is; and tells hosts."""
    ranks = tmp_path / "rank's <pages>"
    ranks.mkdir()
    for number, path in enumerate(reports):
        report = json.loads(path.read_text(encoding="utf-8"))
        report["about"]["host"] = f"node{number // 4}"
        (ranks / path.name).write_text(json.dumps(report), encoding="utf-8")
        if number:
            (ranks / path.name).with_suffix(".html").write_text("a page", encoding="utf-8")
    (tmp_path / "all").mkdir()
    page = tmp_path / "all" / "all.html"
    ompdbg.run("merge", *sorted(ranks.glob("*.json")), "--html", page)
    structure = parsed(page.read_text(encoding="utf-8"))
    links = {one["href"] for one in structure.of_class("tile") if "href" in one}
    assert len(links) == RANKS - 1
    for link in links:
        assert (page.parent / unquote(link or "")).read_text(encoding="utf-8") == "a page"
    assert "on node0 (4), node1 (1)" in "".join(structure.texts)


def test_one_tree(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """The stacks of all ranks in one tree; the threads that end in it are all threads."""
    path = tmp_path / "all.json"
    odd = json.loads(reports[ODD].read_text(encoding="utf-8"))
    odd["stacks"] = [stack for stack in odd["stacks"] if stack["threads"] != [1]]
    (tmp_path / "odd.json").write_text(json.dumps(odd), encoding="utf-8")
    sources = [one for one in reports if one != reports[ODD]] + [tmp_path / "odd.json"]
    ompdbg.run("merge", *sources, "--json", path)
    tree = json.loads(path.read_text(encoding="utf-8"))["tree"]
    threads = [len(stack["threads"]) for stack in odd["stacks"]]
    assert sum(one["ends"] for one in tree) == 9 * (RANKS - 1) + sum(threads)
    assert (tree[0]["function"], tree[0]["depth"], tree[0]["processes"]) == ("main", 0, RANKS)
    assert tree[0]["ranks"] == f"0-{RANKS - 1}"
    for before, one in zip(tree, tree[1:]):
        assert one["depth"] <= before["depth"] + 1
        assert one["depth"] <= before["depth"] or one["threads"] <= before["threads"]
    told = ompdbg.run("merge", *sources).stdout.partition("== Stacks of all processes ==\n")[2]
    assert len(told.splitlines()) == len(tree)
    assert told.startswith("main at hung.c:") and f"ranks 0-{RANKS - 1}, " in told


def test_what_differs_is_told(ompdbg: Any, reports: List[Path]) -> None:
    """What as many threads do in all groups is told once."""
    told = ompdbg.run("merge", *reports).stdout
    shared, *groups = told.split("\n== ")[1:-1]
    assert shared.startswith("In all groups") and "lock" in shared
    rows = [line for group in groups for line in group.splitlines() if line.startswith("  ")]
    assert rows and not set(rows) & set(shared.splitlines())
    assert all("barrier" in row or "works" in row for row in rows)


def test_code_without_a_name(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """Threads in the same library are alike in all processes, wherever it lies."""
    sources = []
    for number, path in enumerate(reports):
        report = json.loads(path.read_text(encoding="utf-8"))
        thread = next(one for one in report["threads"] if not one["openmp"])
        thread["location"].update(function=None, file=None, line=None, object="/lib/libother.so.2")
        thread["location"]["address"] = hex(0x7F0000000000 + (number << 20))
        sources.append(tmp_path / path.name)
        sources[-1].write_text(json.dumps(report), encoding="utf-8")
    shared = ompdbg.run("merge", *sources).stdout.split("\n== ")[1]
    assert shared.startswith("In all groups")
    assert re.search(r"^  1  .*  in libother\.so\.2$", shared, re.M), shared


def test_places_lose_scopes_first() -> None:
    """Those of a template's arguments are none of its name."""
    told = [cut_place("a::b<c::d>::work at hang.c:12", width) for width in (29, 26, 24)]
    assert told == [
        "a::b<c::d>::work at hang.c:12",
        "b<c::d>::work at hang.c:12",
        "work at hang.c:12",
    ]


def test_crash_and_missing_ranks(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """A rank that crashed is the worst; those that are not there are named."""
    crashed = json.loads(reports[0].read_text(encoding="utf-8"))
    crashed["about"]["rank"] = {"variable": "PMI_RANK", "value": "7", "of": 10}
    crash(crashed, crashed["threads"][-1], "SIGBUS", "0x77")
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
    assert "\nNo report of ranks 6, 8-9 of 10\n" in told
    assert f"\nSIGBUS in thread {first['crash'].split()[3]} (" in told


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


def test_names_are_no_markup(ompdbg: Any, reports: List[Path], tmp_path: Path) -> None:
    """Names of the programs, hosts and files are text, also in links."""
    report = with_text(json.loads(reports[0].read_text(encoding="utf-8")), HOSTILE)
    report["about"].update(host=HOSTILE, kind="core", rank={"variable": "R", "value": HOSTILE})
    folder = tmp_path / 'javascript:alert("x")<b>'
    folder.mkdir()
    (folder / "0.json").write_text(json.dumps(report), encoding="utf-8")
    (folder / "0.html").write_text("a page", encoding="utf-8")
    page = folder / "all.html"
    ompdbg.run("merge", reports[1], folder / "0.json", "--html", page)
    source = page.read_text(encoding="utf-8")
    structure = parsed(source)
    assert source.count("<script") == 1 and "\x07" not in source and "\u202e" not in source
    assert "<script>alert" in "".join(structure.texts)
    links = {one["href"] for one in structure.named("a") if one["href"][:1] != "#"}  # type: ignore
    assert links == {"0.html"}
