# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of many processes in one picture: those in the same state together, the few that differ
first."""

from __future__ import annotations

import os
import re
from collections import Counter
from posixpath import basename
from typing import Any, Dict, Hashable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ompdbg import SCHEMA
from ompdbg.report import crash
from ompdbg.report.html.words import does, place_text
from ompdbg.report.numbers import counted, ranges
from ompdbg.report.regular_file import of_path
from ompdbg.report.severities import HELD_UP, SEVERITIES, STUCK
from ompdbg.report.table import Column, aligned, cut_place, wrap
from ompdbg.text import number_in

Object = Dict[str, Any]

MERGED = "merged"
_UNKNOWN = "unknown"
CRASHED = "crashed"
_ORDER = (CRASHED, *SEVERITIES, "none", _UNKNOWN)
_MOST_RANKS = 1 << 20
_MOST_INDENTS, _MOST_OF_RANKS = 12, 24
_MOST_BRANCHES, _DEEPEST = 2000, 200  # of the tree of stacks: frames, and one within another
# What differs between processes in the same state.
_ADDRESS = re.compile(r" \(0x[0-9a-f]+\)|^0x[0-9a-f]+ (?=in )")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_COLUMNS = (
    Column(right=True),
    Column(squeeze=16),
    Column(squeeze=20, cut=cut_place),
    Column(squeeze=8),
)


class NoReport(Exception):
    """What was read is no report of this schema; the message says so."""


class Member(NamedTuple):
    """A report, and what of it is told."""

    process: Object
    of_ranks: int  # of how many; 0: unknown
    state: Hashable  # equal for processes that do the same
    group: Object
    stacks: "List[Tuple[List[Object], int]]"  # frames from main on, and how many threads have them


def member(source: str, document: Any) -> Member:
    """Of a report that was read from `source`. Raises NoReport."""
    if not isinstance(document, dict) or "schema" not in document:
        raise NoReport("not a document of ompdbg")
    if document["schema"] != SCHEMA:
        raise NoReport(f'its schema is "{document["schema"]}", this ompdbg reads "{SCHEMA}"')
    if document.get("kind") != "report":
        raise NoReport('not a report (write one with "ompdbg report --json")')
    try:
        process, group = _process(source, document["about"]), _described(document)
        if _fits(process, _PROCESS) and _fits(group, _GROUP):
            of_ranks = _ranks_of(document["about"]["rank"])
            return Member(process, of_ranks, _state(document), group, _stacks(document))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        pass  # nothing has the shape that it should have
    raise NoReport("it lacks what the schema demands")


# What the picture is made of, as the schema has it.
_MAYBE_TEXT = (str, type(None))
_PROCESS = {
    "name": str,
    "pid": (int, type(None)),
    "rank": _MAYBE_TEXT,
    "host": _MAYBE_TEXT,
    "source": str,
    "page": _MAYBE_TEXT,
}
_FRAME: Object = {"function": _MAYBE_TEXT, "construct": _MAYBE_TEXT, "file": _MAYBE_TEXT}
_FRAME["line"] = (int, type(None))
_THREADS = {"count": int, "does": str, "where": str, "region": str}
_GROUP = {
    "program": _MAYBE_TEXT,
    "cause": _MAYBE_TEXT,
    "crash": _MAYBE_TEXT,
    "severity": str,
    "findings": [str],
    "threads": [_THREADS],
}


def _fits(value: Any, shape: Any) -> bool:
    """Check the types of a value: a shape is a type, several, or a list or an object of shapes."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_fits(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(one, shape[0]) for one in value)
    return isinstance(value, shape) and not isinstance(value, bool)


def merged(members: Sequence[Member], unread: Sequence[Object] = ()) -> Object:
    """One document of many. `unread`: `source` and `reason` of those that could not be read."""
    found: "Dict[Hashable, List[Member]]" = {}
    for one in members:
        found.setdefault(one.state, []).append(one)
    groups = [
        {"processes": sorted((one.process for one in alike), key=_place_in_row), **alike[0].group}
        for alike in found.values()
    ]
    groups.sort(key=lambda one: (len(one["processes"]), _ORDER.index(one["severity"])))
    return {
        "schema": SCHEMA,
        "kind": MERGED,
        "total": len(members),
        "ranks": max((one.of_ranks for one in members), default=0) or None,
        "missing_ranks": _missing_ranks(members),
        "unread": list(unread),
        "groups": groups,
        "tree": _tree(members),
    }


def is_suspicious(document: Object) -> bool:
    """One of the processes has crashed, or does not go on."""
    return any(group["severity"] in (CRASHED, STUCK, HELD_UP) for group in document["groups"])


def _ranks_of(rank: Optional[Object]) -> int:
    total = None if rank is None else rank.get("of")
    if not _fits(total, (int, type(None))):
        raise ValueError(total)
    return total or 0


def _missing_ranks(members: Sequence[Member]) -> List[int]:
    """Those of the job that have written no report."""
    known = {_rank(one.process) for one in members}
    total = max((one.of_ranks for one in members), default=0)
    return [rank for rank in range(min(total, _MOST_RANKS)) if rank not in known]


