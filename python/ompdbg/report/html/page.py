# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of one process."""

from __future__ import annotations

from posixpath import basename
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from ompdbg.report.numbers import counted
from ompdbg.report.html import crash, diagnosis, moments, regions, stacks, tables, tasks
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.html.style import STYLE
from ompdbg.report.marking import marked

Object = Dict[str, Any]
Section = Tuple[str, str, Content]

# Nothing is loaded, and nothing runs.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(report: Object) -> Iterator[str]:
    """The lines of an HTML file."""
    about = report["about"]
    report = marked(report)
    program = "OpenMP program" if about["program"] is None else basename(about["program"])
    sections: List[Section] = [
        ("diagnosis", "Diagnosis", _diagnosis(report)),
        ("regions", "Regions and threads", [regions.legend(report), regions.picture(report)]),
        ("stacks", "Stacks", stacks.tree(report)),
        ("tasks", "Tasks", tasks.shown(report)),
        ("locks", "Locks", tables.locks(report)),
        ("threads", "All threads", _folded(tables.threads(report), report["threads"])),
        ("variables", "Control variables", tables.icvs(report)),
        ("environment", "Environment", tables.environment(report)),
        ("runtime", "Runtime", tables.runtime(report)),
    ]
    if report.get("history") is not None:
        sections.insert(1, ("moments", "Last moments", moments.shown(report)))
    yield from whole(program, _head(report, program), sections)


def _diagnosis(report: Object) -> Content:
    """What has ended the program; and what its threads wait for, the worst first."""
    crashed = crash.box(report)
    told = diagnosis.findings(report)
    if crashed is None:
        return [diagnosis.verdict(report), told]
    return [crashed, element("h3", "What the threads did"), told or diagnosis.verdict(report)]


def whole(title: str, head: Content, sections: Sequence[Section]) -> Iterator[str]:
    """A page around sections: (name, title, what is in it)."""
    links = [element("li", element("a", told, href=f"#{name}")) for name, told, _ in sections]
    first = sections[0][0]
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield element("meta", charset="utf-8")
    yield element("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield element("meta", http_equiv="Content-Security-Policy", content=_POLICY)
    yield element("meta", name="color-scheme", content="light dark")
    yield element("title", f"{title} – OpenMP report")
    yield element("style", Markup("\n" + STYLE))
    yield "</head>"
    yield "<body>"
    yield '<div class="page">'
    yield element("a", "To the diagnosis", href=f"#{first}", class_="skip")
    yield element("header", head, element("nav", element("ul", links), aria_label="Sections"))
    yield "<main>"
    for name, told, content in sections:
        yield element("section", element("h2", told), content, id=name, aria_label=told)
    yield "</main>"
    yield element(
        "footer", "Made by ompdbg, schema ompdbg/1. No script, nothing from the network."
    )
    yield "</div>"
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
        rows.append(("Explicit tasks", explicit))
    told = [element("div", element("dt", name), element("dd", value)) for name, value in rows]
    return element("dl", told, class_="facts")


def _runtime(status: Object) -> str:
    layout = status["layout"]
    if layout is None:
        return str(status["name"])
    return f"{layout['runtime']} ({layout['release']})"


def _folded(content: Content, threads: Any) -> Content:
    """A long table is shut at first."""
    if len(threads or []) <= 16:
        return content
    return element("details", element("summary", counted(len(threads), "thread")), content)
