# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what two OMPD libraries answered to the same questions (inside/ask_all.py), by the table
of differences in docs/llvm-libompd.md."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from harness import setup

TABLE = setup.ROOT / "docs" / "llvm-libompd.md"
MOMENTS = "### In moments"  # the table's second part
NONE = "none"  # in the table: no answer
STATE = ": state"
MEETING = ": was met at"
LEVELS = ": levels-var"  # a region is on another level: it is another one
NOWHERE = "nowhere yet"
_HANDLE = '"a handle"'
_RC_UNAVAILABLE, _RC_ERROR = 1, 4

Answers = Dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A difference that is explained. In all but the reason, `*` stands for anything."""

    question: str
    releases: Tuple[int, ...]
    ours: str
    theirs: str
    momentary: bool  # of a moment in which no fixture rests

    def explains(self, other: "Difference", release: int) -> bool:
        """Whether it is about that difference."""
        return (
            release in self.releases
            and fits(self.question, other.kind)
            and fits(self.ours, other.ours)
            and fits(self.theirs, other.theirs)
        )


@dataclass(frozen=True)
class Difference:
    """A question to which the answers differ."""

    kind: str
    question: str
    ours: str  # as JSON
    theirs: str


@dataclass
class Comparison:
    """Of all answers at a stop."""

    agreed: "Counter[str]" = field(default_factory=Counter)  # by kind
    only_ours: "Counter[str]" = field(default_factory=Counter)
    differences: List[Difference] = field(default_factory=list)
    crashed_at: Optional[str] = None  # the question to which theirs has no end


def fits(pattern: str, text: str) -> bool:
    """Whether the whole text is as the pattern says."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.S) is not None


def kind_of(question: str) -> str:
    """The question without its way to a region or task."""
    kind = re.sub(r"^thread \d+: (?=region|task)", "", question)
    kind = re.sub(r"^thread \d+", "thread", kind)
    for relation in (", enclosing", ", generating"):
        kind = re.sub("({})+(?=[:,])".format(relation), "", kind)
        kind = re.sub("({})+$".format(relation), relation, kind)
    kind = re.sub(r"^region, member \d+, task(?=[:,])", "task", kind)
    return re.sub(r"member \d+", "member", kind)


def rows(text: Optional[str] = None) -> List[Row]:
    """The table's rows."""
    found, momentary = [], False
    lines = (text if text is not None else TABLE.read_text(encoding="utf-8")).splitlines()
    for line in lines:
        momentary = momentary or line == MOMENTS
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"\d+(, \d+)*", cells[1]):
            question, ours, theirs = (cells[index].strip("`") for index in (0, 2, 3))
            releases = tuple(int(number) for number in cells[1].split(", "))
            found.append(Row(question, releases, ours, theirs, momentary))
    return found


def read(file: Path) -> Tuple[Answers, Optional[str]]:
    """What a library said, and the question that it did not come back from."""
    answers: Answers = {}
    asked: Optional[str] = None
    for line in file.read_text(encoding="utf-8").splitlines():
        question, *said = json.loads(line)
        asked = None if said else question
        if said:
            answers[question] = said[0]
    return answers, asked


def _text(said: Any) -> str:
    return json.dumps(said["value"]) if said is not None and "value" in said else NONE


def _value(answers: Answers, question: str) -> Any:
    return answers.get(question, {}).get("value")