def _state(report: Object) -> Hashable:
    cause = report["about"]["cause"]
    return (
        basename(report["about"]["program"] or ""),
        cause and _NUMBERS.sub("N", cause),
        _NUMBERS.sub("N", _crash(report) or ""),
        _severity(report),
        tuple(sorted(Counter(one["rule"] for one in report["findings"] or []).items())),
        tuple(sorted(_shape(report, True).items())),
        tuple(sorted(_ways(report).items())),
    )


def _ways(report: Object) -> "Dict[Tuple[str, ...], int]":
    """How many threads came through which functions, of a recursion once."""
    found: "Counter[Tuple[str, ...]]" = Counter()
    for frames, threads in _stacks(report):
        found[tuple(dict.fromkeys(frame["function"] for frame in frames))] += threads
    return found


def _crash(report: Object) -> Optional[str]:
    found = report["about"]["crash"]
    return None if found is None else crash.where(found, report)


def _severity(report: Object) -> str:
    if crash.is_own(report["about"]["crash"]):
        return CRASHED
    if report["verdict"] is None:
        return _UNKNOWN
    found = str(report["verdict"]["severity"])
    return found if found in _ORDER else _UNKNOWN


def _shape(report: Object, alike: bool) -> "Dict[Tuple[str, str, str], int]":
    """How many threads do what, where and in which region. `alike`: without addresses."""
    labels = {team["id"]: team["label"] for team in report["teams"] or []}
    found: "Counter[Tuple[str, str, str]]" = Counter()
    for thread in report["threads"] or []:
        what, where = does(thread), _where(thread["location"])
        if alike:
            what = re.sub(r"0x[0-9a-f]+", "N", what)
        found[(what, where, labels.get(thread["team"], ""))] += 1
    return found


def _where(location: Optional[Object]) -> str:
    """Return the place of a thread. Addresses of code that is in no file, or in one that is not
    there, differ from process to process."""
    return _ADDRESS.sub("", place_text(location))


def _described(report: Object) -> Object:
    return {
        "program": report["about"]["program"],
        "cause": report["about"]["cause"],
        "crash": _crash(report),
        "severity": _severity(report),
        # The crash is told on its own.
        "findings": [one["text"] for one in report["findings"] or [] if one["rule"] != "signal"],
        "threads": [
            {"count": count, "does": what, "where": where, "region": region}
            for (what, where, region), count in sorted(
                _shape(report, False).items(), key=lambda item: (item[1], item[0])
            )
        ],
    }


def _process(source: str, about: Object) -> Object:
    page = f"{os.path.splitext(source)[0]}.html"
    return {
        "name": about["name"],
        "pid": about["pid"],
        "rank": None if about["rank"] is None else about["rank"]["value"],
        "host": about["host"],
        "source": of_path(source),
        "page": of_path(page) if os.path.isfile(page) else None,
    }


def _place_in_row(process: Object) -> Tuple[int, str]:
    rank = _rank(process)
    return (1 << 60 if rank is None else rank, process["source"])


def _rank(process: Object) -> Optional[int]:
    return None if process["rank"] is None else number_in(process["rank"])


# ---- Stacks ---------------------------------------------------------------------------------


def _stacks(report: Object) -> List[Tuple[List[Object], int]]:
    """Return the stacks of a report. Raises ValueError."""
    found = []
    for stack in report["stacks"] or []:
        frames = [frame for part in stack["parts"] for frame in part["frames"]]
        frames = [_frame(frame) for frame in frames[::-1][:_DEEPEST]]
        found.append((frames, len(stack["threads"])))
    return found


def _frame(frame: Object) -> Object:
    if not _fits(frame, _FRAME):
        raise ValueError(frame)
    found = {key: frame[key] for key in _FRAME}
    title = frame.get("title")  # older reports have none
    if not isinstance(title, _MAYBE_TEXT):
        raise ValueError(frame)
    found["function"] = frame["function"] or _ADDRESS.sub("", title or frame["symbol"] or "??")
    found["title"] = title if frame["function"] else None
    if frame["kind"] == "signal":
        found["function"] = "<signal handler called>"
    return found


class _Branch:
    """A frame in the stacks of several processes."""

    def __init__(self, frame: Object) -> None:
        self.frame = frame
        self.threads = self.ends = 0
        self.members: Set[int] = set()
        self.inner: Dict[Hashable, _Branch] = {}


def _tree(members: Sequence[Member]) -> List[Object]:
    """Return the stacks of all processes as one tree, each frame before those that it called."""
    root = _Branch({})
    for number, one in enumerate(members):
        for frames, threads in one.stacks:
            branch = root
            for frame in frames:
                branch = branch.inner.setdefault(tuple(frame.values()), _Branch(frame))
                branch.threads += threads
                branch.members.add(number)
            branch.ends += threads
    found: List[Object] = []
    pending = [(branch, 0) for branch in _in_order(root)]
    while pending and len(found) < _MOST_BRANCHES:
        branch, depth = pending.pop()
        ranks = [_rank(members[number].process) for number in branch.members]
        known = [rank for rank in ranks if rank is not None]
        found.append(
            {
                "depth": depth,
                **branch.frame,
                "processes": len(ranks),
                "ranks": ranges(known) if len(known) == len(ranks) else None,
                "threads": branch.threads,
                "ends": branch.ends,
            }
        )
        pending += [(one, depth + 1) for one in _in_order(branch)]
    return found


