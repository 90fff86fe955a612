# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why the program does not go on."""

from __future__ import annotations

from typing import Any, Dict, List

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element

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
_DEADLOCK = "deadlock"


def verdict(report: Object) -> Markup:
    """The worst of what was found, in one box."""
    told = report["verdict"] or {"severity": "unknown", "text": SEVERITIES["unknown"][1]}
    word, meaning = SEVERITIES[told["severity"]]
    same = [one for one in report["findings"] or [] if one["text"] == told["text"]]
    if told["severity"] == "stuck" and same and not same[0]["certain"]:
        meaning = "If that is so, this cannot go on by itself."
    return element(
        "div",
        element("p", word, class_="word"),
        element("p", told["text"], class_="headline"),
        element("p", meaning, class_="meaning") if told["text"] != meaning else None,
        class_=f"verdict {told['severity']}",
    )


def findings(report: Object) -> Content:
    """Each of them."""
    threads = {thread["gdb"]: thread for thread in report["threads"] or []}
    return [_finding(one, threads) for one in report["findings"] or []]


def _finding(finding: Object, threads: Dict[int, Object]) -> Markup:
    severity = finding["severity"]
    told = _cycle(finding, threads) if finding["rule"] == _DEADLOCK else _rows(finding, threads)
    return element(
        "article",
        element(
            "h3",
            words.badge(severity, SEVERITIES[severity][0]),
            " ",
            finding["text"],
            None if finding["certain"] else element("span", " (inferred)", class_="muted"),
        ),
        told,
        [element("p", note, class_="note") for note in finding["notes"]],
        class_=f"finding {severity}",
    )


def _rows(finding: Object, threads: Dict[int, Object]) -> Content:
    numbers = list(dict.fromkeys([*finding["waiters"], *finding["waits_for"]]))
    known = [threads[number] for number in numbers if number in threads]
    rows = [
        element(
            "li",
            element("span", words.threads_text(alike), class_="who"),
            element("span", words.does(first), class_=f"does {words.kind_of(first)}"),
            words.place(first["location"]),
        )
        for first, alike in words.merged(known)
    ]
    return element("ul", rows, class_="rows")


def _for_whom(edge: Object) -> Content:
    if edge["waits_for"] is None:
        return None
    if edge["kind"] == "lock":
        held = "held" if edge["certain"] else "probably held"
        return f", {held} by thread {edge['waits_for']}"
    return f", for thread {edge['waits_for']}"


def _cycle(finding: Object, threads: Dict[int, Object]) -> Content:
    """Who waits for whom, from the first thread back to it."""
    steps: List[Markup] = []
    for edge in finding["chain"]:
        thread = threads.get(edge["thread"])
        steps.append(
            element(
                "li",
                element("span", f"thread {edge['thread']}", class_="who"),
                " waits for ",
                element("strong", "?" if thread is None else words.does(thread)),
                _for_whom(edge),
                element(
                    "span",
                    None if thread is None else words.place(thread["location"]),
                    class_="below",
                ),
            )
        )
    first = finding["chain"][0]["thread"] if finding["chain"] else "?"
    steps.append(element("li", f"back to thread {first}", class_="back"))
    return element("ol", steps, class_="cycle")