class _Threads:
    """Threads of which some differences have one cause."""

    def __init__(self, ours: Answers, theirs: Answers) -> None:
        self._answers = (ours, theirs)
        self._prefixes: Dict[str, str] = {}  # by the beginning of their questions
        self._moving: Set[int] = set()  # pthread_t
        for question in {**theirs, **ours}:
            name = re.fullmatch(r"thread \d+", question)
            prefix = self._cause(question) if name is not None else ""
            if prefix:
                self._prefixes[question] = prefix
            if prefix == "moving ":
                self._moving.update(self._values(question + ": id, pthread"))

    def _values(self, question: str) -> List[Any]:
        found = [_value(answers, question) for answers in self._answers]
        return [value for value in found if value is not None]

    def _cause(self, name: str) -> str:
        ours, theirs = self._answers
        places = [ours.get(name + ": " + what, {}).get("rc") for what in ("region", "task")]
        if name + STATE not in ours and _value(theirs, name + ": id, pthread") == 0:
            return "new "
        if _value(ours, name + STATE) == "ompt_state_idle":
            return "idle "
        at_end = str(_value(ours, name + STATE)).startswith("ompt_state_wait_barrier_")
        if _RC_ERROR in places or (at_end and _RC_UNAVAILABLE in places):  # of a league
            return "moving "
        return "serialized " if _is_serialized(ours, name) else ""

    def prefix(self, question: str) -> str:
        """What a question is called besides its kind."""
        found = re.fullmatch(
            r"(.*, member \d+)(: is here|, task: is run by its thread)?", question
        )
        if found is not None:
            member = self._values(found.group(1) + ": pthread")
            if 0 in member:
                return "new "
            if self._moving.intersection(member):
                return "moving "
        return self._prefixes.get(re.split("[:,]", question, 1)[0], "")


def _is_serialized(ours: Answers, thread: str) -> bool:
    """Whether one of the regions around a thread, besides the outermost, has one thread."""
    region: Optional[str] = _value(ours, thread + ": region" + MEETING)
    while region is not None:
        outer: Optional[str] = _value(ours, region + ", enclosing" + MEETING)
        if outer is not None and _value(ours, region + ": team-size-var") == 1:
            return True
        region = outer
    return False


class _Meetings:
    """Where each handle was met first. If only one library has it at some place, that is elsewhere
    for the other."""

    def __init__(self) -> None:
        self._names: Tuple[Dict[str, str], Dict[str, str]] = ({}, {})

    def is_same(self, mine: Optional[str], other: Optional[str]) -> bool:
        """Whether two places stand for the same handle."""
        of_theirs, of_ours = self._names
        if mine is None or other is None or mine == other == NOWHERE:
            return mine == other
        if mine == NOWHERE:
            return other not in of_theirs
        if other == NOWHERE:
            return mine not in of_ours
        same = of_theirs.get(other, mine) == mine and of_ours.get(mine, other) == other
        if same:
            of_theirs[other], of_ours[mine] = mine, other
        return same


def compare(ours: Answers, theirs: Answers, crashed_at: Optional[str] = None) -> Comparison:
    """What differs, and what only LLVM's library answers. What was asked of a handle that only one
    of them has, or that is not the same one to both, is left out."""
    found = Comparison(crashed_at=crashed_at)
    threads, meetings = _Threads(ours, theirs), _Meetings()
    parted: Tuple[str, ...] = ()
    for question in {**theirs, **ours}:
        if question.startswith(parted):
            continue
        kind = threads.prefix(question) + kind_of(question)
        mine, other = _text(ours.get(question)), _text(theirs.get(question))
        same = mine == other
        for end in (MEETING, LEVELS):
            if question.endswith(end) and not same and NONE not in (mine, other):
                handle = question[: -len(end)]
                parted += (handle + ":", handle + ",")
        if question.endswith(MEETING):
            # Two regions may be met first at one place.
            level = question[: -len(MEETING)] + LEVELS
            levels = {_text(answers.get(level)) for answers in (ours, theirs)} - {NONE}
            same = len(levels) < 2 and meetings.is_same(
                _value(ours, question), _value(theirs, question)
            )
        if same:
            found.agreed[kind] += mine != NONE
            continue
        if _HANDLE in (mine, other):
            parted += (question + ":", question + ",")
        if other == NONE:
            found.only_ours[kind] += 1
        else:
            found.differences.append(Difference(kind, question, mine, other))
    return found


def unexplained(
    comparison: Comparison, release: int, table: Iterable[Row]
) -> Tuple[List[Difference], "Counter[Row]"]:
    """Differences that the table does not have, and how often it has which."""
    used: "Counter[Row]" = Counter()
    left = []
    for difference in comparison.differences:
        row = next((row for row in table if row.explains(difference, release)), None)
        if row is None:
            left.append(difference)
        else:
            used[row] += 1
    return left, used
