# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that are told when all tests are done."""

from collections import Counter
from typing import List

compared: "Counter[str]" = Counter()  # values of the program's routines, by name
unavailable: "Counter[str]" = Counter()  # values that OMPD called unavailable, "name: reason"
skipped: "Counter[str]" = Counter()  # threads that were not asked, by reason
stops: "Counter[str]" = Counter()  # stops at which the program was asked, by kind
agreed: "Counter[str]" = Counter()  # answers that LLVM's OMPD library gives as ours, by question
explained = 0  # others, which are in docs/llvm-libompd.md


def report() -> List[str]:
    """Lines for the end of the test run."""
    return _report_agreement() + _report_oracle()


def _report_agreement() -> List[str]:
    if not agreed:
        return []
    return [
        "",
        "LLVM's OMPD library: {} answers as ours to {} kinds of questions, {} explained"
        " differences".format(sum(agreed.values()), len(agreed), explained),
    ]


def _report_oracle() -> List[str]:
    if not compared:
        return []
    lines = [
        "",
        "Oracle: {} values compared at {} stops ({})".format(
            sum(compared.values()), sum(stops.values()), _list(stops)
        ),
        "  threads not asked: " + (_list(skipped) or "none"),
    ]
    lines += ["  unavailable {:6} x {}".format(n, what) for what, n in unavailable.most_common()]
    return lines


def _list(counter: "Counter[str]") -> str:
    return ", ".join("{} {}".format(number, name) for name, number in counter.most_common())
