# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last moments, as they were recorded: a lane for each thread, from its latest events to the
stop. Distances grow with the logarithm of the time between two events, so that a hang of minutes
and what led to it within microseconds fit in one picture."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ompdbg.report.html import words
from ompdbg.report.html.markup import Content, Markup, element
from ompdbg.report.html.times import duration

Object = Dict[str, Any]

_MOST_EVENTS, _MOST_LANES = 240, 48
_LABEL, _WIDTH, _LANE, _HEAD, _MARGIN = 92, 1000, 30, 26, 8
_BAR, _THIN = 10, 4
_LEAST_STEP, _DECADE = 1.0, 6.0  # of a step between events; and more for each tenfold of 100 ns
_SHORTEST = 100.0  # ns
_LEAST_LABEL_GAP = 120

# How an interval begins, how it ends, and what it is.
_INTERVALS = {
    "wait_begin": ("wait_end", "waits"),
    "acquire": ("acquired", "waits"),
    "acquired": ("released", "holds"),
    "task_begin": ("task_end", "task"),
}
_ENDS = {end: begin for begin, (end, _) in _INTERVALS.items()}


class _Bar(NamedTuple):
    thread: int
    kind: str  # "waits", "holds", "task"
    tone: str  # class of what it waits for
    begin: Optional[int]  # age in ns; None: before the picture
    end: Optional[int]  # None: it lasts
    title: str


def shown(report: Object) -> Content:
    """The picture, or why there is none."""
    history = report.get("history")
    if history is None:
        return None
    events = [
        one for one in history["events"] if one["thread"] is not None and one["age"] is not None
    ]
    events = events[-_MOST_EVENTS:]
    lanes = _lanes(report, events)
    if not lanes:
        return element("p", "No events were recorded.", class_="muted")
    known = set(lanes)
    events = [one for one in events if one["thread"] in known]
    bars = [*_bars(events), *_lasting(report, known, events)]
    links = _links(report, known)
    scale = _Scale(
        [one["age"] for one in events]
        + [age for bar in bars for age in (bar.begin, bar.end) if age is not None]
        + [age for link in links for age in (link[1], link[3])]
    )
    return _figure(report, lanes, events, bars, links, scale)


def _lanes(report: Object, events: Sequence[Object]) -> List[int]:
    """The threads of the picture; of many, those that hold one another up come first."""
    threads = [one["gdb"] for one in report["threads"] or [] if "recorded" in one]
    if len(threads) <= _MOST_LANES:
        return threads
    wanted: List[int] = []
    for finding in report["findings"] or []:
        wanted += finding["waiters"] + finding["waits_for"]
    wanted += [one["thread"] for one in reversed(events)] + threads
    chosen: Set[int] = set(list(dict.fromkeys(wanted))[:_MOST_LANES])
    return [number for number in threads if number in chosen]


# ---- What is in the lanes -------------------------------------------------------------------


def _tone(event: Object) -> str:
    if event["kind"] in ("acquire", "acquired"):
        return "lock"
    return "tasks" if event["what"] in ("taskwait", "taskgroup") else "barrier"


def _bars(events: Iterable[Object]) -> Iterable[_Bar]:
    """Intervals that begin or end among the events."""
    open_: Dict[Tuple[int, str, Any], Object] = {}
    for event in events:
        thread, kind = event["thread"], event["kind"]
        begin = _ENDS.get(kind)
        if begin is not None:
            first = open_.pop(_key(thread, begin, event), None)
            begun = None if first is None else first["age"]
            title = (first or event)["text"]
            yield _Bar(thread, _INTERVALS[begin][1], _tone(event), begun, event["age"], title)
        if kind in _INTERVALS:
            open_[_key(thread, kind, event)] = event
    for (thread, kind, _), event in open_.items():
        yield _Bar(thread, _INTERVALS[kind][1], _tone(event), event["age"], None, event["text"])


