# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a profile: that all of it is there, in every form that the JSON can have, and that
nothing of the program becomes markup."""

import copy
import json
import re
from pathlib import Path
from typing import Any, Dict, List

import pytest
from ompdbg.report.html.profile import page
from test_html import HOSTILE, Structure, parsed, run_in_page, with_text

SECOND = 10**9
STAT = {"known": 4, "sum": 8 * SECOND, "min": SECOND, "max": 3 * SECOND}
LANES = ["work", "barrier_wait", "task_wait", "lock_wait", "runtime", "idle"]
PARTS = {name: STAT for name in ("creation", "pool", "execution", "suspension", "completion")}


def place(function: str, line: int) -> Dict[str, Any]:
    return {
        "function": function,
        "symbol": function,
        "file": f"/src/{function}.c",
        "line": line,
        "address": "0x1180",
        "object": "/bin/fib",
    }


def thread(number: int) -> Dict[str, Any]:
    times = {name: (index + 1) * SECOND for index, name in enumerate(LANES)}
    known = {"lwp": 100 + number, "name": "fib", "begin": 0, "end": 21 * SECOND}
    return {"thread": number, **known, **times, "tasks": 2, "events": 40, "lost": 0}


def task(number: int, parent: int) -> Dict[str, Any]:
    known = {"construct": 2, "children": 1, "below": 1, "creator": 0, "thread": 1}
    times = {name: 1000 * number for name in ("created", "begun", "ended", *PARTS)}
    return {"id": number, "parent": parent, **known, **times}


@pytest.fixture
def profile() -> Dict[str, Any]:
    """A run of two threads with two kinds of tasks."""
    constructs = [("program", None), ("region", place("main", 9)), ("task", place("fib", 4))]
    constructs += [("loop", place("main", 12)), ("critical", place("add", 20)), ("task", None)]
    counts = {"instances": 4, "ended": 4, "untied": 0, "undeferred": 0, "cancelled": 0}
    tasks = {**counts, **PARTS, "suspensions": 1, "life": STAT, "work": 8 * SECOND}
    return {
        "schema": "ompdbg/1",
        "kind": "profile",
        "trace": {
            "file": "fib.trace",
            "command": "/bin/fib 24",
            "pid": 4711,
            "host": "node1",
            "runtime": "libgomp",
            "started": 1763860000 * SECOND,
            "duration": 21 * SECOND,
            "ended": "exit",
            "events": 80,
            "lost": 3,
            "notes": ["the file is cut off"],
        },
        "summary": {
            "threads": 2,
            "tasks": 8,
            "regions": 1,
            "work": 12 * SECOND,
            "span": 8 * SECOND,
        },
        "constructs": [{"kind": kind, "location": location} for kind, location in constructs],
        "path": [{"construct": 2, "time": 6 * SECOND, "tasks": 3}],
        "tasks": [{"construct": 2, **tasks}, {"construct": 5, **tasks, "creation": None}],
        "regions": [
            {
                "construct": 1,
                "instances": 1,
                "time": STAT,
                "threads_min": 2,
                "threads_max": 2,
                "work": 12 * SECOND,
                "span": 8 * SECOND,
                "barrier_wait": SECOND,
                "thread_time": 4 * SECOND,
                "slowest": 4 * SECOND,
                "average": 3 * SECOND,
            }
        ],
        "waits": [{"construct": 1, "count": 2, "wait": STAT}],
        "loops": [
            {
                "construct": 3,
                "schedule": "dynamic",
                "instances": 1,
                "iterations": 100,
                "chunks": 10,
                "chunk_min": 10,
                "chunk_max": 10,
                "threads": [
                    {"thread": 0, "chunks": 4, "iterations": 40, "time": SECOND},
                    {"thread": 1, "chunks": 6, "iterations": 60, "time": 3 * SECOND},
                ],
            }
        ],
        "locks": [
            {
                "kind": "critical",
                "address": "0x4040",
                "symbol": None,
                "count": 4,
                "wait": STAT,
                "hold": STAT,
                "places": [{"construct": 4, "count": 4, "wait": STAT, "hold": STAT}],
            }
        ],
        "threads": [thread(0), thread(1)],
        "edges": [
            {"from": 1, "to": 2, "kind": "creates", "count": 1},
            {"from": 2, "to": 2, "kind": "creates", "count": 3},
            {"from": 2, "to": 5, "kind": "depends", "count": 1},
        ],
        "tree": {"tasks": [task(1, 0), task(2, 1)], "left_out": 6},
        "task": None,
        "timeline": {
            "begin": 0,
            "bucket": SECOND,
            "buckets": 20,
            "lanes": LANES,
            "rows": [
                {
                    "thread": number,
                    "slices": [
                        [number, 10, 2, 0, 10 * SECOND, 0, 0, 0, 0, 0],
                        [10 + number, 1, None, 7, 0, SECOND // 2, 0, 0, 0, SECOND // 2],
                    ],
                }
                for number in (0, 1)
            ],
            "pool": [500] * 20,
        },
    }


def structure_of(profile: Dict[str, Any]) -> Structure:
    return parsed("\n".join(page(profile)))


def test_what_is_told(profile: Dict[str, Any]) -> None:
    structure = structure_of(profile)
    text = "".join(structure.texts)
    assert len(structure.named("h1")) == 1
    told = ["Parallelism", "1.50", "Note: the file is cut off", "3 events of 80 are missing"]
    # Imbalance of the region and of the loop; waiting at barriers; what is not known.
    told += [
        "25.0 %",
        "33.3 %",
        "fib.c:4",
        "add.c:20",
        "critical 0x4040",
        "6 tasks are left out",
        "?",
    ]
    for one in told:
        assert one in text, one
    sections = [one["id"] for one in structure.named("section")]
    known = "timeline path tasks regions loops locks waits threads"
    assert sections == known.split()


def test_timeline(profile: Dict[str, Any]) -> None:
    """The shares of lanes are drawn, and the script has what it tells."""
    structure = structure_of(profile)
    paths = {
        one["class"]: one["d"]
        for one in structure.named("path")
        if "lane" in str(one.get("class"))
    }
    # Thread 1: all of ten steps; then half a step each.
    assert paths["lane-work"] == "M1 0h10v16h-10z"
    assert paths["lane-barrier_wait"] == "M11 8h1v8h-1z"
    assert paths["lane-idle"] == "M11 0h1v8h-1z"
    source = "\n".join(page(profile))
    data = source.partition('type="application/json">')[2].partition("</script>")[0]
    document = json.loads(data)
    assert document["buckets"] == 20 and document["threads"] == [0, 1]
    assert document["names"][2] == "task fib at fib.c:4"
    assert document["rows"][1] == profile["timeline"]["rows"][1]["slices"]


def test_sorting(profile: Dict[str, Any]) -> None:
    """Cells with numbers say by what they are sorted: a text of 3 us is less than one of 2 ms."""
    values = [
        one["data-value"] for one in structure_of(profile).named("td") if "data-value" in one
    ]
    assert {"8e+09", "-1", "0.25", "4"} <= set(values)


def test_names_are_no_markup(profile: Dict[str, Any]) -> None:
    hostile = with_text(copy.deepcopy(profile), HOSTILE)
    hostile["trace"]["command"] = hostile["trace"]["host"] = HOSTILE
    source = "\n".join(page(hostile))
    structure = parsed(source)
    assert len(structure.named("script")) == source.count("<script") == 2
    assert "\x07" not in source and "\u202e" not in source
    data = source.partition('type="application/json">')[2].partition("</script>")[0]
    assert HOSTILE.rpartition("/")[2] in json.loads(data)["names"][2]
    plain = {tag for tag, _ in structure_of(profile).elements}
    assert {tag for tag, _ in structure.elements} <= plain


def test_of_nothing(profile: Dict[str, Any]) -> None:
    """A run without tasks, regions and times."""
    lists: List[str] = [key for key, value in profile.items() if isinstance(value, list)]
    empty: Dict[str, Any] = {**profile, "tree": {"tasks": [], "left_out": 0}}
    empty.update({key: [] for key in lists})
    empty["timeline"] = {**profile["timeline"], "rows": [], "buckets": 0, "pool": []}
    empty["summary"] = {**profile["summary"], "work": None, "span": None}
    text = "".join(structure_of(empty).texts)
    assert "No explicit task was created" in text and "not known" in text


def test_one_task(profile: Dict[str, Any]) -> None:
    more = {"threads": [1], "child_ids": [2], "flags": ["untied"]}
    profile["task"] = {**task(1, 0), **more}
    structure = structure_of(profile)
    assert structure.named("section")[0]["id"] == "task"
    text = "".join(structure.texts)
    assert "untied" in text and "thread 0, in an implicit task" in text and "1: 2" in text
    profile["task"] = {**task(3, 2), **more, "children": 0, "child_ids": []}
    text = "".join(structure_of(profile).texts)
    assert "thread 0, in task 2" in text and "Childrennone" in text


def test_tree(profile: Dict[str, Any]) -> None:
    """Each task stands below the one that created it, whatever the order of their numbers."""
    parents = {1: 0, 2: 0, 3: 2, 4: 3, 65: 1, 66: 1, 129: 65}
    profile["tree"] = {"tasks": [task(*one) for one in parents.items()], "left_out": 0}
    rows = structure_of(profile).named("li")
    assert [one["class"] for one in rows if str(one.get("class", "")).startswith("depth")] == [
        f"depth{depth}" for depth in (0, 1, 2, 1, 0, 1, 2)
    ]
    text = "".join(structure_of(profile).texts)
    places = [text.index(f"task {number}fib") for number in (1, 65, 129, 66, 2, 3, 4)]
    assert places == sorted(places)


def test_worksharing(profile: Dict[str, Any]) -> None:
    """A loop of which no chunks are told has unknown ones; a single has none."""
    (loop,) = profile["loops"]
    untold = {**loop, "schedule": None, "chunks": 0, "chunk_min": None, "chunk_max": None}
    profile["constructs"].append({"kind": "single", "location": place("main", 30)})
    profile["loops"] = [untold, {**untold, "construct": len(profile["constructs"]) - 1}]
    source = "\n".join(page(profile))
    section = source.partition('id="loops"')[2].partition("</section>")[0]
    rows = section.split("<tr")
    told = [re.findall(r"\"(?:Schedule|Chunks|Size)\"[^>]*>([^<]*)", row) for row in rows]
    assert told[-2:] == [["not known", "?", "?"], ["none", "none", "none"]]


def test_size_is_bounded(profile: Dict[str, Any]) -> None:
    """Many threads, and slices of which no two are alike."""
    slices = [[at, 1, 2, 9, 7, 6, 5, 4, 3, 2] for at in range(400)]
    rows = [{"thread": number, "slices": slices} for number in range(256)]
    profile["timeline"].update(rows=rows, buckets=400)
    profile["threads"] = [thread(number) for number in range(256)]
    source = "\n".join(page(profile))
    assert len(source) < 256 * 400 * 150 + 500_000
    assert len(parsed(source).of_class("lane-idle")) >= 256


@pytest.mark.parametrize("width", (390, 1280))
def test_fits_and_zooms(profile: Dict[str, Any], tmp_path: Path, width: int) -> None:
    """Nothing sticks out, not even of the widest table; a key zooms all rows; a click on a title sorts
    by the numbers, whatever their units."""
    profile["threads"] = [thread(number) for number in range(4)]
    for one in profile["threads"]:
        one.update(
            {lane: 123_000_000 for lane in LANES}, lwp=4194303, name="rich-simulation", tasks=98765
        )
    for one, work in zip(profile["threads"], (123_456, 5_670, 9_000_000, 88_000)):
        one["work"] = work
    script = """
        const all = page.documentElement;
        const fits = one => one.scrollWidth === one.clientWidth;
        const told = [fits(all) && [...page.querySelectorAll('#threads .scroll')].every(fits)];
        const rows = page.querySelector('.times');
        const boxes = () => [...new Set([...rows.querySelectorAll('svg')].map(
            one => one.getAttribute('viewBox')))].join('|');
        told.push(boxes());
        for (const key of ['+', 'ArrowLeft'])
            rows.dispatchEvent(new view.KeyboardEvent('keydown', { key }));
        told.push(boxes());
        const table = page.querySelector('#threads table');
        const head = [...table.querySelectorAll('th')].find(one => one.textContent === 'Work');
        for (const turn of [1, 2]) {
            head.querySelector('button').click();
            told.push([...table.tBodies[0].rows].map(row => row.cells[0].textContent).join());
        }
        return told.join(';');
    """
    told = run_in_page(tmp_path, "\n".join(page(profile)), script, width)
    order = ("thread 1,thread 3,thread 0,thread 2", "thread 2,thread 0,thread 3,thread 1")
    assert told == ";".join(("true;0 0 20 16;2.5 0 10 16", *order))
