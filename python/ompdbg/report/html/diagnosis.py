# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why the program does not go on."""

from __future__ import annotations

from typing import Any, Dict, List

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element, folded

Object = Dict[str, Any]

# What each severity is called, and what it means.
SEVERITIES = {
    "stuck": ("Stuck", "This cannot go on by itself."),
    "held_up": ("Held up", "The threads that have to act sleep themselves."),
    "waiting": ("Waiting", "A program that runs well has such waits, too, at any moment."),
    "none": ("No waits", "Nothing suspicious was found."),
    "crashed": ("Crashed", "A signal has ended the program."),
    "unknown": ("Not known", "The diagnosis could not be made."),
}
_MOST_FINDINGS = 12  # more are folded
_MOST_NOTES, _MOST_ROWS = 6, 12


def verdict(report: Object) -> Markup:
    """The worst of what was found, in one box."""
    told = report["verdict"] or {"severity": "unknown", "text": SEVERITIES["unknown"][1]}
    known = {thread["gdb"] for thread in report["threads"] or []}
    word, meaning = SEVERITIES[told["severity"]]
    same = [one for one in report["findings"] or [] if one["text"] == told["text"]]
    if told["severity"] == "stuck" and same and not same[0]["certain"]:
        meaning = "If that is so, this cannot go on by itself."
    return element(
        "div",
        element("p", word, class_="word"),
        element("p", words.linked(told["text"], known), class_="headline"),
        element("p", meaning, class_="meaning") if told["text"] != meaning else None,
        class_=f"verdict {told['severity']}",
    )


def of_waits(report: Object) -> List[Object]:
    """List the findings but that of a crash, for which the page has a box."""
    return [one for one in report["findings"] or [] if one["rule"] != "signal"]


def findings(report: Object, is_told: bool) -> Content:
    """Show each of them; many are folded. `is_told`: the verdict is on the page."""
    threads = {thread["gdb"]: thread for thread in report["threads"] or []}
    known = report["verdict"]["text"] if is_told and report["verdict"] else None
    told = [_finding(one, threads, one["text"] != known) for one in of_waits(report)]
    return folded(told, _MOST_FINDINGS, "findings")


def _finding(finding: Object, threads: Dict[int, Object], has_title: bool) -> Markup:
    severity = finding["severity"]
    title = element(
        "h3",
        words.badge(severity, SEVERITIES[severity][0]),
        " ",
        words.linked(finding["text"], threads),
        None if finding["certain"] else element("span", " (inferred)", class_="muted"),
    )
    return element(
        "article",
        title if has_title else None,
        _rows(finding, threads),
        folded(
            [
                element("p", words.linked(note, threads), class_="note")
                for note in finding["notes"]
            ],
            _MOST_NOTES,
            "notes",
        ),
        class_=f"finding {severity}",
    )


def _rows(finding: Object, threads: Dict[int, Object]) -> Content:
    numbers = list(dict.fromkeys([*finding["waiters"], *finding["waits_for"]]))
    known = [threads[number] for number in numbers if number in threads]
    rows = [
        element(
            "li",
            element("div", words.threads(alike), class_="who"),
            element("span", words.does(first), class_=f"does {words.kind_of(first)}"),
            words.place(first["location"]),
        )
        for first, alike in words.merged(known)
    ]
    return element("ul", folded(rows, _MOST_ROWS, "groups of threads", "ul"), class_="rows")