def _key(thread: int, begin: str, event: Object) -> Tuple[int, str, Any]:
    return thread, begin, (event["address"], event["task"])


def _lasting(report: Object, lanes: Set[int], events: Sequence[Object]) -> Iterable[_Bar]:
    """What threads wait for and hold since before the first of the events."""
    first = events[0]["age"] if events else 0
    for thread in report["threads"] or []:
        wait = (thread.get("recorded") or {}).get("wait")
        if wait and wait["age"] is not None and wait["age"] > first and thread["gdb"] in lanes:
            tone = words.kind_of(thread)
            yield _Bar(thread["gdb"], "waits", tone, wait["age"], None, words.does(thread))
    for lock in report["locks"] or []:
        taken = lock.get("recorded")
        if taken and taken["age"] is not None and taken["age"] > first and lock["owner"] in lanes:
            title = f"took {words.lock_title(lock)}"
            yield _Bar(lock["owner"], "holds", "lock", taken["age"], None, title)


def _links(report: Object, lanes: Set[int]) -> List[Tuple[int, int, int, int, str]]:
    """Who took a lock when, and who began to wait for it when: what the hang hangs together by."""
    threads = {one["gdb"]: one for one in report["threads"] or []}
    found = []
    for lock in report["locks"] or []:
        taken = lock.get("recorded")
        if not taken or taken["age"] is None or lock["owner"] not in lanes:
            continue
        for waiter in lock["waiters"]:
            wait = (threads.get(waiter, {}).get("recorded") or {}).get("wait")
            if wait and wait["age"] is not None and waiter in lanes:
                title = (
                    f"thread {waiter} waits for thread {lock['owner']}: {words.lock_title(lock)}"
                )
                found.append((waiter, wait["age"], lock["owner"], taken["age"], title))
    return found


# ---- Where ----------------------------------------------------------------------------------


class _Scale:
    """From ages to places in the picture."""

    def __init__(self, ages: Sequence[int]) -> None:
        self.ages = sorted({max(age, 0) for age in (*ages, 0)}, reverse=True)
        steps = [
            _LEAST_STEP + _DECADE * math.log10(1 + (older - newer) / _SHORTEST)
            for older, newer in zip(self.ages, self.ages[1:])
        ]
        whole, room = sum(steps) or 1.0, _WIDTH - _LABEL - 3 * _MARGIN
        at, self._places = float(_LABEL + _MARGIN), {self.ages[0]: float(_LABEL + _MARGIN)}
        for age, step in zip(self.ages[1:], steps):
            at += step * room / whole
            self._places[age] = at

    def at(self, age: Optional[int], otherwise: float) -> float:
        """Where something of that age is."""
        return otherwise if age is None else self._places[max(age, 0)]

    def labels(self) -> List[Tuple[float, str]]:
        """Some ages, and where they stand."""
        found: List[Tuple[float, str]] = []
        before: Optional[int] = None
        for age in self.ages[:-1]:
            place = self._places[age]
            last = found[-1][0] if found else -math.inf
            if place - last >= _LEAST_LABEL_GAP and _WIDTH - place >= _LEAST_LABEL_GAP:
                found.append((place, self._label(age, before)))
                before = age
        return found

    @staticmethod
    def _label(age: int, before: Optional[int]) -> str:
        """Write an age, or how much later that is where ages look the same."""
        if before is not None and duration(before) == duration(age):
            return f"+ {duration(before - age)}"
        return duration(age)


# ---- The picture ----------------------------------------------------------------------------


