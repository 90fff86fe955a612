# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of many processes in one picture: those in the same state together, the few that differ
first."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple

from ompdbg import SCHEMA
from ompdbg.frames import base_name
from ompdbg.model.severity import SEVERITIES
from ompdbg.render.numbers import ranges
from ompdbg.render.table import Column, cut_place, table, wrap
from ompdbg.report.html.words import does, place_text

Object = Dict[str, Any]

MERGED = "merged"
_UNKNOWN = "unknown"
_ORDER = (*SEVERITIES, "none", _UNKNOWN)
# What differs between processes in the same state.
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_COLUMNS = (
    Column("", right=True),
    Column("", squeeze=16),
    Column("", squeeze=20, cut=cut_place),
    Column("", squeeze=8),
)


class NoReport(Exception):
    """What was read is no report of this schema; the message says so."""


def check(document: Any) -> Object:
    """A report. Raises NoReport."""
    if not isinstance(document, dict) or "schema" not in document:
        raise NoReport("it is no document of ompdbg")
    if document["schema"] != SCHEMA:
        raise NoReport(f'its schema is "{document["schema"]}", this ompdbg reads "{SCHEMA}"')
    if document.get("kind") != "report":
        raise NoReport('it is no report; write it with "ompdbg report --json"')
    return document


def merged(reports: "Sequence[Tuple[str, Object]]") -> Object:
    """One document of many: (where it was read, report)."""
    found: "Dict[Hashable, List[Tuple[str, Object]]]" = {}
    for source, report in reports:
        found.setdefault(_state(report), []).append((source, report))
    groups = [_group(members) for members in found.values()]
    groups.sort(key=lambda one: (len(one["processes"]), _ORDER.index(one["severity"])))
    return {"schema": SCHEMA, "kind": MERGED, "total": len(reports), "groups": groups}


def _state(report: Object) -> Hashable:
    """Equal for processes that do the same."""
    cause = report["about"]["cause"]
    return (
        base_name(report["about"]["program"] or ""),
        cause and _NUMBERS.sub("N", cause),
        _severity(report),
        tuple(sorted(Counter(one["rule"] for one in report["findings"] or []).items())),
        tuple(sorted(_shape(report, True).items())),
    )


def _severity(report: Object) -> str:
    return _UNKNOWN if report["verdict"] is None else str(report["verdict"]["severity"])


def _shape(report: Object, alike: bool) -> "Dict[Tuple[str, str, str], int]":
    """How many threads do what, where and in which region. `alike`: without addresses."""
    labels = {team["id"]: team["label"] for team in report["teams"] or []}
    found: "Counter[Tuple[str, str, str]]" = Counter()
    for thread in report["threads"] or []:
        what, where = does(thread), place_text(thread["location"])
        if alike:
            what = re.sub(r"0x[0-9a-f]+", "N", what)
            where = re.sub(r"0x[0-9a-f]+", "N", where)
        found[(what, where, labels.get(thread["team"], ""))] += 1
    return found


def _group(members: "List[Tuple[str, Object]]") -> Object:
    first = members[0][1]
    processes = [_process(source, report["about"]) for source, report in members]
    processes.sort(key=_place_in_row)
    return {
        "processes": processes,
        "program": first["about"]["program"],
        "cause": first["about"]["cause"],
        "severity": _severity(first),
        "findings": [finding["text"] for finding in first["findings"] or []],
        "threads": [
            {"count": count, "does": what, "where": where, "region": region}
            for (what, where, region), count in sorted(
                _shape(first, False).items(), key=lambda item: (item[1], item[0])
            )
        ],
    }


def _process(source: str, about: Object) -> Object:
    return {
        "name": about["name"],
        "pid": about["pid"],
        "rank": None if about["rank"] is None else about["rank"]["value"],
        "host": about["host"],
        "source": source,
    }


def _place_in_row(process: Object) -> Tuple[int, str]:
    rank = process["rank"]
    return (int(rank) if rank is not None and rank.isdigit() else 1 << 30, process["source"])


# ---- Words ----------------------------------------------------------------------------------


def who(group: Object) -> str:
    """`ranks 0-2`, `hung 4711 on node3`"""
    processes = group["processes"]
    known = [p["rank"] for p in processes if p["rank"] is not None and p["rank"].isdigit()]
    if len(known) == len(processes):
        return f"{'rank' if len(known) == 1 else 'ranks'} {ranges(map(int, known))}"
    names = [_named(group, process) for process in processes]
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


def _named(group: Object, process: Object) -> str:
    name = base_name(group["program"] or "process")
    ident = process["pid"] if process["pid"] is not None else base_name(process["name"])
    return f"{name} {ident}" + (f" on {process['host']}" if process["host"] else "")


def headline(document: Object) -> str:
    """`8 processes in 2 groups, the few first`"""
    total, groups = document["total"], len(document["groups"])
    if groups == 1:
        return "1 process" if total == 1 else f"{total} processes in the same state"
    return f"{total} processes in {groups} groups, the smallest first"


def lines(document: Object, width: Optional[int]) -> Iterator[str]:
    """The same as text."""
    yield headline(document)
    for group in document["groups"]:
        number = len(group["processes"])
        yield ""
        noun = "process" if number == 1 else "processes"
        yield from wrap(f"== {number} {noun}: {who(group)} ==", width)
        if group["cause"]:
            yield from wrap(group["cause"], width)
        for text in group["findings"] or ["No thread waits for another."]:
            yield from wrap(text, width)
        rows = [
            [str(one["count"]), one["does"], one["where"], _region(one["region"])]
            for one in group["threads"]
        ]
        inner = None if width is None else max(width - 2, 20)
        for line in table(_COLUMNS, rows, inner)[1:]:
            yield "  " + line


def _region(label: str) -> str:
    return f"region {label}" if label else ""
