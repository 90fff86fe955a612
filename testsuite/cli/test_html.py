# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page: its structure, that nothing of the program becomes markup, and how a browser lays it
out."""

import copy
import html
import json
import os
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

VOID = {"meta", "br", "hr"}
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

    def named(self, tag: str) -> List[Dict[str, Optional[str]]]:
        """Attributes of all elements of that name."""
        return [attributes for name, attributes in self.elements if name == tag]


def parsed(source: str) -> Structure:
    """A page that is well-formed."""
    structure = Structure()
    structure.feed(source)
    structure.close()
    assert structure.open == []
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
    idents = {attributes["id"] for _, attributes in structure.elements if "id" in attributes}
    links = [attributes["href"] or "" for attributes in structure.named("a")]
    assert links and all(link.startswith("#") and link[1:] in idents for link in links)
    # A picture has a text.
    images = [a for a in structure.named("svg") if a.get("role") == "img"]
    assert images and all(a["aria-label"] for a in images)


def test_needs_nothing_else(report: Dict[str, Any]) -> None:
    source = html_of(report)
    names = {tag for tag, _ in parsed(source).elements}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert "url(" not in source and "@import" not in source
    assert not [a for _, a in parsed(source).elements for key in a if key.startswith("on")]


def test_what_is_told(report: Dict[str, Any]) -> None:
    texts = " ".join(parsed(html_of(report)).texts)
    for told in ("6 of 8 threads have ", "solve", "hung.c:88", "parallel region"):
        assert told in texts
    lanes = [a for a in parsed(html_of(report)).named("li") if "lane" in (a.get("class") or "")]
    assert sum("barrier" in (a["class"] or "") for a in lanes) == 1
    assert sum("lock" in (a["class"] or "") for a in lanes) == 3
    nodes = [a for a in parsed(html_of(report)).named("g")]
    assert len(nodes) == 4  # tasks, one after another


def test_crash_comes_first(report: Dict[str, Any]) -> None:
    """The signal, its thread and its stack; the thread is marked in the picture and the table."""
    crashed = copy.deepcopy(report)
    at_barrier = [t for t in report["threads"] if t["wait"] and t["wait"]["kind"] == "barrier"]
    thread = at_barrier[1]
    crashed["about"]["crash"] = {
        "signal": "SIGSEGV",
        "thread": thread["gdb"],
        "lwp": thread["lwp"],
        "address": "0x18",
        "sender": None,
    }
    structure = parsed(html_of(crashed))
    words = "".join(structure.texts)
    told = f"SIGSEGV in thread {thread['gdb']} (OpenMP thread {thread['thread_num']} of 8)"
    trace = words.index("Access to address 0x18")
    dead = words.index("deadlock", words.index("Probabl"))
    assert words.index(told) < trace < words.index("solve", trace) < dead
    lanes = [a["class"] for a in structure.named("li") if "lane" in (a.get("class") or "")]
    assert lanes[0] == "lane crashed" and lanes.count("lane crashed") == 1
    assert words.count("SIGSEGV here") == 4  # diagnosis, picture, stacks, table
    # The number in a box is that of the thread, as everywhere.
    tiles = [a for a in structure.named("b") if "crashed" in (a.get("class") or "")]
    assert tiles[0]["title"] == f"OpenMP thread {thread['thread_num']} of this region"
    crashed["about"]["crash"]["sender"] = 1
    assert "Sent by process 1" in "".join(parsed(html_of(crashed)).texts)


def test_names_are_no_markup(report: Dict[str, Any]) -> None:
    source = html_of(with_text(copy.deepcopy(report), HOSTILE))
    structure = parsed(source)
    plain = parsed(html_of(report))
    assert "script" not in {tag for tag, _ in structure.elements}
    assert {tag for tag, _ in structure.elements} <= {tag for tag, _ in plain.elements} | {"h4"}
    assert "<script" not in source and "\x07" not in source and "\u202e" not in source
    assert any("<script>alert" in text for text in structure.texts)


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
    in_circle = graph.layout(2, [(0, 1), (1, 0)])
    assert len(in_circle.nodes) == 2


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


@pytest.mark.parametrize("width", (390, 1280))
def test_fits_the_window(report: Dict[str, Any], tmp_path: Path, width: int) -> None:
    """Nothing sticks out; measured from a page around it, for windows have a least width."""
    inner = html.escape(html_of(report).replace("Content-Security-Policy", "none"), quote=True)
    measure = (
        "const inner = document.querySelector('iframe').contentDocument.documentElement;"
        "document.title = inner.scrollWidth + ' of ' + inner.clientWidth"
    )
    (tmp_path / "page.html").write_text(
        f"<iframe style='border: 0; width: {width}px; height: 900px' srcdoc=\"{inner}\"></iframe>"
        f"<script>onload = () => {{ {measure} }}</script>",
        encoding="utf-8",
    )
    dom = chromium(tmp_path, "--dump-dom", (tmp_path / "page.html").as_uri())
    scroll, client = map(int, dom.rpartition("<title>")[2].partition("<")[0].split(" of "))
    assert scroll == client == width


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
