# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what two OMPD libraries answered to the same questions (inside/ask_all.py), by the table
of differences in docs/llvm-libompd.md."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

from harness import setup

TABLE = setup.ROOT / "docs" / "llvm-libompd.md"
NONE = "none"  # in the table: no answer
STATE = ": state"
MEETING = ": was met at"
_HANDLE = '"a handle"'

Answers = Dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A difference that is explained. In all but the reason, `*` stands for anything."""

    question: str
    releases: Tuple[int, ...]
    ours: str
    theirs: str

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
    found = []
    lines = (text if text is not None else TABLE.read_text(encoding="utf-8")).splitlines()
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"\d+(, \d+)*", cells[1]):
            question, ours, theirs = (cells[index].strip("`") for index in (0, 2, 3))
            releases = tuple(int(number) for number in cells[1].split(", "))
            found.append(Row(question, releases, ours, theirs))
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


def _prefixes(ours: Answers) -> Dict[str, str]:
    """Of threads of which some differences have one cause, by the beginning of their questions."""
    found = {}
    for question, said in ours.items():
        thread = re.fullmatch(r"(thread \d+)" + STATE, question)
        if thread is None:
            continue
        name = thread.group(1)
        if said.get("value") == "ompt_state_idle":
            found[name] = "idle "
        elif _is_serialized(ours, name):
            found[name] = "serialized "
    return found


def _is_serialized(ours: Answers, thread: str) -> bool:
    """Whether one of the regions around a thread, besides the outermost, has one thread."""

    def value(question: str) -> Any:
        return ours.get(question, {}).get("value")

    region: Optional[str] = value(thread + ": region" + MEETING)
    while region is not None:
        outer: Optional[str] = value(region + ", enclosing" + MEETING)
        if outer is not None and value(region + ": team-size-var") == 1:
            return True
        region = outer
    return False


def compare(ours: Answers, theirs: Answers, crashed_at: Optional[str] = None) -> Comparison:
    """What differs, and what only LLVM's library answers. What was asked of a handle that only one
    of them has, or that is not the same one to both, is left out."""
    found = Comparison(crashed_at=crashed_at)
    prefixes = _prefixes(ours)
    parted: Tuple[str, ...] = ()
    for question in {**theirs, **ours}:
        if question.startswith(parted):
            continue
        kind = prefixes.get(re.split("[:,]", question, 1)[0], "") + kind_of(question)
        mine, other = _text(ours.get(question)), _text(theirs.get(question))
        if mine == other:
            found.agreed[kind] += mine != NONE
            continue
        if question.endswith(MEETING):
            handle = question[: -len(MEETING)]
            parted += (handle + ":", handle + ",")
        elif _HANDLE in (mine, other):
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
