# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of one process."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from posixpath import basename
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from ompdbg.report.crash import is_own
from ompdbg.report.html import crash, diagnosis, moments, regions, stacks, tables, tasks, waits
from ompdbg.report.html.markup import Content, Markup, element, joined
from ompdbg.report.numbers import counted

Object = Dict[str, Any]
Section = Tuple[str, str, Content]

_MANY = 16  # rows; more are folded
_LINK = re.compile('href="#t([0-9]+)"')


# Shown by the script, which does the search.
_SEARCH = element(
    "form",
    element("input", type="search", id="search", placeholder="Search", aria_label="Search"),
    element("output", id="found", for_="search"),
    role="search",
    hidden=True,
)


def page(report: Object) -> Iterator[str]:
    """Return the lines of an HTML file."""
    about = report["about"]
    program = "OpenMP program" if about["program"] is None else basename(about["program"])
    tree = stacks.Tree(report)
    sections: List[Section] = [
        ("diagnosis", "Diagnosis", _diagnosis(report, tree)),
        ("regions", "Regions and threads", [regions.legend(report), regions.picture(report)]),
        ("tasks", "Tasks", tasks.shown(report)),
        ("locks", "Locks", _folded(tables.locks(report), report["locks"], "lock")),
        ("threads", "All threads", _folded(tables.threads(report), report["threads"], "thread")),
        (
            "variables",
            "Control variables",
            _folded(tables.icvs(report), report["icvs"], "variable"),
        ),
        (
            "environment",
            "Environment",
            _folded(tables.environment(report), _settings(report), "variable"),
        ),
        ("runtime", "Runtime", tables.runtime(report)),
    ]
    if report.get("history") is not None:
        sections.insert(1, ("moments", "Last moments", moments.shown(report)))
    sections = [(name, told, joined(content)) for name, told, content in sections]
    linked = {int(one) for _, _, content in sections for one in _LINK.findall(str(content))}
    index = next(index for index, one in enumerate(sections) if one[0] == "regions")
    sections.insert(index + 1, ("stacks", "Stacks", tree.shown(linked)))
    yield from whole(program, _head(report, program), sections, "report")


def _diagnosis(report: Object, tree: stacks.Tree) -> Content:
    """Tell what has ended the program; and what its threads wait for, the worst first."""
    crashed = crash.box(report, tree)
    graph = waits.graph(report)
    told: Content = element("div", diagnosis.findings(report, crashed is None), class_="findings")
    if graph is not None:
        told = element("div", told, graph, class_="why")
    if crashed is None:
        return [diagnosis.verdict(report), told]
    if not diagnosis.of_waits(report):
        if is_own(report["about"]["crash"]) and report["verdict"] is not None:
            return crashed
        told = diagnosis.verdict(report)
    return [crashed, element("h3", "What the threads did"), told]


def whole(title: str, head: Content, sections: Sequence[Section], what: str) -> Iterator[str]:
    """Write a page around sections: (name, title, what is in it). Nothing is loaded; what runs is
    the script of the page, which searches, sorts and zooms."""
    folder = Path(__file__).parent
    style, script = ((folder / name).read_text("ascii") for name in ("page.css", "page.js"))
    known = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{known}'"
    links = [element("li", element("a", told, href=f"#{name}")) for name, told, _ in sections]
    first = sections[0]
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield element("meta", charset="utf-8")
    yield element("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield element("meta", http_equiv="Content-Security-Policy", content=policy)
    yield element("meta", name="color-scheme", content="light dark")
    yield element("title", f"{title} – OpenMP {what}")
    yield element("style", Markup("\n" + style))
    yield "</head>"
    yield "<body>"
    yield '<div class="page">'
    yield element("a", f"To {first[1]}", href=f"#{first[0]}", class_="skip")
    yield element("header", head)
    yield element("nav", element("ul", links), _SEARCH, aria_label="Sections")
    yield "<main>"
    for name, told, content in sections:
        yield element("section", element("h2", told), content, id=name, aria_label=told)
    yield "</main>"
    yield element("footer", "Made by ompdbg, schema ompdbg/1. Nothing comes from the network.")
    yield "</div>"
    yield element("script", Markup(script))
    yield "</body>"
    yield "</html>"


def _head(report: Object, program: str) -> Content:
    about = report["about"]
    what = f"Core file {about['name']}" if about["kind"] == "core" else f"Process {about['name']}"
    words = [what]
    if about["host"]:
        words[0] += f" on {about['host']}"
    if about["signal"]:
        words.append(f"ended by {about['signal']}")
    if about["cause"]:
        words.append(about["cause"])
    if about["taken"]:
        words.append(about["taken"].replace("T", " ").replace("Z", " UTC"))
    rank = "" if about["rank"] is None else f", rank {about['rank']['value']}"
    command = about["command"]
    return [
        element("h1", program, rank),
        element("p", ", ".join(words), class_="subtitle"),
        element("p", element("code", " ".join(command)), class_="subtitle") if command else None,
        _facts(report),
        [element("p", f"Warning: {one}", class_="note") for one in about["problems"]],
    ]


def _facts(report: Object) -> Markup:
    threads, status = report["threads"] or [], report["status"]
    rows: List[Tuple[str, Content]] = []
    if status is not None:
        names = [_runtime(one) for one in status["runtimes"]]
        rows.append(("Runtime", ", ".join(names)))
    openmp = sum(bool(thread["openmp"]) for thread in threads)
    rows.append(("Threads", f"{len(threads)}, {openmp} of OpenMP"))
    rows.append(("Regions", len(report["regions"] or [])))
    if report["tasks"] is not None:
        counts = report["task_counts"] or []
        explicit = sum(one["count"] for one in counts if one["kind"] in ("explicit", "target"))
        rows.append(("Explicit tasks", f"{explicit:,}"))
    return facts(rows)


def facts(rows: Sequence[Tuple[str, Content]]) -> Markup:
    """Return numbers with their names, beside one another."""
    told = [element("div", element("dt", name), element("dd", value)) for name, value in rows]
    return element("dl", told, class_="facts")


def _runtime(status: Object) -> str:
    layout = status["layout"]
    if layout is None:
        return str(status["name"])
    return f"{layout['runtime']} ({layout['release']})"


def _settings(report: Object) -> List[Object]:
    return [one for runtime in report["environment"] or [] for one in runtime["variables"]]


def _folded(content: Content, rows: Any, noun: str) -> Content:
    """Shut a long table at first."""
    if len(rows or []) <= _MANY:
        return content
    return element("details", element("summary", counted(len(rows), noun)), content)