def _in_order(branch: _Branch) -> List[_Branch]:
    """Return what was called from a frame, the most threads last."""
    return sorted(branch.inner.values(), key=lambda one: one.threads)


# ---- Words ----------------------------------------------------------------------------------


def who(group: Object, document: Object) -> str:
    """`ranks 0-2`, `ranks 0-2 of solver`, if there are several programs; `hung 4711 on node3`"""
    processes = group["processes"]
    known = [rank for rank in map(_rank, processes) if rank is not None]
    if len(known) == len(processes):
        told = f"{'rank' if len(known) == 1 else 'ranks'} {ranges(known)}"
        several = len({one["program"] for one in document["groups"]}) > 1
        return f"{told} of {basename(group['program'] or 'a program')}" if several else told
    names = [_named(group, process) for process in processes]
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


def _named(group: Object, process: Object) -> str:
    name = basename(group["program"] or "process")
    ident = process["pid"] if process["pid"] is not None else basename(process["name"])
    return f"{name} {ident}" + (f" on {process['host']}" if process["host"] else "")


def headline(document: Object) -> str:
    """`8 processes in 2 groups, the smallest first`"""
    total, groups = document["total"], len(document["groups"])
    if groups == 1:
        return "1 process" if total == 1 else f"{total:,} processes in the same state"
    return f"{total:,} processes in {groups:,} groups, the smallest first"


def notes(document: Object) -> Iterator[str]:
    """What is missing."""
    missing, total = document["missing_ranks"], document["ranks"]
    if missing:
        noun = "rank" if len(missing) == 1 else "ranks"
        yield f"No report of {noun} {ranges(missing)} of {total}"
    for one in document["unread"]:
        yield f"Not read: {one['source']}: {one['reason']}"


def causes(group: Object) -> List[str]:
    """Why its reports were written."""
    return [told for told in (group["crash"] or group["cause"],) if told]


def found(group: Object) -> List[str]:
    """What its processes wait for. Where one crashed, nothing need be said of waits that there are
    not."""
    nothing = [] if group["severity"] == CRASHED else ["No thread was found waiting for another."]
    return group["findings"] or nothing


def common(document: Object) -> List[Object]:
    """Return what as many threads do in every group."""
    groups = [group["threads"] for group in document["groups"]]
    if len(groups) < 2:
        return []
    return [one for one in groups[0] if all(one in threads for threads in groups[1:])]


def count_text(branch: Object) -> str:
    """`ranks 0-3, 32 threads`"""
    number, ranks = branch["processes"], branch["ranks"]
    told = "1 process" if number == 1 else f"{number:,} processes"
    if ranks is not None and len(ranks) < _MOST_OF_RANKS:
        told = f"{'rank' if number == 1 else 'ranks'} {ranks}"
    return f"{told}, {counted(branch['threads'], 'thread')}"


def frame_text(branch: Object) -> str:
    """`parallel region of solve at hung.c:88`"""
    construct = branch["construct"]
    name = str(branch["title"] or branch["function"])
    if construct:
        name = f"{construct} of {name}"
    file = basename(branch["file"] or "")
    return (
        name
        + (f" at {file}" if file else "")
        + (f":{branch['line']}" if file and branch["line"] else "")
    )


def lines(document: Object, width: Optional[int]) -> Iterator[str]:
    """Return the same as text."""
    yield headline(document)
    for note in notes(document):
        yield from wrap(note, width)
    shared = common(document)
    if shared:
        yield from ("", "== In all groups ==")
        yield from _threads(shared, width)
    for group in document["groups"]:
        number = len(group["processes"])
        yield ""
        noun = "process" if number == 1 else "processes"
        yield from wrap(f"== {number} {noun}: {who(group, document)} ==", width)
        for told in causes(group):
            yield from wrap(told, width)
        for text in found(group):
            yield from wrap(text, width)
        yield from _threads([one for one in group["threads"] if one not in shared], width)
    if document["tree"]:
        yield from ("", "== Stacks of all processes ==")
    rows = [
        ["  " * min(one["depth"], _MOST_INDENTS) + frame_text(one), count_text(one)]
        for one in document["tree"]
    ]
    yield from aligned((Column(squeeze=30, cut=cut_place), Column(squeeze=16)), rows, width)


def _threads(threads: Sequence[Object], width: Optional[int]) -> Iterator[str]:
    rows = [
        [str(one["count"]), one["does"], one["where"], _region(one["region"])] for one in threads
    ]
    inner = None if width is None else max(width - 2, 20)
    for line in aligned(_COLUMNS, rows, inner):
        yield "  " + line


def _region(label: str) -> str:
    return f"region {label}" if label else ""
