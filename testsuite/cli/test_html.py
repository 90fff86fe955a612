# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page: its structure, that nothing of the program becomes markup, and how a browser lays it
out."""

import base64
import copy
import hashlib
import html
import json
import os
import re
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest
from conftest import OMPDBG
from ompdbg.report.html import graph
from ompdbg.report.html.page import page
from ompdbg.report.html.words import does, kind_of

VOID = {"meta", "br", "hr", "input"}
HOSTILE = "</style><script>alert('x')</script>\"&\x07\u202e"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Structure(HTMLParser):
    """Elements in their order, and whether they are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: List[str] = []
        self.elements: List[Tuple[str, Dict[str, Optional[str]]]] = []
        self.texts: List[str] = []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of_class(self, name: str) -> List[Dict[str, Optional[str]]]:
        """Attributes of all elements of a class."""
        return [one for _, one in self.elements if name in (one.get("class") or "").split()]

    def named(self, tag: str) -> List[Dict[str, Optional[str]]]:
        """Attributes of all elements of that name."""
        return [attributes for name, attributes in self.elements if name == tag]


def parsed(source: str) -> Structure:
    """A page that is well-formed."""
    structure = Structure()
    structure.feed(source)
    structure.close()
    assert structure.open == []
    idents = [attributes["id"] for _, attributes in structure.elements if "id" in attributes]
    assert len(idents) == len(set(idents))
    links = [attributes["href"] or "" for attributes in structure.named("a")]
    assert links and {link[1:] for link in links if link.startswith("#")} <= set(idents)
    return structure


@pytest.fixture(scope="module")
def report(ompdbg: Any, hung: int) -> Iterator[Dict[str, Any]]:
    """The report of a hung program."""
    yield json.loads(ompdbg.run("report", hung, "--json").stdout)


def html_of(report: Dict[str, Any]) -> str:
    """Its page."""
    return "\n".join(page(report))


def with_text(value: Any, text: str) -> Any:
    """The same with other names in all places where the program has its own."""
    if isinstance(value, list):
        return [with_text(one, text) for one in value]
    if not isinstance(value, dict):
        return value
    own = ("function", "symbol", "file", "name", "text", "object", "value", "reason", "program")
    return {
        key: text if key in own and isinstance(one, str) else with_text(one, text)
        for key, one in value.items()
    }