def _figure(
    report: Object,
    lanes: Sequence[int],
    events: Sequence[Object],
    bars: Sequence[_Bar],
    links: Sequence[Tuple[int, int, int, int, str]],
    scale: _Scale,
) -> Markup:
    height = _HEAD + _LANE * len(lanes) + _MARGIN
    tops = {number: _HEAD + _LANE * index for index, number in enumerate(lanes)}
    recording = report["history"]["recording"]
    is_stop = recording["end_is"] == "stop"
    drawing = element(
        "svg",
        [_age(place, text, height) for place, text in scale.labels()],
        element(
            "text", "stop" if is_stop else "end", x=_WIDTH - _MARGIN, y="14", class_="age end"
        ),
        [_lane(number, tops[number]) for number in lanes],
        [_bar(bar, tops[bar.thread], scale) for bar in bars],
        [_mark(one, tops[one["thread"]], scale) for one in events],
        [_link(link, tops, scale) for link in links],
        viewBox=f"0 0 {_WIDTH} {height}",
        width=str(_WIDTH),
        height=str(height),
        role="group",
        aria_label="What each thread did last",
    )
    told = [
        f"{len(events)} events before the {'stop' if is_stop else 'latest event'}.",
        " Wide bars are waits, thin ones locks that are held, gray ones tasks.",
        " Lines lead from a wait to where the owner took the lock.",
        " Distances are logarithmic: see the times above.",
    ]
    left_out = sum("recorded" in one for one in report["threads"] or []) - len(lanes)
    if left_out:
        told.append(f" {left_out} more threads are not shown.")
    if recording["events_gone"]:
        told.append(f" {recording['events_gone']:,} older events are gone.")
    return element(
        "figure",
        element(
            "div",
            drawing,
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label="What each thread did last",
        ),
        element("figcaption", told),
        class_="moments",
    )


def _age(place: float, text: str, height: int) -> Content:
    return [
        element("line", x1=_px(place), x2=_px(place), y1="18", y2=str(height), class_="grid"),
        element("text", text, x=_px(place), y="14", class_="age"),
    ]


def _lane(number: int, top: int) -> Content:
    middle = str(top + _LANE // 2)
    return [
        words.thread_link(
            number,
            element("text", f"thread {number}", x="0", y=str(top + _LANE // 2 + 4), class_="name"),
        ),
        element("line", x1=_LABEL, x2=_WIDTH - _MARGIN, y1=middle, y2=middle, class_="time"),
    ]


def _bar(bar: _Bar, top: int, scale: _Scale) -> Markup:
    begin, end = scale.at(bar.begin, _LABEL), scale.at(bar.end, _WIDTH - _MARGIN)
    height = _THIN if bar.kind == "holds" else _BAR
    y = top + 3 if bar.kind == "holds" else top + (_LANE - _BAR) // 2
    lasted = "" if bar.begin is None else f" for {duration(max(bar.begin - (bar.end or 0), 0))}"
    return element(
        "g",
        element("title", f"thread {bar.thread} {bar.title}{lasted}"),
        element("rect", x=_px(begin), y=y, width=_px(max(end - begin, 1.5)), height=height),
        class_=f"{bar.kind} {bar.tone}",
    )


def _mark(event: Object, top: int, scale: _Scale) -> Markup:
    x = scale.at(event["age"], _LABEL)
    where = words.place_text(event["location"])
    title = f"{duration(max(event['age'], 0))} before: {event['text']}" + (where and f", {where}")
    line = element("line", x1=_px(x), x2=_px(x), y1=top + 9, y2=top + 21)
    return element("g", element("title", title), line, class_="mark")


def _link(link: Tuple[int, int, int, int, str], tops: Dict[int, int], scale: _Scale) -> Markup:
    waiter, waits, owner, took, title = link
    x1, y1 = scale.at(waits, _LABEL), tops[waiter] + _LANE / 2
    x2, y2 = scale.at(took, _LABEL), tops[owner] + 5
    return element(
        "g",
        element("title", title),
        element("path", d=f"M{_px(x1)},{_px(y1)} L{_px(x2)},{_px(y2)}"),
        element("circle", cx=_px(x2), cy=_px(y2), r="3.5"),
        class_="link",
    )


def _px(value: float) -> str:
    return f"{value:.1f}"