def test_structure(report: Dict[str, Any]) -> None:
    structure = parsed(html_of(report))
    assert len(structure.named("h1")) == len(structure.named("main")) == 1
    levels = [int(tag[1]) for tag, _ in structure.elements if tag in ("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    assert all((one["href"] or "").startswith("#") for one in structure.named("a"))
    # A picture has a text.
    images = [a for a in structure.named("svg") if a.get("role") in ("img", "group")]
    assert len(images) >= 3 and all(a["aria-label"] for a in images)
    # Each thread has a stack, to which its number leads.
    anchors = {f"t{thread['gdb']}" for thread in report["threads"]}
    assert anchors <= {attributes.get("id") for _, attributes in structure.elements}
    links = [(one["href"] or "")[1:] for one in structure.named("a")]
    assert all(links.count(anchor) >= 2 for anchor in anchors)


def test_needs_nothing_else(report: Dict[str, Any]) -> None:
    source = html_of(report)
    structure = parsed(source)
    names = {tag for tag, _ in structure.elements}
    assert not names & {"link", "img", "iframe", "object", "base"}
    assert "url(" not in source and "@import" not in source
    assert not [a for _, a in structure.elements for key in a if key.startswith("on")]
    # One script, which no other can replace.
    assert structure.named("script") == [{}]
    script = source.partition("<script>")[2].partition("</script>")[0]
    known = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = [a["content"] or "" for a in structure.named("meta") if "http-equiv" in a]
    assert policy[0].split("; ")[0] == "default-src 'none'"
    assert policy[0].endswith(f"; script-src 'sha256-{known}'")
    # What only the script can do is not there without it.
    assert [a for a in structure.named("form") if "hidden" in a] == structure.named("form")
    assert not structure.named("button")


def test_what_is_told(report: Dict[str, Any]) -> None:
    texts = " ".join(parsed(html_of(report)).texts)
    for told in ("6 of 8 threads have ", "solve", "hung.c:88", "parallel region"):
        assert told in texts
    lanes = [a for a in parsed(html_of(report)).named("li") if "lane" in (a.get("class") or "")]
    assert sum("barrier" in (a["class"] or "") for a in lanes) == 1
    assert sum("lock" in (a["class"] or "") for a in lanes) == 3
    nodes = parsed(html_of(report)).of_class("node")
    assert sum("tasks" not in (a["class"] or "") for a in nodes) == 11


def test_source_and_variables(report: Dict[str, Any]) -> None:
    """Where threads stopped, the lines around are shown, and what variables were there."""
    structure = parsed(html_of(report))
    here = structure.of_class("here")
    assert here and all(one["aria-current"] for one in here)
    text = "".join(structure.texts)
    paths = {one["file"]: one["path"] for one in report["sources"]}
    stopped = report["stacks"][0]["parts"][0]["frames"][0]
    lines = Path(paths[stopped["file"]]).read_text(encoding="utf-8").split("\n")
    for line in lines[stopped["line"] - 2 : stopped["line"] + 1]:
        assert line.strip() in text
    values = [one for thread in report["variables"] for one in thread["frames"] if one["locals"]]
    assert values and any(one["name"] in text for one in values[0]["locals"])
    # A value that differs is told with the threads that have it, the rarest first.
    changed = copy.deepcopy(report)
    stack = max(report["stacks"], key=lambda one: len(one["threads"]))
    assert len(stack["threads"]) > 2
    for thread in changed["variables"]:
        value = "odd one" if thread["thread"] == stack["threads"][-1] else "as others"
        variable = {"name": "changed", "value": value, "sharing": "private"}
        thread["frames"][0]["locals"] = [variable]
    text = "".join(parsed(html_of(changed)).texts)
    assert "changed private" in text
    assert f"odd one thread {stack['threads'][-1]}" in text
    assert text.index("odd one") < text.index("as others threads")


def test_only_source_is_read(report: Dict[str, Any], tmp_path: Path) -> None:
    """A path out of the program may lead anywhere, and the page goes to others."""
    (tmp_path / "key").write_text("secret\n" * 200, encoding="utf-8")
    (tmp_path / "link.c").symlink_to(tmp_path / "key")
    (tmp_path / "folder.c").mkdir()
    os.mkfifo(tmp_path / "pipe.c")
    (tmp_path / "own.c").write_text(f"seen\n{HOSTILE}\n" * 100, encoding="utf-8")
    for name, is_read in (("key", 0), ("link.c", 0), ("folder.c", 0), ("pipe.c", 0), ("own.c", 1)):
        moved = copy.deepcopy(report)
        for one in moved["sources"]:
            one["path"] = str(tmp_path / name)
        source = html_of(moved)
        assert "secret" not in source and bool(source.count(">seen<")) == bool(is_read)
    assert "own.c is newer than the program" in source
    assert "alert(" in source and source.count("<script") == 1 and parsed(source)


def test_who_waits_for_whom(report: Dict[str, Any]) -> None:
    """A circle of locks whose owners are inferred: most of a long one is one box."""
    first = report["threads"][0]
    lock = {**report["locks"][0], "held": True, "owner": None, "known_by": None}
    told = []
    for size in (3, 40):
        ring = copy.deepcopy(report)
        ring["regions"], ring["stacks"], ring["tasks"] = [], None, None
        after = {one: one % size + 1 for one in range(1, size + 1)}
        waits = {
            one: {"kind": "lock", "function": None, "address": hex(one), "symbol": f"l[{one}]"}
            for one in after
        }
        ring["threads"] = [{**first, "gdb": one, "wait": waits[one]} for one in after]
        ring["locks"] = [
            {**lock, **waits[one], "waiters": [one], "candidates": [{"thread": other}]}
            for one, other in after.items()
        ]
        known: Dict[str, Any] = {"kind": "lock", "certain": False, "lock": "l", "task": None}
        chain = [{"thread": one, "waits_for": other, **known} for one, other in after.items()]
        finding = {**report["findings"][0], "rule": "deadlock", "waiters": list(after)}
        ring["findings"] = [{**finding, "waits_for": [], "chain": chain}]
        structure = parsed(html_of(ring))
        text = "".join(structure.texts)
        edges = [one["class"] for one in structure.of_class("edge")]
        told.append((len(structure.of_class("node")), len(edges), edges.count("edge unsure")))
        assert ("35 more threads" in text) == (size == 40)
        assert "perhaps of thread 2" in text
    # Threads and locks in turn; of the long circle five threads, their locks, the one before, a box.
    assert told == [(6, 6, 3), (12, 12, 6)]


def test_sizes_are_bounded(report: Dict[str, Any]) -> None:
    """Many threads, locks and tasks: lists are folded, pictures have a limit."""
    wide = copy.deepcopy(report)
    first = report["threads"][0]
    numbers = range(1000, 2000)
    wait = {"kind": "lock", "function": "omp_set_lock", "address": "0x10", "symbol": "many"}
    wide["threads"] += [{**first, "gdb": one, "lwp": one, "wait": wait} for one in numbers]
    lock: Dict[str, Any] = {**report["locks"][0], "known_by": "recorded", "candidates": []}
    wide["locks"] = [
        {**lock, "address": hex(one), "symbol": f"l{one}", "owner": one + 1, "waiters": [one]}
        for one in numbers
    ]
    task = report["tasks"]["listed"][-1]
    ids = [hex(one) for one in range(5000)]
    wide["tasks"]["listed"] += [
        {**task, "id": one, "kind": "explicit", "status": "blocked", "dependers": [other]}
        for one, other in zip(ids, ids[1:])
    ]
    source = html_of(wide)
    structure = parsed(source)
    assert len(source) < 3_000_000
    assert len(structure.of_class("node")) <= 140
    assert len(structure.of_class("fold")) >= 1


def test_recursions_are_folded(report: Dict[str, Any]) -> None:
    """The page has their first turn and their last, and the threads at their ends."""
    deep = copy.deepcopy(report)
    for stack in deep["stacks"]:
        frames = stack["parts"][0]["frames"]
        turn = [dict(frames[-1], line=5), dict(frames[-1], line=6), dict(frames[-1], line=7)]
        frames += turn * 5000
    text = html_of(deep)
    told = re.findall(r"\.\.\. these 3 frames ([\d,]+) more times", text)
    assert told and set(told) <= {"4,997", "4,998"}, told  # its first frame may be a branch
    assert len(text) < len(html_of(report)) + 30000 * len(deep["stacks"])
    anchors = set(re.findall(r'id="(t\d+)"', text))
    assert anchors == set(re.findall(r'id="(t\d+)"', html_of(report))) and anchors


def crash(report: Dict[str, Any], thread: Dict[str, Any], signal: str, address: str) -> None:
    """Let a thread of a report have crashed."""
    number = thread["gdb"]
    report["about"]["crash"] = {
        "signal": signal,
        "thread": number,
        "lwp": thread["lwp"],
        "address": address,
        "sender": None,
        "access": None,
        "expression": None,
        "null_pointer": None,
        "details": f"invalid access at {address}",
    }
    mark = {"does": f"{signal} here", "activity": "crashed"}
    for one in report["threads"]:
        if one["gdb"] == number:
            one.update(mark)
    for region in report["regions"]:
        for group in [one for one in region["groups"] if number in one["threads"]]:
            index = group["threads"].index(number)
            members = {key: [group[key].pop(index)] for key in ("threads", "thread_nums")}
            region["groups"].append({**group, **members, **mark})
        region["groups"] = [one for one in region["groups"] if one["threads"]]


def test_crash_comes_first(report: Dict[str, Any]) -> None:
    """The signal, its thread and its stack; the thread is marked in the picture and the table."""
    crashed = copy.deepcopy(report)
    at_barrier = [t for t in report["threads"] if t["wait"] and t["wait"]["kind"] == "barrier"]
    thread = at_barrier[1]
    crash(crashed, thread, "SIGSEGV", "0x18")
    structure = parsed(html_of(crashed))
    words = "".join(structure.texts)
    told = f"SIGSEGV in thread {thread['gdb']} ({thread['thread_num']}/8)"
    trace = words.index("Invalid access at 0x18")
    dead = words.index("deadlock", words.index("Probabl"))
    assert words.index(told) < trace < words.index("solve", trace) < dead
    lanes = [a["class"] for a in structure.named("li") if "lane" in (a.get("class") or "")]
    assert lanes[0] == "lane crashed" and lanes.count("lane crashed") == 1
    assert words.count("SIGSEGV here") == 6  # diagnosis, graph (twice), picture, stacks, table
    # The number in a box is that of the thread, as everywhere.
    tiles = [a for a in structure.of_class("tile") if "crashed" in (a["class"] or "")]
    tiles = [a for a in tiles if "href" in a]
    assert tiles[0]["href"] == f"#t{thread['gdb']}"
    assert tiles[0]["title"] == f"thread {thread['gdb']} ({thread['thread_num']}/8)"
    crashed["about"]["crash"].update(sender=1, details="sent by process 1")
    assert "Sent by process 1" in "".join(parsed(html_of(crashed)).texts)


def test_names_are_no_markup(report: Dict[str, Any]) -> None:
    source = html_of(with_text(copy.deepcopy(report), HOSTILE))
    structure = parsed(source)
    plain = parsed(html_of(report))
    assert len(structure.named("script")) == source.count("<script") == 1
    assert {tag for tag, _ in structure.elements} <= {tag for tag, _ in plain.elements} | {"h4"}
    assert "\x07" not in source and "\u202e" not in source
    assert any("<script>alert" in text for text in structure.texts)


def test_many_queued_tasks_share_a_box(report: Dict[str, Any]) -> None:
    told = []
    for count in (2, 20):
        queued = copy.deepcopy(report)
        queued["locks"], queued["tasks"] = [], None
        edge = {"thread": 1, "waits_for": None, "kind": "queued", "certain": True, "lock": None}
        chain = [{**edge, "task": hex(one), "task_number": one} for one in range(1, count + 1)]
        known = {"rule": "queued", "waiters": [1], "waits_for": [], "lock": None, "chain": chain}
        region = report["regions"][0]["id"]
        finding = {**report["findings"][0], **known, "region": region, "task": hex(1)}
        queued["findings"] = [finding]
        told.append(len(parsed(html_of(queued)).of_class("node")))
    assert told == [3, 2]


def test_damaged_report(report: Dict[str, Any]) -> None:
    kept = ("schema", "kind", "about")
    bare = {key: value if key in kept else None for key, value in report.items()}
    assert "could not be" in " ".join(parsed(html_of(bare)).texts)


def test_graph_puts_waiters_below() -> None:
    edges = [(0, 1), (1, 2), (0, 2), (3, 2)]
    plan = graph.layout(4, edges)
    for begin, end in edges:
        assert plan.nodes[begin][1] < plan.nodes[end][1]
    boxes = sorted((y, x) for x, y in plan.nodes)
    for (y, x), (next_y, next_x) in zip(boxes, boxes[1:]):
        assert y != next_y or next_x >= x + graph.NODE_WIDTH
    assert all(0 <= x <= plan.width - graph.NODE_WIDTH for x, _ in plan.nodes)
    # What closes a circle leads up, beside what leads down.
    circle = graph.layout(3, [(0, 1), (1, 2), (2, 0)])
    assert [y for _, y in circle.nodes] == sorted({y for _, y in circle.nodes})
    first, last = circle.edges[2][0], circle.edges[2][-1]
    assert first[1] == circle.nodes[2][1] and last[1] == circle.nodes[0][1] + graph.NODE_HEIGHT
    assert first[0] != circle.edges[1][-1][0]


# ---- In a browser ---------------------------------------------------------------------------


def chromium(folder: Path, *words: str) -> str:
    """Runs Debian's Chromium without a window."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={folder / 'profile'}", *words]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def first_pixel(path: Path) -> Tuple[int, ...]:
    """The colour in the upper left corner of a PNG: no filter changes it."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    packed, at = b"", 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    return tuple(zlib.decompress(packed)[1:4])


def run_in_page(folder: Path, source: str, script: str, width: int = 1280) -> str:
    """Run a script with `page`, the document of a page in a frame, and `view`, its window; return
    what it says."""
    inner = html.escape(source.replace("Content-Security-Policy", "none"), quote=True)
    (folder / "page.html").write_text(
        f"<iframe style='border: 0; width: {width}px; height: 900px' srcdoc=\"{inner}\"></iframe>"
        "<script>onload = async () => {"
        "const view = document.querySelector('iframe').contentWindow, page = view.document;"
        "const wait = () => new Promise(done => setTimeout(done, 300));"
        f"document.title = await (async () => {{ {script} }})()}}</script>",
        encoding="utf-8",
    )
    dom = chromium(
        folder, "--virtual-time-budget=5000", "--dump-dom", (folder / "page.html").as_uri()
    )
    return dom.rpartition("<title>")[2].partition("<")[0]


@pytest.mark.parametrize("width", (390, 1280))
def test_fits_the_window(report: Dict[str, Any], tmp_path: Path, width: int) -> None:
    """Nothing sticks out; measured from a page around it, for windows have a least width."""
    measure = "const all = page.documentElement; return all.scrollWidth + ' of ' + all.clientWidth"
    told = run_in_page(tmp_path, html_of(report), measure, width)
    scroll, client = map(int, told.split(" of "))
    assert scroll == client == width


def test_search_and_links(report: Dict[str, Any], tmp_path: Path) -> None:
    """A search hides what does not match, also in folds; a number leads to a stack."""
    script = """
        const input = page.getElementById('search');
        const shown = () => [...page.querySelectorAll('#threads tbody tr')].filter(
            row => !row.hidden && row.checkVisibility()).length;
        const told = [shown()];
        input.value = 'LOCK hung.c';
        input.dispatchEvent(new Event('input'));
        await wait();
        told.push(shown(), page.getElementById('found').textContent.endsWith(' found'));
        input.value = '';
        input.dispatchEvent(new Event('input'));
        await wait();
        told.push(shown());
        for (const fold of page.querySelectorAll('#stacks details'))
            fold.open = false;
        view.location.hash = page.querySelector('#diagnosis a[href="#t3"]').hash;
        await wait();
        told.push(page.getElementById('t3').checkVisibility());
        const heads = page.querySelectorAll('#threads th button');
        heads[0].click();
        heads[0].click();
        told.push(page.querySelector('#threads tbody a').textContent);
        [...page.querySelectorAll('.legend button')].find(
            one => one.textContent.includes('lock')).click();
        told.push(shown(), [...page.querySelectorAll('.lane')].filter(one => !one.hidden).length);
        return told.join(' ');
    """
    threads = len(report["threads"])
    locks = sum(does(thread).startswith("lock ") for thread in report["threads"])
    highest = max(thread["gdb"] for thread in report["threads"])
    lanes = [group for region in report["regions"] for group in region["groups"]]
    at_lock = sum(kind_of(one) == "lock" for one in lanes)
    waiting = sum(kind_of(one) == "lock" for one in report["threads"])
    told = run_in_page(tmp_path, html_of(report), script)
    assert told == f"{threads} {locks} true {threads} true {highest} {waiting} {at_lock}"


def test_light_and_dark(report: Dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(html_of(report), encoding="utf-8")
    brightness = []
    for scheme in (0, 1):
        shot = tmp_path / f"{scheme}.png"
        chromium(
            tmp_path,
            f"--blink-settings=preferredColorScheme={scheme}",
            "--window-size=390,800",
            f"--screenshot={shot}",
            (tmp_path / "page.html").as_uri(),
        )
        brightness.append(sum(first_pixel(shot)) / 3)
    assert brightness[0] < 48 and brightness[1] > 240


def test_help_of_the_report() -> None:
    done = subprocess.run([str(OMPDBG), "report", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--html" in done.stdout
